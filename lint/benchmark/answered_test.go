package main

import (
	"testing"

	"assay/stats"
)

// A cell that is wrong too often without a word breaks its promise; one that is wrong
// as often with a word does not.
func TestAnswered(t *testing.T) {
	wrong := stats.Estimate{Interval: stats.Interval{Lo: 2, Hi: 3}, Method: stats.MeanMethod}
	right := stats.Estimate{Interval: stats.Interval{Lo: 0, Hi: 3}, Method: stats.MeanMethod}
	loud, wide := wrong, right
	loud.Warnings = []string{stats.HeavyTail(.5, 1000)}
	wide.Method = stats.WidenedMeanMethod
	for _, tt := range []struct {
		miss, hit stats.Estimate
		unseen    bool
		misses    int // of a hundred
		how, cell string
	}{
		{wrong, right, false, 5, covers, "95.0 covers"},
		{wrong, wide, false, 5, widened, "95.0 widened"},
		{wrong, right, false, 20, silent, "80.0 SILENT"},
		{loud, right, false, 20, warned, "80.0 warned: heavy tail"},
		{wrong, right, true, 60, warned, "40.0 warned: unseen mode"},
	} {
		var got answered
		for i := range 100 {
			est := tt.hit
			if i < tt.misses {
				est = tt.miss
			}
			got.add(answerOf(est, 1, tt.unseen))
		}
		if got.how() != tt.how || got.cell() != tt.cell {
			t.Errorf("%d of 100 wrong: %s, %q; want %s, %q", tt.misses, got.how(), got.cell(), tt.how, tt.cell)
		}
	}
}

// The tables call silent what Student's interval over pooled counts was.
func TestSharesAreNotPooled(t *testing.T) {
	even, uneven := []int{20, 20, 20}, []int{0, 0, 60}
	of := []int{400, 400, 400}
	pooled, err := stats.ShareOverLaunches(even, of, .95)
	byLaunch, err2 := stats.ShareOverLaunches(uneven, of, .95)
	if err != nil || err2 != nil || byLaunch.Interval.Hi < 3*pooled.Interval.Hi {
		t.Errorf("launches that agree %v, that differ %v, %v, %v", pooled.Interval, byLaunch.Interval, err, err2)
	}
}
