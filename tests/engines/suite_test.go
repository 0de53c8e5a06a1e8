package engines

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"strings"
	"testing"

	"assay/tests/whole"
	"assay/warehouse"
	"assay/warehouse/engine"
)

// questions are SQL that every engine must answer alike, row by row and value by value.
var questions = []struct{ name, statement string }{
	{"every run", `SELECT * FROM benchmark_run_fact ORDER BY artifact_manifest_digest`},
	{"count and distinct", `SELECT count(*) AS runs, count(DISTINCT name) AS names, count(node_name) AS placed, min(bytes) AS least, max(created_ns) AS newest FROM benchmark_run_fact`},
	{"current runs", `SELECT run_id, status FROM current_run ORDER BY run_id`},
	{"runs that do not count", `SELECT run_id FROM benchmark_run_fact WHERE artifact_manifest_digest NOT IN (SELECT artifact_manifest_digest FROM current_run) ORDER BY run_id`},
	{"by day", `SELECT day, count(*) AS runs, sum(CASE WHEN status = 'completed' THEN 1 ELSE 0 END) AS completed FROM current_run GROUP BY day ORDER BY day`},
	{"by day and name", `SELECT day, name, max(created_ns) AS newest FROM benchmark_run_fact GROUP BY day, name HAVING count(*) > 1 ORDER BY day, name`},
	{"one metric over time", `SELECT r.day, r.run_id, f.value, f.low, f.high, f.n FROM metric_fact f JOIN current_run r ON r.artifact_manifest_digest = f.artifact_manifest_digest
		WHERE f.metric = 'ttft.v2' AND f.statistic = 'p50' AND f.point = 0 ORDER BY r.created_ns, r.run_id`},
	{"mean by day", `SELECT r.day, avg(f.value) AS mean, count(f.value) AS n, count(*) AS all_rows FROM metric_fact f JOIN benchmark_run_fact r ON r.artifact_manifest_digest = f.artifact_manifest_digest
		WHERE f.metric = 'e2e.v2' AND f.statistic = 'p50' GROUP BY r.day ORDER BY r.day`},
	{"median by rank", `SELECT metric, avg(value) AS median FROM (SELECT metric, value, row_number() OVER (PARTITION BY metric ORDER BY value) AS i, count(*) OVER (PARTITION BY metric) AS n
		FROM metric_fact WHERE value IS NOT NULL AND statistic = 'p50') AS ranked WHERE 2 * i BETWEEN n AND n + 2 GROUP BY metric ORDER BY metric`},
	{"p90 by rank", `SELECT metric, min(value) AS p90 FROM (SELECT metric, value, row_number() OVER (PARTITION BY metric ORDER BY value) AS i, count(*) OVER (PARTITION BY metric) AS n
		FROM metric_fact WHERE value IS NOT NULL AND statistic = 'p50') AS ranked WHERE 10 * i >= 9 * n GROUP BY metric ORDER BY metric`},
	{"drivers", `SELECT d.driver_version, d.cuda_version, d.server_engine, count(*) AS runs FROM benchmark_run_fact r JOIN software_version_dim d ON d.software_digest = r.software_digest
		GROUP BY d.driver_version, d.cuda_version, d.server_engine ORDER BY d.driver_version`},
	{"four dimensions", `SELECT r.run_id, d.driver_version, t.gpu_model, t.gpu_count, c.region, c.scheduler_path, w.model, w.concurrency_point
		FROM benchmark_run_fact r JOIN software_version_dim d ON d.software_digest = r.software_digest JOIN hardware_topology_dim t ON t.topology_digest = r.topology_digest
		JOIN cluster_region_dim c ON c.cluster_digest = r.cluster_digest JOIN workload_dim w ON w.workload_spec_digest = r.workload_spec_digest ORDER BY r.run_id`},
	{"left join", `SELECT r.run_id, a.act, a.why, a.number FROM benchmark_run_fact r LEFT JOIN act_fact a ON a.artifact_manifest_digest = r.artifact_manifest_digest ORDER BY r.run_id, a.number NULLS FIRST`},
	{"nulls", `SELECT node_name IS NULL AS nowhere, count(*) AS runs, count(node_name) AS named, min(node_name) AS first_name FROM benchmark_run_fact GROUP BY node_name IS NULL ORDER BY 1`},
	{"nulls in order", `SELECT run_id, node_name, coalesce(node_name, 'unknown') AS place FROM benchmark_run_fact ORDER BY node_name NULLS LAST, run_id`},
	{"sum of nothing", `SELECT sum(value) AS total, max(value) AS most, count(*) AS n FROM metric_fact WHERE metric = 'no such metric'`},
	{"outcomes", `SELECT * FROM serving_outcome_fact ORDER BY artifact_manifest_digest, point_name, side`},
	{"outcomes of no kind", `SELECT count(*) AS n, max(step_time_p50_s) AS slowest FROM training_outcome_fact`},
	{"launches of a metric", `SELECT f.metric, l.launch, l.value, l.n FROM launch_metric_fact l JOIN metric_fact f ON f.fact = l.fact JOIN benchmark_run_fact r ON r.artifact_manifest_digest = f.artifact_manifest_digest
		WHERE r.run_id IN ('run-a', 'run-b', 'run-12') AND f.statistic = 'p50' ORDER BY r.run_id, f.metric, f.point, l.launch`},
	{"odd texts", `SELECT DISTINCT name FROM benchmark_run_fact WHERE name LIKE '%odd%' OR name > 'Y' ORDER BY name`},
	{"texts put together", `SELECT name || '/' || model AS label, count(*) AS n FROM benchmark_run_fact WHERE model <> '' GROUP BY name || '/' || model ORDER BY label`},
	{"large whole numbers", `SELECT run_id, bytes, bytes - 9007199254740992 AS beyond FROM benchmark_run_fact WHERE bytes > 9007199254740992 ORDER BY bytes`},
	{"findings", `SELECT severity, check_id, count(*) AS n FROM finding_fact GROUP BY severity, check_id ORDER BY severity, check_id`},
	{"newest of each name", `WITH newest AS (SELECT name, max(created_ns) AS at FROM current_run GROUP BY name) SELECT r.name, r.run_id FROM benchmark_run_fact r JOIN newest n ON n.name = r.name AND n.at = r.created_ns ORDER BY r.name, r.run_id`},
	{"change from the run before", `SELECT run_id, value, value - lag(value) OVER (ORDER BY created_ns, run_id) AS step FROM (SELECT r.run_id AS run_id, r.created_ns AS created_ns, f.value AS value
		FROM metric_fact f JOIN benchmark_run_fact r ON r.artifact_manifest_digest = f.artifact_manifest_digest WHERE f.metric = 'e2e.v2' AND f.statistic = 'mean' AND f.point = 0 AND f.value IS NOT NULL) AS series ORDER BY created_ns, run_id`},
	{"union", `SELECT what FROM (SELECT system AS what FROM benchmark_run_fact UNION SELECT testbed AS what FROM benchmark_run_fact UNION SELECT status AS what FROM benchmark_run_fact) AS everything ORDER BY what`},
	{"lineage", `SELECT r.run_id, l.raw_uri, f.path, f.rows FROM benchmark_run_fact r JOIN artifact_lineage_dim l ON l.artifact_manifest_digest = r.artifact_manifest_digest
		JOIN file_fact f ON f.artifact_manifest_digest = r.artifact_manifest_digest WHERE f.table_name = 'requests' ORDER BY r.run_id, f.path`},
}

