package metric

import (
	"strings"
	"testing"

	"assay/plan"
	"assay/spec"
	"assay/stats"
)

// The policy marks what it can and keeps every launch: the row is the one of all.
func TestMarkOutliers(t *testing.T) {
	rowOf := func(m Metric, xs ...float64) Row {
		var values []LaunchValue
		for i, x := range xs {
			values = append(values, LaunchValue{i, x, 100})
		}
		row, _, err := m.row(0, "value", values, .95)
		if err != nil {
			t.Fatal(err)
		}
		if isShare(m.ID) {
			row.Estimate, err = stats.ShareOverLaunches([]int{0, 0, 50}, []int{100, 100, 100}, .95)
		}
		if err != nil {
			t.Fatal(err)
		}
		return row
	}
	for method, want := range map[string]int{"mad": 2, "tukey_iqr": 0, "tukey_iqr_and_mad": 2} {
		e := Estimates{Confidence: .95, Rows: []Row{
			rowOf(OutputThroughput, 700, 701, 500), rowOf(RequestThroughput, 10, 11, 12), rowOf(ErrorRate, 0, 0, .5), rowOf(OutputThroughput, 700, 700, 700.1),
		}}
		p := plan.Plan{Run: spec.Run{Spec: spec.RunSpec{Trials: spec.Trials{OutlierPolicy: spec.OutlierPolicy{Method: method, Action: "flag_and_keep"}}}}}
		e.markOutliers(p)
		if e.Outliers == nil || e.Outliers.Method != method || e.Outliers.Action != "flag_and_keep" || len(e.Outliers.Marked) != want {
			t.Errorf("%s: %+v, want %d marked", method, e.Outliers, want)
			continue
		}
		if want == 0 {
			continue
		}
		first, share := e.Outliers.Marked[0], e.Outliers.Marked[1]
		if first.Launches[0].Launch != 2 || first.All.Value != e.Rows[0].Value || first.Without.Value != 700.5 || first.Without.N != 2 {
			t.Errorf("%s: %+v, want launch 2 marked and 700.5 without it", method, first)
		}
		if share.All.Value <= 0.16 || share.Without.Value != 0 || share.Without.Interval.Hi <= 0 {
			t.Errorf("%s: %+v, want no errors without the launch, and still a bound", method, share)
		}
		if len(e.Rows[0].PerLaunch) != 3 || !strings.Contains(strings.Join(e.Rows[0].Warnings, ";"), "launch 3 stands out: 700 tok/s without") {
			t.Errorf("%s: the row is %+v, want all launches and a warning", method, e.Rows[0])
		}
	}
}
