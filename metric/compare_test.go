package metric

import (
	"math"
	"testing"

	"assay/spec"
	"assay/stats"
)

func sideRow(side, statistic string, values map[int]float64) Row {
	row := Row{Metric: TTFT.ID, Name: TTFT.Name, Statistic: statistic, Side: side, Estimate: stats.Estimate{Interval: stats.Interval{Lo: 0, Hi: 1}}}
	for launch := range 12 {
		if v, ok := values[launch]; ok {
			row.PerLaunch = append(row.PerLaunch, LaunchValue{Launch: launch, Value: v, N: 10})
		}
	}
	return row
}

// Launches are paired by the block that the ledger gives them, whatever their
// order; a block of which one side failed has no pair.
func TestPair(t *testing.T) {
	block := map[int]int{0: 0, 1: 0, 2: 1, 3: 1, 4: 2, 5: 2, 6: 3, 7: 3}
	base := sideRow(spec.BaselineSide, "p50", map[int]float64{0: 1, 3: 2, 4: 4, 6: 8})
	candidate := sideRow("new", "p50", map[int]float64{1: 2, 2: 4, 5: 8}) // the fourth failed
	got, ok, err := pair(base, candidate, block, 0.95)
	if err != nil || !ok || len(got.Blocks) != 3 || got.Side != "new" {
		t.Fatalf("pair = %+v, %v, %v", got, ok, err)
	}
	if got.Blocks[1] != (Block{1, 2, 4}) || math.Abs(got.Ratio.Value-2) > 1e-12 || math.Abs(got.Difference.Value-7.0/3) > 1e-12 || got.Ratio.N != 3 {
		t.Errorf("pair = %+v, ratio %+v", got, got.Ratio)
	}
	if _, ok, err := pair(base, sideRow("new", "p50", map[int]float64{9: 1}), map[int]int{9: 7, 0: 0, 3: 1, 4: 2, 6: 3}, 0.95); ok || err != nil {
		t.Errorf("launches of other blocks were paired (%v)", err)
	}
	zero := sideRow("new", "p50", map[int]float64{1: 0, 2: 1, 5: 1})
	if got, ok, err := pair(base, zero, block, 0.95); err != nil || !ok || got.Ratio != nil {
		t.Errorf("a ratio to zero: %+v, %v, %v", got, ok, err)
	}
	candidate.Interval = stats.Unbounded
	candidate.Warnings = []string{"too few requests"}
	if got, _, _ := pair(base, candidate, block, 0.95); got.Ratio.Interval != stats.Unbounded || len(got.Difference.Warnings) == 0 {
		t.Errorf("a percentile that a side cannot bound is bounded in the pair: %+v", got)
	}
	share := base
	share.Metric = ErrorRate.ID
	if got, _, _ := pair(share, sideRow("new", "p50", map[int]float64{1: 2, 2: 4, 5: 8}), block, 0.95); got.Difference.Interval != stats.Unbounded {
		t.Errorf("a share has an interval over blocks: %+v", got.Difference)
	}
}