// servers are the engines that are asked beside SQLite.
var servers = []struct {
	name string
	url  func(t testing.TB) string
}{
	{"postgres", func(t testing.TB) string { return address("postgres", Postgres(t), "postgres") }},
	{"clickhouse", func(t testing.TB) string { return address("clickhouse", ClickHouse(t), "benchmarks") }},
	{"duckdb", func(t testing.TB) string { t.Setenv("ASSAY_DUCKDB", DuckDB(t)); return "duckdb" }},
}

// address is the URL of a server, with the account of all of them.
func address(scheme, host, database string) string {
	return (&url.URL{Scheme: scheme, User: url.UserPassword(User, Password), Host: host, Path: database}).String()
}

// The same warehouse gives the same answers whoever is asked.
func TestEnginesAgree(t *testing.T) {
	if os.Getenv(whole.Variable) != "engines" {
		whole.Only(t)
	}
	w := filled(t, 40)
	want := map[string]warehouse.Answer{}
	for _, q := range questions {
		a, err := w.Query(t.Context(), q.statement, warehouse.Limit{})
		if err != nil {
			t.Fatalf("%s: %v", q.name, err)
		}
		if len(a.Rows) == 0 {
			t.Errorf("%s has no rows: it compares nothing", q.name)
		}
		want[q.name] = a
	}
	for _, server := range servers {
		t.Run(server.name, func(t *testing.T) {
			r := opened(t, server.url(t), w)
			if m, copied := r.(engine.Mirror); copied {
				must(t, fill(t, w, m, 42, 0))
				must(t, fill(t, w, m, 0, 42))
			}
			for _, q := range questions {
				got, err := r.Query(t.Context(), q.statement, warehouse.Limit{})
				if err == nil {
					err = differs(got, want[q.name])
				}
				if err != nil {
					t.Errorf("%s: %v", q.name, err)
				}
			}
			refuses(t, r)
		})
	}
}

