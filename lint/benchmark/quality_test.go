package main

import (
	"slices"
	"testing"

	"assay/tests/whole"
)

// What make bench-quality promises, in small evaluations and with fewer of them. The
// seed is fixed: the figures are the same every time.
func TestQuality(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	small := slices.DeleteFunc(slices.Clone(qualityWorlds), func(w qualityWorld) bool { return w.items > 500 })
	table, err := qualityTableOf(small, 400, 7)
	if err != nil {
		t.Fatal(err)
	}
	if len(table.Rows) < 8 {
		t.Errorf("%d rows: want every kind of evaluation", len(table.Rows))
	}
	for _, broken := range brokenRows([]Table{table}) {
		t.Error(broken)
	}
}

// The intervals of scores near their ends and in the middle, likewise.
func TestScores(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	table, err := scoreTableOf(scoreWorldsOf([]float64{.5, .97}), 400, 7)
	if err != nil {
		t.Fatal(err)
	}
	for _, broken := range brokenRows([]Table{table}) {
		t.Error(broken)
	}
}

// A share of wrong answers that chance explains is none too many, and one that it does
// not is.
func TestMostWrong(t *testing.T) {
	t.Parallel()
	if most := mostWrong(.05, 2000); most < .06 || most > .07 {
		t.Errorf("of 2000: %v, want about 6.6 %%", most)
	}
}
