package warehouse

import (
	"context"
	"slices"
	"strings"
)

// newestQuery finds the newest run that counts of each workload, system and testbed. Each
// step looks for the next of these in the index run_by_series: grouping reads every run
// there is.
const newestQuery = `WITH RECURSIVE series (first) AS (
	SELECT * FROM (SELECT rowid FROM benchmark_run_fact ORDER BY workload_spec_digest, system, testbed LIMIT 1)
	UNION ALL SELECT (SELECT n.rowid FROM benchmark_run_fact n
		WHERE (n.workload_spec_digest, n.system, n.testbed) > (b.workload_spec_digest, b.system, b.testbed)
		ORDER BY n.workload_spec_digest, n.system, n.testbed LIMIT 1)
	FROM series s CROSS JOIN benchmark_run_fact b ON b.rowid = s.first)
	SELECT ` + runColumns + ` FROM series s CROSS JOIN benchmark_run_fact b ON b.rowid = s.first
	CROSS JOIN current_run r ON r.workload_spec_digest = b.workload_spec_digest AND r.system = b.system AND r.testbed = b.testbed AND r.created_ns = (
		SELECT c.created_ns FROM current_run c WHERE c.workload_spec_digest = b.workload_spec_digest AND c.system = b.system AND c.testbed = b.testbed
		AND c.status = 'completed' AND c.quick = 0 AND coalesce(c.worst_finding, '') <> 'void' ORDER BY c.created_ns DESC LIMIT 1)` + runConditions + `
	AND r.status = 'completed' AND r.quick = 0 AND coalesce(r.worst_finding, '') <> 'void'
	ORDER BY r.created_ns DESC, r.artifact_manifest_digest LIMIT 40`

// Frontier gives some statistics of every point of runs that count, of the newest run of each
// workload, system and testbed: what is spent, and what is had for it. A statistic is named
// with its metric, as e2e.v2:p99.
func (w *Warehouse) Frontier(ctx context.Context, f RunFilter, metrics []string) ([]RunRow, []Figure, error) {
	rows, err := w.db.QueryContext(ctx, newestQuery, f.args()...)
	if err != nil {
		return nil, nil, err
	}
	runs, err := gather(rows, scanRun)
	if err != nil || len(runs) == 0 || len(metrics) == 0 {
		return runs, nil, err
	}
	query, args := figuresQuery(runs, metrics)
	if rows, err = w.db.QueryContext(ctx, query, args...); err != nil {
		return nil, nil, err
	}
	figures, err := gather(rows, scanFigure)
	return runs, figures, err
}

// figuresQuery looks every statistic of every run up, in the order of the runs: the facts of
// a run are many, and few are wanted.
func figuresQuery(runs []RunRow, metrics []string) (string, []any) {
	metrics = slices.Clone(metrics)
	slices.Sort(metrics)
	metrics = slices.Compact(metrics)
	var args []any
	for _, m := range metrics {
		metric, statistic, _ := strings.Cut(m, ":")
		args = append(args, metric, statistic)
	}
	for i, run := range runs {
		args = append(args, i, run.Digest)
	}
	pairs := func(n int) string { return strings.TrimSuffix(strings.Repeat("(?, ?), ", n), ", ") }
	return `WITH wanted (metric, statistic) AS (VALUES ` + pairs(len(metrics)) + `), listed (place, digest) AS (VALUES ` + pairs(len(runs)) + `)
		SELECT ` + figureColumns + ` FROM listed l CROSS JOIN wanted w CROSS JOIN metric_fact f
		ON f.metric = w.metric AND f.statistic = w.statistic AND f.artifact_manifest_digest = l.digest
		WHERE f.value IS NOT NULL ORDER BY l.place, f.point, f.side, f.metric, f.statistic`, args
}
