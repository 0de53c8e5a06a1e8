package bundle

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the generated documentation")

const referenceFile = "../docs/reference/bundle.md"

// The documentation of the columns is generated from the row types, so that it
// cannot lag behind them.
func TestReference(t *testing.T) {
	got := reference(t)
	if *update {
		check(t, os.MkdirAll(filepath.Dir(referenceFile), 0o755))
		check(t, os.WriteFile(referenceFile, []byte(got), 0o644))
	}
	want, err := os.ReadFile(referenceFile)
	if err != nil || string(want) != got {
		t.Errorf("%s does not fit the row types (%v): go test ./bundle -run TestReference -update writes it", referenceFile, err)
	}
}

// Every field of a row type must be a column, under a name of its own and with a
// comment that can be printed as its meaning.
func TestColumns(t *testing.T) {
	comments := fieldComments(t)
	for _, table := range Tables {
		row := reflect.TypeOf(table.Row)
		columns := table.Columns()
		if len(columns) != row.NumField() {
			t.Errorf("%s: %d columns for %d fields: every field needs a parquet tag", table.Name, len(columns), row.NumField())
		}
		seen := map[string]bool{}
		for _, c := range columns {
			if seen[c.Name] {
				t.Errorf("%s: column %s is there twice", table.Name, c.Name)
			}
			seen[c.Name] = true
			if comments[row.Name()+"."+c.Field] == "" {
				t.Errorf("%s: column %s has no comment in package record", table.Name, c.Name)
			}
		}
	}
}

const referenceHead = `# The bundle

<!-- Generated from the row types in package record. go test ./bundle -run TestReference -update -->

A bundle is a folder. Any tool that reads Parquet opens its tables as they are:

    select * from 'RUN_ID/raw/launch-*/requests-*.parquet'

| path | holds |
| --- | --- |
| ` + "`spec.yaml`" + ` | the BenchmarkRun as asked |
| ` + "`workload.yaml`" + ` | the frozen WorkloadSpec that the run was held against, where there was one |
| ` + "`plan.json`" + ` | what was decided before the first launch |
| ` + "`launches.jsonl`" + ` | the ledger: a line when a launch starts, a line when it ends; failed ones too |
| ` + "`raw/launch-NN/TABLE-NNNNN.parquet`" + ` | a segment of a raw table |
| ` + "`raw/launch-NN/TABLE-NNNNN-MMMMM.parquet`" + ` | the segments NNNNN to MMMMM merged; it replaces any of them that are still there |
| ` + "`raw/launch-NN/logs/`" + ` | logs, without secrets |
| ` + "`raw/launch-NN/*`" + ` | attachments |
| ` + "`scores/NAME.json`" + ` | what the scorer NAME of an evaluation said about the answers |
| ` + "`derived/VERSION/`" + ` | what the code of that version made of the raw data |
| ` + "`report/`" + ` | what people read |
| ` + "`manifest.json`" + ` | SHA-256 and role of every file, environment, inputs, launches, status; written last |
| ` + "`attestation.intoto.jsonl`" + ` | signed in-toto statements about the manifest; absent when nobody signed |

Times are nanoseconds since the launch's epoch. The ledger and the manifest state
the epoch, and every file names its table, schema version, launch and clock in
its key-value metadata (` + "`assay.table`, `assay.schema`, `assay.launch`, `assay.clock`" + `).
A column marked null holds no value where the fact was not available.
`

func reference(t *testing.T) string {
	t.Helper()
	comments := fieldComments(t)
	var out strings.Builder
	out.WriteString(referenceHead)
	for _, table := range Tables {
		row := reflect.TypeOf(table.Row).Name()
		fmt.Fprintf(&out, "\n## %s\n\n%s\n\n| column | type | meaning |\n| --- | --- | --- |\n", table.Name, table.Doc)
		for _, c := range table.Columns() {
			kind := c.Type
			if c.Nullable {
				kind += ", null"
			}
			fmt.Fprintf(&out, "| `%s` | %s | %s |\n", c.Name, kind, comments[row+"."+c.Field])
		}
	}
	return out.String()
}

// fieldComments reads the comment behind or above each field of package record.
func fieldComments(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../record/*.go")
	check(t, err)
	comments := map[string]string{}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		check(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if row, ok := spec.Type.(*ast.StructType); ok {
				for _, field := range row.Fields.List {
					text := strings.TrimSpace(field.Comment.Text() + " " + field.Doc.Text())
					for _, name := range field.Names {
						comments[spec.Name.Name+"."+name.Name] = strings.Join(strings.Fields(strings.ReplaceAll(text, "|", `\|`)), " ")
					}
				}
			}
			return false
		})
	}
	return comments
}
