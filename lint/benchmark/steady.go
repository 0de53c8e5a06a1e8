package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"assay/stats"
	"assay/stats/labelled"
)

const (
	steadySeries  = 500 // of known shape
	steadyTuned   = 1   // the seed of the set that the detector was made with
	steadyPromise = .95
	shapePromise  = .90
)

// steadyTable shows how often the shape of a series is told right, on a set that
// the detector was not made with.
func steadyTable(trials int, seed int64) (Table, error) {
	t := Table{
		Title:   "Steady state: series of known shape, 95 % to be called right",
		Columns: []string{"truth", "series"},
		Notes: []string{
			"200 to 10,000 values; noise white or autoregressive (φ .2 to .7), normal or log-normal, some with outliers, in half of them growing with the level; changes from 3 to 30 noises of the mean of a fiftieth of the series, and at least 3 % of the level. A third of the flat ones drift by up to 1 %, which does not matter. Every fifth drift and step comes after a warm-up.",
			"The curves and their prices were chosen on sets of other seeds, of which the last row shows one. Beside 95 % of all, 90 % of each shape are promised, less two standard errors where there are fewer than 500 series.",
		},
	}
	for _, shape := range stats.Shapes {
		t.Columns = append(t.Columns, "called "+string(shape))
	}
	t.Columns = append(t.Columns, "right %")
	count := min(trials, steadySeries)
	held := scoreSteady(labelled.Set(count, uint64(seed)+0x5eed), seed)
	for _, truth := range stats.Shapes {
		t.Rows = append(t.Rows, held.row(string(truth), func(s stats.Shape) bool { return s == truth }, count, shapePromise))
	}
	all := func(stats.Shape) bool { return true }
	t.Rows = append(t.Rows, held.row("all, held out", all, count, steadyPromise))
	tuned := scoreSteady(labelled.Set(count, steadyTuned), seed).row("all, seen before", all, count, 0)
	tuned.Verdict = Contrast
	t.Rows = append(t.Rows, tuned)
	if len(held.off) > 0 {
		slices.Sort(held.off)
		t.Notes = append(t.Notes, fmt.Sprintf("The end of a warm-up is found %.1f %% of the series away from the truth in the median, %.1f %% at p90; a decay has no sharp end, the truth is three time constants.",
			100*held.off[len(held.off)/2], 100*held.off[len(held.off)*9/10]))
	}
	return t, nil
}

// A steadyScore counts what series of each shape were called.
type steadyScore struct {
	called map[[2]stats.Shape]int // truth, verdict
	off    []float64              // how far the end of a warm-up was missed, as a share of the series
}

func scoreSteady(list []labelled.Series, seed int64) steadyScore {
	verdicts := make([]stats.Steadiness, len(list))
	simulate(len(list), seed, func(i int, _ *rand.Rand) {
		verdicts[i] = stats.SteadyState(list[i].Values, stats.SteadyOptions{})
	})
	s := steadyScore{called: map[[2]stats.Shape]int{}}
	for i, v := range verdicts {
		s.called[[2]stats.Shape{list[i].Shape, v.Shape}]++
		if list[i].Shape == stats.WarmUp && v.Shape == stats.WarmUp {
			s.off = append(s.off, math.Abs(float64(v.Warm-list[i].Warm))/float64(len(list[i].Values)))
		}
	}
	return s
}

// row adds up the series whose truth is wanted. Few series say little: where the
// whole set has fewer than planned, two standard errors are allowed for.
func (s steadyScore) row(name string, want func(truth stats.Shape) bool, count int, least float64) Row {
	all, right := 0, 0
	var cells []string
	for _, verdict := range stats.Shapes {
		called := 0
		for pair, n := range s.called {
			if want(pair[0]) && pair[1] == verdict {
				called += n
				if pair[0] == pair[1] {
					right += n
				}
			}
		}
		all += called
		cells = append(cells, fmt.Sprint(called))
	}
	share := float64(right) / float64(max(1, all))
	if count < steadySeries {
		least -= 2 * standardError(least, all)
	}
	cells = append([]string{name, fmt.Sprint(all)}, cells...)
	return Row{append(cells, fmt.Sprintf("%.1f", 100*share)), verdictOf(share >= least)}
}
