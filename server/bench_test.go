package server

import (
	"database/sql"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// grow has the catalogue hold n runs: copies of the one that is there, an hour apart, of
// ten names on four machines.
func (s *site) grow(n int) {
	s.t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(s.dir, "catalogue.db"))
	must(s.t, err)
	defer db.Close()
	columns := func(table string) (list []string) {
		rows, err := db.Query(`SELECT name FROM pragma_table_info(?)`, table)
		must(s.t, err)
		defer rows.Close()
		for rows.Next() {
			var name string
			must(s.t, rows.Scan(&name))
			list = append(list, name)
		}
		return list
	}
	// copied is what stands in a column of the copy with the number i.
	copied := map[string]string{
		"artifact_manifest_digest": `'sha256:' || printf('%064x', i)`, "run_id": `'run-' || i`, "name": `'nightly-' || (i % 10)`, "testbed": `'node-' || (i % 4)`,
		"created_ns": fmt.Sprintf(`%d - i * 3600000000000`, time.Now().UnixNano()), "worst_finding": `''`, "workload_spec_digest": `'sha256:w' || (i % 10)`, "fact": `NULL`,
		"value": `value * (1 + 0.01 * ((i * 7919 % 200) / 100.0 - 1))`,
	}
	for _, table := range []string{"benchmark_run_fact", "metric_fact"} {
		var values []string
		names := columns(table)
		for _, name := range names {
			if copied[name] == "" {
				values = append(values, name)
			} else {
				values = append(values, copied[name])
			}
		}
		_, err := db.Exec(fmt.Sprintf(`WITH RECURSIVE count(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM count WHERE i < %d)
			INSERT INTO %s (%s) SELECT %s FROM count, (SELECT * FROM %s WHERE artifact_manifest_digest = (SELECT min(artifact_manifest_digest) FROM benchmark_run_fact WHERE run_id = 'run-a'))`,
			n-1, table, strings.Join(names, ", "), strings.Join(values, ", "), table))
		must(s.t, err)
	}
	_, err = db.Exec(`ANALYZE`)
	must(s.t, err)
}

// BenchmarkPages is how long each page takes at ten thousand runs.
func BenchmarkPages(b *testing.B) {
	s := open(b, nil)
	s.kept("run-a", "nightly", 1)
	s.grow(10_000)
	begun := time.Now()
	s.srv.look(b.Context())
	b.Logf("looking for changes took %v", time.Since(begun))
	h := s.srv.Handler()
	for _, path := range []string{"/", "/runs", "/runs?text=nightly-3", "/runs?testbed=node-1&since=2026-01-01", "/runs/run-77", "/frontier", "/alerts", "/testbeds", "/lineage?of=12.3+ms", "/api/v1/runs?rows=1000", "/history?metric=e2e&workload=nightly-3&testbed=node-1"} {
		b.Run(path, func(b *testing.B) {
			for b.Loop() {
				r := httptest.NewRequest("GET", "http://localhost"+path, nil)
				r.Header.Set("Authorization", "Bearer "+s.read)
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				if w.Code != http.StatusOK && w.Code != http.StatusNotFound {
					b.Fatalf("%d %s", w.Code, w.Body)
				}
			}
		})
	}
}
