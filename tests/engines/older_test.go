package engines

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"assay/tests/whole"
	"assay/warehouse"
	"assay/warehouse/engine"
)

// psql asks Postgres as its owner does.
func psql(t *testing.T, at, script string) string {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/psql")
	if len(found) == 0 {
		t.Skip("no psql here: make test-engines installs it")
	}
	cmd := exec.Command(slices.Max(found), "-qAtX", "-v", "ON_ERROR_STOP=1", "-c", script, "postgres://"+User+"@"+at+"/postgres")
	cmd.Env = append(os.Environ(), "PGPASSWORD="+Password)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, &said)
	}
	return strings.TrimSpace(string(out))
}

// Tables of an older version in Postgres are read until those of this one are whole, also
// after a copy that broke off; then they are gone, unless others depend on them. Who could
// read a table still can, and nothing that the warehouse has not is ever dropped.
func TestPostgresOlder(t *testing.T) {
	whole.Engines(t)
	w := filled(t, 9)
	at := Postgres(t)
	address := address("postgres", at, "postgres")
	must(t, fill(t, w, opened(t, address, w).(engine.Mirror), 11, 0))
	psql(t, at, `UPDATE assay.schema_version SET version = 3; ALTER TABLE assay.act_fact DROP COLUMN subject;
		CREATE ROLE reader; GRANT USAGE ON SCHEMA assay TO reader; GRANT SELECT ON assay.benchmark_run_fact TO reader; GRANT SELECT ON assay.current_run TO PUBLIC;
		CREATE VIEW public.theirs AS SELECT run_id FROM assay.benchmark_run_fact`)

	// A copy of four runs that ends before it is whole.
	m := opened(t, address, w).(engine.Mirror)
	older, err := m.Prepare(t.Context())
	if err != nil || len(older) != 11 {
		t.Fatalf("the older tables have %d runs, %v; want 11", len(older), err)
	}
	digests, err := w.Digests(t.Context())
	must(t, err)
	sheets, err := w.SheetsOf(t.Context(), digests[:4])
	must(t, err)
	must(t, m.Add(t.Context(), digests[:4], sheets))
	for _, reader := range []engine.Reader{m, opened(t, address, w)} {
		a, err := reader.Query(t.Context(), "SELECT count(*) AS n FROM benchmark_run_fact", warehouse.Limit{})
		if err != nil || a.Rows[0][0] != int64(11) {
			t.Errorf("while it is made again, there are %v runs, %v; want 11", a.Rows, err)
		}
	}
	if got := psql(t, at, `SELECT count(*) FROM public.theirs`); got != "11" {
		t.Errorf("a view of others has %s runs, want 11", got)
	}

	m = opened(t, address, w).(engine.Mirror)
	must(t, fill(t, w, m, 7, 4))
	equal(t, m, w)
	schemas := `SELECT string_agg(nspname, ' ' ORDER BY nspname) FROM pg_namespace WHERE nspname LIKE 'assay%'`
	for question, want := range map[string]string{
		schemas:                              "assay assay_version_3", // which theirs still reads
		`SELECT count(*) FROM public.theirs`: "11",
		`SELECT has_table_privilege('reader', 'assay.benchmark_run_fact', 'SELECT') AND has_schema_privilege('reader', 'assay', 'USAGE')`:            "t",
		`SELECT has_table_privilege('reader', 'assay.metric_fact', 'SELECT') OR has_table_privilege('reader', 'assay.benchmark_run_fact', 'INSERT')`: "f",
		`SELECT has_table_privilege('reader', 'assay.current_run', 'SELECT')`:                                                                        "t",
		`SELECT max(version) FROM assay.schema_version`:                                                                                              fmt.Sprint(warehouse.Version()),
		`SELECT count(*) FROM information_schema.columns WHERE table_schema = 'assay' AND table_name = 'act_fact' AND column_name = 'subject'`:       "1",
	} {
		if got := psql(t, at, question); got != want {
			t.Errorf("%s gives %s, want %s", question, got, want)
		}
	}
	must(t, fill(t, w, m, 0, 11))

	psql(t, at, `DROP VIEW public.theirs; DROP SCHEMA assay_version_3 CASCADE; UPDATE assay.schema_version SET version = 3`)
	m = opened(t, address, w).(engine.Mirror)
	must(t, fill(t, w, m, 11, 0))
	equal(t, m, w)
	if got := psql(t, at, schemas); got != "assay" {
		t.Errorf("the schemas are %s, want assay alone", got)
	}

	psql(t, at, `UPDATE assay.schema_version SET version = 3; UPDATE assay.benchmark_run_fact SET artifact_manifest_digest = 'sha256:another' WHERE run_id = 'run-a'`)
	if _, err := engine.Fill(t.Context(), w, opened(t, address, w).(engine.Mirror)); !errors.Is(err, engine.ErrAnother) {
		t.Errorf("older tables with a run of another warehouse: %v, want them refused", err)
	}
	if got := psql(t, at, `SELECT count(*) FROM assay.benchmark_run_fact WHERE artifact_manifest_digest = 'sha256:another'`); got != "1" {
		t.Errorf("%s runs of the other warehouse are left, want 1", got)
	}
	psql(t, at, `UPDATE assay.schema_version SET version = 99`)
	if _, err := engine.Fill(t.Context(), w, opened(t, address, w).(engine.Mirror)); err == nil || !strings.Contains(err.Error(), "use a newer assay") {
		t.Errorf("newer tables: %v, want them refused", err)
	}
}

