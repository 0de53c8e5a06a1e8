package warehouse

import "context"

// Scores gives the scores of runs that count, of the newest run of each workload, system
// and testbed that has any.
func (w *Warehouse) Scores(ctx context.Context, f RunFilter) ([]RunRow, []Figure, error) {
	rows, err := w.db.QueryContext(ctx, `SELECT `+runColumns+` FROM current_run r `+runConditions+` AND r.status = 'completed' AND coalesce(r.worst_finding, '') <> 'void'
		AND EXISTS (SELECT 1 FROM metric_fact s WHERE s.artifact_manifest_digest = r.artifact_manifest_digest AND s.statistic = 'score')
		AND r.created_ns = (SELECT max(o.created_ns) FROM benchmark_run_fact o WHERE o.workload_spec_digest = r.workload_spec_digest AND o.system = r.system AND o.testbed = r.testbed
			AND o.status = 'completed' AND coalesce(o.worst_finding, '') <> 'void')
		ORDER BY r.created_ns DESC LIMIT 40`, f.args()...)
	if err != nil {
		return nil, nil, err
	}
	runs, err := gather(rows, scanRun)
	if err != nil {
		return nil, nil, err
	}
	var figures []Figure
	for _, run := range runs {
		rows, err := w.db.QueryContext(ctx, `SELECT `+figureColumns+` FROM metric_fact f WHERE f.artifact_manifest_digest = ? AND f.value IS NOT NULL AND f.statistic = 'score' ORDER BY f.point`, run.Digest)
		if err != nil {
			return nil, nil, err
		}
		some, err := gather(rows, scanFigure)
		if err != nil {
			return nil, nil, err
		}
		figures = append(figures, some...)
	}
	return runs, figures, nil
}