func opened(t testing.TB, address string, w *warehouse.Warehouse) engine.Reader {
	t.Helper()
	r, err := engine.Open(t.Context(), address, lookup, w)
	must(t, err)
	t.Cleanup(func() { must(t, r.Close()) })
	return r
}

func fill(t testing.TB, w *warehouse.Warehouse, m engine.Mirror, fresh, before int) error {
	t.Helper()
	f, err := engine.Fill(t.Context(), w, m)
	if err == nil && (f.New != fresh || f.Before != before) {
		err = fmt.Errorf("copied %d runs beside %d, want %d beside %d", f.New, f.Before, fresh, before)
	}
	return err
}

// differs says in what an answer is not the one that is wanted. Numbers that engines add
// in another order may differ in the last bits.
func differs(got, want warehouse.Answer) error {
	if fmt.Sprint(got.Columns) != fmt.Sprint(want.Columns) {
		return fmt.Errorf("columns %v, want %v", got.Columns, want.Columns)
	}
	if len(got.Rows) != len(want.Rows) || got.More != want.More {
		return fmt.Errorf("%d rows, want %d", len(got.Rows), len(want.Rows))
	}
	for i, row := range got.Rows {
		for k, cell := range row {
			if !same(cell, want.Rows[i][k]) {
				return fmt.Errorf("row %d, %s: %T %v, want %T %v", i, got.Columns[k], cell, cell, want.Rows[i][k], want.Rows[i][k])
			}
		}
	}
	return nil
}

func same(a, b any) bool {
	x, isX := a.(float64)
	y, isY := b.(float64)
	if whole, is := a.(int64); is && isY {
		x, isX = float64(whole), true
	}
	if whole, is := b.(int64); is && isX {
		y, isY = float64(whole), true
	}
	if isX && isY {
		return x == y || math.Abs(x-y) <= 1e-12*math.Max(math.Abs(x), math.Abs(y))
	}
	return a == b
}

// refuses wants an engine to do nothing but read, to bound answers, and to blame the
// statement for what is wrong with it.
func refuses(t *testing.T, r engine.Reader) {
	t.Helper()
	for _, statement := range []string{
		"", "DELETE FROM benchmark_run_fact", "DROP TABLE act_fact", "CREATE TABLE x (y int)", "SELECT 1; SELECT 2",
		"WITH gone AS (DELETE FROM act_fact RETURNING number) SELECT * FROM gone",
		"WITH a AS (SELECT 1 AS x) INSERT INTO act_fact SELECT x FROM a", "SELECT no_such_column FROM benchmark_run_fact", "SELECT FROM WHERE",
	} {
		if _, err := r.Query(t.Context(), statement, warehouse.Limit{}); !errors.Is(err, warehouse.ErrQuery) {
			t.Errorf("%q: %v, want it refused", statement, err)
		}
	}
	a, err := r.Query(t.Context(), "SELECT run_id FROM benchmark_run_fact ORDER BY run_id", warehouse.Limit{Rows: 5})
	if err != nil || len(a.Rows) != 5 || !a.More {
		t.Errorf("%d rows, more %v, %v; want the first 5 of more", len(a.Rows), a.More, err)
	}
	a, err = r.Query(t.Context(), "SELECT count(*) AS n FROM benchmark_run_fact", warehouse.Limit{})
	if err != nil || len(a.Rows) != 1 || a.Rows[0][0] != int64(42) {
		t.Errorf("after all that there are %v runs, %v; want 42", a.Rows, err)
	}
	if text := fmt.Sprint(err); strings.Contains(text, Password) {
		t.Errorf("an error has the password: %s", text)
	}
}
