package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/stats/items"
)

// qualityLevel is the error rate that a verdict about quality promises.
const qualityLevel = .05

// qualityTable asks the function that compares and gates use: how often a system is
// called worse than itself, how often two systems exactly a margin apart are called
// equivalent, and how often equal ones are, beside theory.
func qualityTable(trials int, seed int64) (Table, error) {
	return qualityTableOf(qualityWorlds, trials, seed)
}

func qualityTableOf(worlds []qualityWorld, trials int, seed int64) (Table, error) {
	t := Table{
		Title: "Verdicts about quality: false alarms, false equivalence and power",
		Columns: []string{
			"evaluation", "items", "margin", "A/A called worse %", "a margin worse, called equivalent %", "and by Student's t %",
			"A/A called equivalent %", "theory %",
		},
		Notes: []string{
			"Each row is an evaluation of two systems on the same items, judged by the function that assay compare and assay gate use, at alpha 5 %.",
			"A/A called worse: both systems are equally good. Called equivalent: the second is worse by exactly the margin. Promised is 5 % of each at most; a row is broken when more evaluations are wrong than 999 of 1000 simulations of 5 % give.",
			"By Student's t: what two one-sided t tests without the guard against unseen losses would have called equivalent, for contrast.",
			"A/A called equivalent is the power. Theory is the normal approximation that assay plan uses, with the mean variance of these evaluations; it is no promise.",
		},
	}
	for _, w := range worlds {
		row, err := w.row(trials, seed)
		if err != nil {
			return t, fmt.Errorf("%s, %d items: %w", w.name, w.items, err)
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

func (w qualityWorld) row(trials int, seed int64) (Row, error) {
	equal, err := w.rates(0, trials, seed)
	if err != nil {
		return Row{}, err
	}
	edge, err := w.rates(w.margin, trials, seed+1)
	if err != nil {
		return Row{}, err
	}
	theory := items.Demand{Margin: w.margin, Span: equal.size}.EquivalencePower(items.Spread{Between: equal.variance}, float64(w.items), 0)
	most := mostWrong(qualityLevel, trials)
	return Row{[]string{
		w.name, fmt.Sprint(w.items), fmt.Sprintf("%g", w.margin), gatePercent(equal.worse), gatePercent(edge.equivalent), gatePercent(edge.plain),
		gatePercent(equal.equivalent), gatePercent(theory),
	}, verdictOf(equal.worse <= most && edge.equivalent <= most)}, nil
}

// qualityRates are the shares of evaluations with each verdict.
type qualityRates struct {
	worse, equivalent float64
	plain             float64 // equivalent by Student's t alone
	variance, size    float64 // of one item's difference, clusters allowed for, and of the guard; means
}

func (w qualityWorld) rates(loss float64, trials int, seed int64) (qualityRates, error) {
	worse, equivalent, plain := make([]bool, trials), make([]bool, trials), make([]bool, trials)
	variances, sizes, faults := make([]float64, trials), make([]float64, trials), make([]error, trials)
	simulate(trials, seed, func(trial int, rng *rand.Rand) {
		j, err := items.Judge(w.evaluation(loss, rng), items.Demand{Margin: w.margin, Alpha: qualityLevel})
		worse[trial], equivalent[trial] = j.Verdict == items.Worse, j.Verdict == items.Equivalent
		plain[trial] = j.Contrast.Equivalent(w.margin) <= qualityLevel
		variances[trial], sizes[trial], faults[trial] = j.SE*j.SE*float64(j.Items), j.Guard(qualityLevel, 1).Size, err
	})
	r := qualityRates{worse: shareOf(worse), equivalent: shareOf(equivalent), plain: shareOf(plain)}
	for i := range variances {
		if faults[i] != nil {
			return r, faults[i]
		}
		r.variance += variances[i] / float64(trials)
		r.size += sizes[i] / float64(trials)
	}
	return r, nil
}

// mostWrong is the largest share of wrong answers that a method with the given rate
// exceeds in one of a thousand simulations, from the binomial distribution.
func mostWrong(rate float64, trials int) float64 {
	b := distuv.Binomial{N: float64(trials), P: rate}
	most := math.Floor(rate * float64(trials))
	for b.Survival(most) > .001 {
		most++
	}
	return most / float64(trials)
}
