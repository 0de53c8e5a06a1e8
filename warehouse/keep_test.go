package warehouse

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"assay/judge"
)

func TestKeep(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a %?# [warehouse]")
	w := writer(t, dir)
	from := sealed(t, "one", 1, machine("570"))
	first, again := keep(t, w, from), keep(t, w, from)
	if !first.New || again.New || first.Digest != again.Digest {
		t.Errorf("kept %+v, then %+v; want it new once", first, again)
	}
	intact(t, w)
	for statement, want := range map[string]string{
		`SELECT count(*) FROM benchmark_run_fact`:                      "1",
		`SELECT status FROM current_run`:                               "completed",
		`SELECT system || ' ' || name FROM current_run`:                "vllm nightly",
		`SELECT count(*) FROM launch_fact WHERE outcome = 'completed'`: "3",
		`SELECT count(*) FROM launch_metric_fact JOIN metric_fact USING (fact) WHERE metric = 'ttft.v2' AND statistic = 'p50'`: "3",
		`SELECT count(*) FROM metric_fact WHERE estimator = '' OR n = 0`:                                                       "0",
		`SELECT driver_version FROM software_version_dim`:                                                                      "570",
		`SELECT count(*) FROM serving_outcome_fact WHERE ttft_p50_s > 0.01 AND ttft_p50_s < 0.03`:                              "1",
		`SELECT count(*) FROM file_fact WHERE role = 'raw' AND sha256 <> ''`:                                                   "",
	} {
		if got := ask(t, w, statement); want != "" && got != want {
			t.Errorf("%s = %s, want %s", statement, got, want)
		} else if want == "" && got == "0" {
			t.Errorf("%s = 0, want some", statement)
		}
	}
}

// The tables that other programs read hold what the catalogue does.
func TestTables(t *testing.T) {
	w := writer(t, t.TempDir())
	keep(t, w, sealed(t, "one", 1, machine("570")))
	keep(t, w, sealed(t, "two", 1.1, machine("570")))
	must(t, w.Refresh(t.Context()))
	files, err := filepath.Glob(filepath.Join(w.dir, tablesDir, "metric_fact", "day=*", "workload=*", "part.parquet"))
	must(t, err)
	type row struct {
		RunID  string   `parquet:"run_id,optional"`
		Metric string   `parquet:"metric,optional"`
		Value  *float64 `parquet:"value,optional"`
		Low    *float64 `parquet:"low,optional"`
	}
	rows, runs := 0, map[string]bool{}
	for _, file := range files {
		list, err := parquet.ReadFile[row](file)
		must(t, err)
		for _, r := range list {
			runs[r.RunID] = true
			if r.Metric == "ttft.v2" && (r.Value == nil || *r.Value <= 0) {
				t.Errorf("%s has the value %v", r.Metric, r.Value)
			}
		}
		rows += len(list)
	}
	if want := ask(t, w, `SELECT count(*) FROM metric_fact`); len(runs) != 2 || want != strconv.Itoa(rows) {
		t.Errorf("%d rows of %v in %v, want %s of two runs", rows, runs, files, want)
	}
	if got := ask(t, w, `SELECT count(*) FROM stale`); got != "0" {
		t.Errorf("%s partitions are stale after they were written", got)
	}
	for _, table := range fileTables {
		if slices.Contains([]string{"training_outcome_fact", "telemetry_slice_fact", "claim_fact", "act_fact", "dropped_fact"}, table.name) {
			continue // of these runs there is none
		}
		if found, _ := filepath.Glob(filepath.Join(w.dir, tablesDir, table.name, "*", "*")); len(found) == 0 {
			t.Errorf("no file of %s", table.name)
		}
	}
}

// A bundle that somebody changed is refused, before and after it was stored.
func TestKeepRefuses(t *testing.T) {
	w := writer(t, t.TempDir())
	from := sealed(t, "one", 1, machine("570"))
	j, err := judge.Open(from, options)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(from, "spec.yaml"), []byte("changed"), 0o644))
	if kept, err := w.Keep(t.Context(), j, time.Now()); err == nil {
		t.Errorf("kept %+v though its spec was changed since it was opened", kept)
	}
	if got := intact(t, w); len(got) != 0 {
		t.Errorf("the catalogue has %v", got)
	}
	if left, _ := filepath.Glob(filepath.Join(w.dir, bundlesDir, "??", "*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A lost catalogue is made again from the bundles and the acts.
func TestLostCatalogue(t *testing.T) {
	dir := t.TempDir()
	w, err := OpenWriter(t.Context(), dir)
	must(t, err)
	kept := keep(t, w, sealed(t, "one", 1, machine("570")))
	_, err = w.Decide(t.Context(), Decision{Mark: "published", Run: "one", Why: "quoted", At: time.Now()})
	must(t, err)
	must(t, w.Close())
	for _, name := range []string{"", "-wal", "-shm"} {
		os.Remove(filepath.Join(dir, catalogueFile+name))
	}
	w = writer(t, dir)
	stored, err := w.Stored(t.Context())
	must(t, err)
	if len(stored) != 1 || stored[0] != kept.Dir {
		t.Fatalf("stored are %v, want %s", stored, kept.Dir)
	}
	keep(t, w, stored[0])
	if got := intact(t, w); len(got) != 1 || ask(t, w, `SELECT act FROM act_fact`) != "published" {
		t.Errorf("the catalogue made again has %v", got)
	}
}

func TestNewerCatalogue(t *testing.T) {
	dir := t.TempDir()
	w, err := OpenWriter(t.Context(), dir)
	must(t, err)
	_, err = w.db.Exec(`INSERT INTO schema_version VALUES (999, 0)`)
	must(t, err)
	must(t, w.Close())
	for _, open := range []func() (*Warehouse, error){
		func() (*Warehouse, error) { return Open(t.Context(), dir) },
		func() (*Warehouse, error) { return OpenWriter(t.Context(), dir) },
	} {
		if _, err := open(); err == nil || !strings.Contains(err.Error(), "newer assay") {
			t.Errorf("a newer catalogue: %v, want the advice to use a newer assay", err)
		}
	}
	if _, err := Open(t.Context(), t.TempDir()); err == nil {
		t.Error("an empty folder was opened as a warehouse")
	}
}