// Tables of an older version in ClickHouse are read until those of this one are whole,
// wherever the copy breaks off: every table shows all runs at any time.
func TestClickHouseOlder(t *testing.T) {
	whole.Engines(t)
	w := filled(t, 9)
	server := ClickHouse(t)
	var left atomic.Int64 // requests until the network is gone
	left.Store(1 << 40)
	proxy := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		writes := func(word string) bool {
			return strings.HasPrefix(r.URL.Query().Get("query"), word) || bytes.HasPrefix(body, []byte(word))
		}
		if (writes("INSERT") || writes("CREATE") || writes("DROP")) && left.Add(-1) < 0 {
			panic(http.ErrAbortHandler)
		}
		forward(out, r, server, body)
	}))
	t.Cleanup(proxy.Close)
	at := address("clickhouse", strings.TrimPrefix(proxy.URL, "http://"), "benchmarks")
	must(t, fill(t, w, opened(t, at, w).(engine.Mirror), 11, 0))
	asVersion3(t, server)
	reader := opened(t, address("clickhouse", server, "benchmarks"), w)
	equal(t, reader, w)
	broken := 0
	for requests := int64(0); ; requests += 5 {
		left.Store(requests)
		f, err := engine.Fill(t.Context(), w, opened(t, at, w).(engine.Mirror))
		equal(t, reader, w)
		if err == nil {
			if f.New+f.Before != 11 {
				t.Errorf("%+v, want 11 runs", f)
			}
			break
		}
		if broken++; broken > 100 {
			t.Fatal(err)
		}
	}
	if broken < 5 {
		t.Errorf("the copy broke off %d times, want more", broken)
	}
	left.Store(1 << 40)
	must(t, fill(t, w, opened(t, at, w).(engine.Mirror), 0, 11))
	tables, err := reader.Query(t.Context(), `SELECT name FROM system.tables WHERE database = 'benchmarks' AND (name = 'whole_run' OR name LIKE 'rows%' AND name NOT LIKE 'rows_v%')`, warehouse.Limit{})
	if err != nil || len(tables.Rows) > 0 {
		t.Errorf("%v, %v: want no table of the older version", tables.Rows, err)
	}
}

// forward has a server answer.
func forward(out http.ResponseWriter, r *http.Request, server string, body []byte) {
	u := url.URL{Scheme: "http", Host: server, Path: "/", RawQuery: r.URL.RawQuery}
	next, err := http.NewRequestWithContext(r.Context(), r.Method, u.String(), bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	next.Header = r.Header.Clone()
	answer, err := http.DefaultClient.Do(next)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer answer.Body.Close()
	out.WriteHeader(answer.StatusCode)
	io.Copy(out, answer.Body)
}

// asVersion3 gives a database the tables of the version before the first that has numbers in
// their names.
func asVersion3(t *testing.T, server string) {
	t.Helper()
	do := func(statement string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+server+"/?database=benchmarks", strings.NewReader(statement))
		must(t, err)
		r.Header.Set("X-ClickHouse-User", User)
		r.Header.Set("X-ClickHouse-Key", Password)
		answer, err := http.DefaultClient.Do(r)
		must(t, err)
		defer answer.Body.Close()
		if text, _ := io.ReadAll(answer.Body); answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s", statement, text)
		}
	}
	version := warehouse.Version()
	do(fmt.Sprintf("RENAME TABLE whole_run_v%d TO whole_run", version))
	for _, table := range warehouse.Tables {
		do(fmt.Sprintf("RENAME TABLE rows_v%d_%s TO rows_%s", version, table.Name, table.Name))
	}
	for _, table := range warehouse.Tables {
		where, once := "(of_run, attempt) IN (SELECT of_run, min(attempt) FROM whole_run GROUP BY of_run)", ""
		if !table.OfRuns() {
			where = "1"
		}
		if table.Shared || !table.OfRuns() {
			once = " LIMIT 1 BY " + strings.Join(table.Key, ", ")
		}
		do("DROP TABLE " + table.Name)
		do(fmt.Sprintf("CREATE VIEW %s AS SELECT %s FROM rows_%s WHERE %s%s", table.Name, strings.Join(table.Names(), ", "), table.Name, where, once))
	}
	do("DROP TABLE schema_version")
	do("CREATE TABLE schema_version (version Int64) ENGINE = MergeTree ORDER BY version")
	do("INSERT INTO schema_version VALUES (3)")
}
