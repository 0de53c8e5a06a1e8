package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"assay/analysis/compare"
	"assay/finding"
	"assay/lint"
	"assay/metric"
)

// A pairing is a world of two systems that are equal in truth, measured in blocks or in
// two runs.
type pairing struct {
	name   string
	blocks bool
	wanted wanted
	draw   func(rng *rand.Rand, k int) (a, b []float64) // logarithms
}

var pairings = []pairing{
	{"ratio in blocks", true, toCover, func(rng *rand.Rand, k int) (a, b []float64) {
		for range k {
			host := .05 * rng.NormFloat64()
			a, b = append(a, host+.02*rng.NormFloat64()), append(b, host+.02*rng.NormFloat64())
		}
		return a, b
	}},
	{"two runs, no offset", false, toCover, days(0)},
	{"two runs, unequal spread", false, toCover, func(rng *rand.Rand, k int) (a, b []float64) {
		for range k {
			a, b = append(a, .01*rng.NormFloat64()), append(b, .05*rng.NormFloat64())
		}
		return a, b
	}},
	{"two runs, day sd 3 %", false, elsewhere, days(.03)},
	{"two runs, day sd 5 %", false, elsewhere, days(.05)},
	{"two runs, drift 1 % a launch", false, drifted, func(rng *rand.Rand, k int) (a, b []float64) {
		for i := range 2 * k {
			value := .01*float64(i) + .005*rng.NormFloat64()
			if i < k {
				a = append(a, value)
			} else {
				b = append(b, value)
			}
		}
		return a, b
	}},
	{"two runs, launches AR(1) 0.8", false, elsewhere, func(rng *rand.Rand, k int) (a, b []float64) {
		z := rng.NormFloat64()
		for i := range 2 * k {
			if i < k {
				a = append(a, launchNoise*z)
			} else {
				b = append(b, launchNoise*z)
			}
			z = .8*z + .6*rng.NormFloat64()
		}
		return a, b
	}},
}

// drifted is asked of a machine that drifts throughout: from four launches a side on.
const drifted wanted = "named from four a side"

// days has runs that share an offset of the day over all their launches.
func days(spread float64) func(rng *rand.Rand, k int) (a, b []float64) {
	return func(rng *rand.Rand, k int) (a, b []float64) {
		x, y := spread*rng.NormFloat64(), spread*rng.NormFloat64()
		for range k {
			a, b = append(a, x+.02*rng.NormFloat64()), append(b, y+.02*rng.NormFloat64())
		}
		return a, b
	}
}

// pairTable asks the same of ratios.
func pairTable(trials int, seed int64) (Table, error) {
	t := Table{
		Title:   "Two systems that are equal: coverage of their ratio, and what is missed without a word",
		Columns: []string{"world", "covered %", "missed unwarned %", "warned of %", "half width %", "wanted"},
		Notes: []string{
			"Cells are of 3 / 4 / 5 / 10 launches of each side. The interval is that of assay compare; what warns is unpaired-drift where it says that launches move, and not that one run was made before the other, which it says of every such pair.",
			"A history: no launches of two sittings can know how far apart the sittings lie.",
		},
	}
	for _, w := range pairings {
		row := Row{Verdict: Kept}
		var cells [4][]string
		for _, k := range launchCounts {
			got, err := w.runs(k, max(1, trials*sittingTrials/100), seed)
			if err != nil {
				return t, fmt.Errorf("%s, %d launches: %w", w.name, k, err)
			}
			all := got.cells()
			for i, cell := range []string{all[0], all[1], all[3], all[4]} {
				cells[i] = append(cells[i], cell)
			}
			if !(w.wanted == drifted && k < 4) && !got.as(w.wanted, k) {
				row.Verdict = Broken
			}
		}
		row.Cells = []string{w.name}
		for _, c := range cells {
			row.Cells = append(row.Cells, slashed(c))
		}
		row.Cells = append(row.Cells, string(w.wanted))
		if w.wanted == elsewhere {
			row.Verdict = Contrast
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

func (w pairing) runs(k, trials int, seed int64) (sittingRates, error) {
	list, failed := make([]sat, trials), make([]error, trials)
	simulate(trials, seed, func(trial int, rng *rand.Rand) {
		a, b := w.draw(rng, k)
		values := compare.Values{A: exps(a), B: exps(b), Paired: w.blocks}
		est, err := values.Ratio(.95)
		named := false
		if err == nil && !w.blocks {
			named, err = movesOver(values)
		}
		failed[trial] = err
		list[trial] = sat{held: est.Interval.Contains(1), named: named, width: (est.Interval.Hi - est.Interval.Lo) / 2}
	})
	return ratesOf(list), firstOf(failed)
}

// movesOver says that unpaired-drift sees the launches of two runs move.
func movesOver(v compare.Values) (bool, error) {
	base, err := factsOf(metric.TTFT, single(v.A), sittingDay)
	if err != nil {
		return false, err
	}
	candidate, err := factsOf(metric.TTFT, single(v.B), sittingDay.Add(time.Duration(len(v.A))*5*time.Minute))
	if err != nil {
		return false, err
	}
	candidate.Against = base
	return slices.ContainsFunc(lint.UnpairedDrift.Run(candidate).Findings, func(one finding.Finding) bool {
		return one.Severity == finding.Void || strings.Contains(one.Message, "one direction")
	}), nil
}

// single is launches of one value each.
func single(values []float64) []metric.Drawn {
	return each(len(values), func(i int) []float64 { return []float64{values[i]} })
}

func exps(logs []float64) []float64 {
	out := make([]float64, len(logs))
	for i, x := range logs {
		out[i] = math.Exp(x)
	}
	return out
}

func slashed(cells []string) string { return strings.Join(cells, " / ") }
