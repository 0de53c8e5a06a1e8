package judge

import (
	"math"
	"testing"

	"assay/analysis/scaling"
	"assay/metric"
)

// The efficiency of a study is a metric of its points, to the last digit, and what
// each launch gives makes it up.
func TestScalingIsAMetric(t *testing.T) {
	first, second := 0, 1
	study := scaling.Study{Kind: scaling.Strong, Quantity: scaling.Throughput, Baseline: scaling.OneWorker, Points: []scaling.Point{
		{Workers: 1, Values: []float64{100, 102, 98}, Plan: &first, Launches: []int{0, 1, 2}},
		{Workers: 4, Values: []float64{300, 310, 305}, Plan: &second, Launches: []int{0, 1, 2}},
	}}
	result, err := scaling.Analyse(study)
	must(t, err)
	j := Judgement{Scaling: scaling.Report{Studies: []scaling.StudyReport{{Study: &study, Result: &result}}}}
	j.addScaling()
	if len(j.Estimates.Rows) != 1 {
		t.Fatalf("%d rows, want that of 4 workers: %+v", len(j.Estimates.Rows), j.Estimates.Rows)
	}
	row := j.Estimates.Rows[0]
	product := 1.0
	for _, v := range row.PerLaunch {
		product *= v.Value
	}
	if row.Metric != metric.ScalingEfficiency.ID || row.Point != 1 || row.Value != result.Rows[1].Efficiency.Value || row.Interval != result.Rows[1].Efficiency.Interval || math.Abs(math.Cbrt(product)-row.Value) > 1e-12 {
		t.Errorf("%+v, want %+v", row, result.Rows[1].Efficiency)
	}
}
