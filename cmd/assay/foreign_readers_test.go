package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"assay/bundle"
	"assay/tests/oracle"
	"assay/tests/whole"
)

// DuckDB and pandas open every raw table as it lies there and find the
// documented columns.
func TestForeignReaders(t *testing.T) {
	whole.Only(t)
	t.Parallel() // it mostly waits for what it measures
	python := oracle.Python(t, "duckdb", "pandas")
	dir := demoBundle(t)
	columns := filepath.Join(t.TempDir(), "columns.json")
	data, err := json.Marshal(documentedColumns(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(columns, data, 0o644); err != nil {
		t.Fatal(err)
	}
	answer, err := exec.Command(python, filepath.Join("..", "..", "tests", "read_bundle.py"), dir, columns).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, answer)
	}
	var got struct {
		Rows          map[string]int
		ContentChunks int  `json:"content_chunks"`
		AfterDue      bool `json:"after_due"`
	}
	if err := json.Unmarshal(answer, &got); err != nil {
		t.Fatalf("%v\n%s", err, answer)
	}
	for _, table := range []string{bundle.Requests, bundle.Chunks, bundle.Samples, bundle.Events} {
		if got.Rows[table] == 0 {
			t.Errorf("no rows in table %s: %s", table, answer)
		}
	}
	if got.ContentChunks == 0 || !got.AfterDue {
		t.Errorf("joining requests and chunks gave %s", answer)
	}
}

// documentedColumns are those of docs/reference/bundle.md, which a test of
// package bundle keeps equal to the row types.
func documentedColumns(t *testing.T) map[string][]string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "reference", "bundle.md"))
	if err != nil {
		t.Fatal(err)
	}
	columns := map[string][]string{}
	for _, table := range bundle.Tables {
		row := reflect.TypeOf(table.Row)
		for i := range row.NumField() {
			name, _, _ := strings.Cut(row.Field(i).Tag.Get("parquet"), ",")
			if !strings.Contains(string(page), "`"+name+"`") {
				t.Errorf("docs/reference/bundle.md does not document column %s of %s", name, table.Name)
			}
			columns[table.Name] = append(columns[table.Name], name)
		}
	}
	return columns
}
