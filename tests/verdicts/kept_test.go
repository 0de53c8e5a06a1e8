package verdicts

import (
	"testing"
	"time"

	"assay/claim"
	"assay/finding"
	"assay/warehouse"
)

// keptHolds keeps a run and looks for a value in the catalogue that may not be used, or for
// one that is missing though nothing forbids it. Histories, alerts, schedules and every
// dashboard ask the catalogue.
func keptHolds(t *testing.T, r *run, list []finding.Finding, seen map[string]int) {
	t.Helper()
	w, err := warehouse.OpenWriter(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Keep(t.Context(), r.Judgement, time.Now()); err != nil {
		t.Fatal(err)
	}
	void := kept(t, w, "SELECT worst_finding FROM benchmark_run_fact")[0][0] == string(finding.Void)
	if void != (len(r.Claims.Forbidden()) > 0) {
		t.Errorf("the catalogue calls the run void: %v; the claims forbid %v", void, r.Claims.Forbidden())
	}
	if void {
		return // no series takes it, and whoever looks at it is told
	}
	values := map[[3]string]bool{} // whether it has one
	for _, row := range kept(t, w, "SELECT metric, statistic, point_name, value FROM metric_fact") {
		values[[3]string{row[0].(string), row[1].(string), row[2].(string)}] = row[3] != nil
	}
	for _, row := range r.Estimates.Rows {
		result := claim.OfRow(row, r.Plan)
		point := result.Point
		if point == "" {
			point = "launch"
		}
		has := values[[3]string{row.Metric, row.Statistic, point}]
		switch forbidden := Forbidden(list, result); {
		case forbidden && has:
			t.Errorf("the catalogue has a value of %s %s at %s; the findings are %+v", row.Statistic, row.Metric, point, list)
		case forbidden:
			seen["kept without a value"]++
		case has:
			seen["kept"]++
		case row.Value == row.Value: // it is a number
			t.Errorf("the catalogue lacks %s %s at %s, and nothing forbids it: %+v", row.Statistic, row.Metric, point, list)
		}
	}
}

func kept(t *testing.T, w *warehouse.Warehouse, statement string) [][]any {
	t.Helper()
	answer, err := w.Query(t.Context(), statement, warehouse.Limit{Rows: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	return answer.Rows
}
