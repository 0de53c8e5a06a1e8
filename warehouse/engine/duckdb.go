package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"assay/bundle"
	"assay/warehouse"
)

// duckDBProgram answers questions with DuckDB; it is a program of its own, since DuckDB is C++.
const duckDBProgram = "assay-duckdb"

// duckDBVariable names it where it is neither beside assay nor on the path.
const duckDBVariable = "ASSAY_DUCKDB"

// A duckDB reads the Parquet files of a warehouse.
type duckDB struct {
	program string
	of      *warehouse.Warehouse
}

func openDuckDB(_ context.Context, a Asked) (Reader, error) {
	program, err := findDuckDB(a.Lookup)
	if err != nil {
		return nil, err
	}
	return duckDB{program, a.Warehouse}, nil
}

// findDuckDB looks where the environment says, beside this program, and on the path.
func findDuckDB(lookup func(string) (string, bool)) (string, error) {
	if path, given := lookup(duckDBVariable); given && path != "" {
		if _, err := os.Stat(path); err != nil {
			return "", fmt.Errorf("%s: %w", duckDBVariable, err)
		}
		return path, nil
	}
	if self, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(self), duckDBProgram)
		if _, err := os.Stat(beside); err == nil {
			return beside, nil
		}
	}
	path, err := exec.LookPath(duckDBProgram)
	if err != nil {
		return "", fmt.Errorf("there is no %s beside assay, on the path or in %s: build it with make duckdb, which needs a C compiler", duckDBProgram, duckDBVariable)
	}
	return path, nil
}

func (d duckDB) Close() error { return nil }

// The question and the answer are those of cmd/assay-duckdb.
type duckDBQuestion struct {
	Setup     []string `json:"setup"`
	Folders   []string `json:"folders"`
	Statement string   `json:"statement"`
	Rows      int      `json:"rows"`
}

type duckDBAnswer struct {
	Columns []string      `json:"columns"`
	Rows    [][][2]string `json:"rows"`
	More    bool          `json:"more"`
	Refused string        `json:"refused"`
}

// Query has the program answer, and ends it with the time that the statement may take.
func (d duckDB) Query(ctx context.Context, statement string, limit warehouse.Limit) (a warehouse.Answer, err error) {
	ctx, limit, stop, err := warehouse.Ask(ctx, statement, limit)
	if err != nil {
		return a, err
	}
	defer stop()
	q := duckDBQuestion{Statement: statement, Rows: limit.Rows}
	if q.Setup, q.Folders, err = d.views(statement); err != nil {
		return a, err
	}
	in, err := json.Marshal(q)
	if err != nil {
		return a, err
	}
	var out, story bytes.Buffer
	cmd := exec.CommandContext(ctx, d.program)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &story
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return a, context.Cause(ctx)
		}
		return a, fmt.Errorf("%s: %w: %s", d.program, err, strings.TrimSpace(story.String()))
	}
	var said duckDBAnswer
	if err := json.Unmarshal(out.Bytes(), &said); err != nil {
		return a, fmt.Errorf("the answer of %s: %w", d.program, err)
	}
	if said.Refused != "" {
		return a, fmt.Errorf("%w: %s", warehouse.ErrQuery, said.Refused)
	}
	return said.answer()
}

func (d duckDBAnswer) answer() (warehouse.Answer, error) {
	a := warehouse.Answer{Columns: d.Columns, Rows: [][]any{}, More: d.More}
	for _, cells := range d.Rows {
		row := make([]any, len(cells))
		for i, cell := range cells {
			var err error
			switch kind, text := cell[0], cell[1]; kind {
			case "":
			case "integer":
				row[i], err = strconv.ParseInt(text, 10, 64)
			case "real":
				row[i], err = strconv.ParseFloat(text, 64)
			default:
				row[i] = text
			}
			if err != nil {
				return a, fmt.Errorf("the answer of DuckDB: %w", err)
			}
		}
		a.Rows = append(a.Rows, row)
	}
	return a, nil
}

// views makes the tables and views that a statement names, and lists the folders that they
// read. Others are left out: DuckDB opens the files of a view when it is made.
func (d duckDB) views(statement string) (setup, folders []string, err error) {
	folders = []string{d.of.TablesDir(), d.of.BundlesDir()}
	for i, folder := range folders {
		if folder, err = filepath.Abs(folder); err != nil {
			return nil, nil, err
		}
		folders[i] = folder + "/"
	}
	named := func(name string) bool { return regexp.MustCompile(`(?i)\b` + name + `\b`).MatchString(statement) }
	current := named("current_run")
	for _, t := range warehouse.FileTables() {
		wanted := named(t.Name) || current && (t.Name == "benchmark_run_fact" || t.Name == "act_fact")
		if !wanted {
			continue
		}
		files := filepath.Join(folders[0], t.Name, "*", "*.parquet")
		if !t.Whole {
			files = filepath.Join(folders[0], t.Name, "*", "*", "*.parquet")
		}
		setup = append(setup, viewOfFiles(t, files))
	}
	for _, v := range warehouse.Views {
		if v.Name == "current_run" && current {
			setup = append(setup, "CREATE VIEW current_run AS "+v.Text)
		}
	}
	for _, t := range bundle.Tables {
		if !named("raw_" + t.Name) {
			continue
		}
		files := filepath.Join(folders[1], "??", "*", "raw", "launch-*", t.Name+"-*.parquet")
		if found, err := filepath.Glob(files); err == nil && len(found) == 0 {
			return nil, nil, fmt.Errorf("%w: no bundle of the warehouse has the table %s", warehouse.ErrQuery, t.Name)
		}
		setup = append(setup, rawView(t.Name, files))
	}
	return setup, folders, nil
}

// viewOfFiles is a table as the catalogue has it, also where there is no file: a table
// without rows is written to none.
func viewOfFiles(t warehouse.FileTable, files string) string {
	var names, nothing []string
	for _, c := range t.Columns {
		names = append(names, `"`+c.Name+`"`)
		nothing = append(nothing, fmt.Sprintf(`NULL::%s AS "%s"`, map[warehouse.Kind]string{warehouse.Text: "VARCHAR", warehouse.Integer: "BIGINT", warehouse.Real: "DOUBLE"}[c.Kind], c.Name))
	}
	if found, err := filepath.Glob(files); err == nil && len(found) == 0 {
		return fmt.Sprintf(`CREATE VIEW %s AS SELECT %s WHERE false`, t.Name, strings.Join(nothing, ", "))
	}
	return fmt.Sprintf(`CREATE VIEW %s AS SELECT %s FROM read_parquet(%s, hive_partitioning = false, union_by_name = true)`, t.Name, strings.Join(names, ", "), quoted(files))
}

// rawView is what was recorded, of every run whose bundle is there, with the run's digest
// and the launch.
func rawView(name, files string) string {
	return fmt.Sprintf(`CREATE VIEW raw_%s AS SELECT 'sha256:' || regexp_extract(filename, '/([0-9a-f]{64})/raw/', 1) AS artifact_manifest_digest,
		CAST(regexp_extract(filename, '/launch-([0-9]+)/', 1) AS BIGINT) AS launch, * EXCLUDE (filename)
		FROM read_parquet(%s, filename = true, union_by_name = true, hive_partitioning = false)`, name, quoted(files))
}

func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
