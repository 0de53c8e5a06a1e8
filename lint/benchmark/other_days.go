package main

import (
	"fmt"
	"math/rand/v2"

	"assay/analysis/compare"
	"assay/stats"
)

// An elsewhere world is one whose launches of one sitting do not know how far the next sitting
// lies, and whose earlier runs do.
type elsewhereWorld struct {
	name    string
	earlier int
	draw    func(rng *rand.Rand, k int) (a, b []float64) // logarithms of one run, or of two
	pair    bool
}

var elsewheres = []elsewhereWorld{
	{"launches AR(1) 0.5", 20, chained(.5), false},
	{"launches AR(1) 0.8", 20, chained(.8), false},
	{"launches AR(1) 0.8", 6, chained(.8), false},
	{"launches AR(1) 0.95", 20, chained(.95), false},
	{"day sd 3 %", 20, days(.03), false},
	{"no offset", 20, days(0), false},
	{"two runs, launches AR(1) 0.8", 20, chained(.8), true},
	{"two runs, day sd 3 %", 20, days(.03), true},
	{"two runs, day sd 5 %", 20, days(.05), true},
	{"two runs, day sd 5 %", 6, days(.05), true},
	{"two runs, no offset", 20, days(0), true},
}

// chained has two runs on days of their own, each launch holding the share memory of the one
// before.
func chained(memory float64) func(rng *rand.Rand, k int) (a, b []float64) {
	run := func(rng *rand.Rand, k int) (logs []float64) {
		launches, _ := autoLaunches(memory)(rng, k, usualRequests)
		for _, l := range launches {
			logs = append(logs, meanOf(l.Values)-1)
		}
		return logs
	}
	return func(rng *rand.Rand, k int) (a, b []float64) { return run(rng, k), run(rng, k) }
}

func meanOf(xs []float64) (mean float64) {
	for _, x := range xs {
		mean += x / float64(len(xs))
	}
	return mean
}

// otherDaysTable asks how often intervals hold the truth of other days, with what earlier runs
// show and without.
func otherDaysTable(trials int, seed int64) (Table, error) {
	t := Table{
		Title:   "Other days: coverage by the launches alone, and with earlier runs",
		Columns: []string{"world", "earlier runs", "by the launches alone %", "with earlier runs %", "half width alone %", "half width with them %", "wanted"},
		Notes: []string{
			"Cells are of 3 / 4 / 5 / 10 launches, of each side where there are two runs; earlier runs have as many. The truth is the level over all days, or that two equal systems are equal.",
			"By the launches alone is the interval of a report or of assay compare; with earlier runs is what both show with --warehouse.",
			"Wanted: 93 or more with earlier runs, two standard errors of the simulation allowed for.",
		},
	}
	for _, w := range elsewheres {
		verdict, cells := Kept, [4][]string{}
		for _, k := range launchCounts {
			alone, known, err := w.runs(k, trials, seed)
			if err != nil {
				return t, fmt.Errorf("%s, %d launches: %w", w.name, k, err)
			}
			for i, share := range []float64{alone.held, known.held, alone.halfWide, known.halfWide} {
				cells[i] = append(cells[i], fmt.Sprintf("%.0f", 100*share))
			}
			if known.held < leastCoverage-2*standardError(leastCoverage, trials) {
				verdict = Broken
			}
		}
		row := []string{w.name, fmt.Sprint(w.earlier)}
		for _, c := range cells {
			row = append(row, slashed(c))
		}
		t.Rows = append(t.Rows, Row{append(row, "covers"), verdict})
	}
	return t, nil
}

// runs makes so many experiments.
func (w elsewhereWorld) runs(k, trials int, seed int64) (alone, known sittingRates, err error) {
	without, with, failed := make([]sat, trials), make([]sat, trials), make([]error, trials)
	simulate(trials, seed, func(trial int, rng *rand.Rand) {
		earlier := make([][]float64, w.earlier)
		for i := range earlier {
			one, _ := w.draw(rng, k)
			earlier[i] = exps(one)
		}
		a, b := w.draw(rng, k)
		past, err := stats.LearnPast(earlier)
		var first, second stats.Estimate
		if err == nil {
			first, second, err = w.intervals(exps(a), exps(b), past)
		}
		failed[trial] = err
		without[trial], with[trial] = satOne(first), satOne(second)
	})
	return ratesOf(without), ratesOf(with), firstOf(failed)
}

func (w elsewhereWorld) intervals(a, b []float64, past stats.Past) (alone, known stats.Estimate, err error) {
	if !w.pair {
		if alone, err = stats.OverLaunches(a, .95); err == nil {
			known, err = past.OtherDays(a, .95)
		}
		return alone, known, err
	}
	values := compare.Values{A: a, B: b}
	if alone, err = values.Ratio(.95); err == nil {
		values.Past = &past
		known, err = values.Ratio(.95)
	}
	return alone, known, err
}

// satOne is an interval that should hold one.
func satOne(est stats.Estimate) sat {
	return sat{held: est.Interval.Contains(1), width: (est.Interval.Hi - est.Interval.Lo) / 2}
}
