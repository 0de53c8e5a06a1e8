package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/stats/items"
)

// An agreement is an evaluation of two systems that give the same answer to a share of
// the items, alone or in clusters of ten.
type agreement struct {
	items   int
	same    float64
	margin  float64
	grouped grouping
	least   float64 // power that is wanted
}

// A grouping says what is known of clusters.
type grouping string

const (
	alone    grouping = "items alone"
	inLabels grouping = "clusters of ten, labelled"
	byID     grouping = "clusters of ten, ids only"
	inVain   grouping = "items alone, ids in tens"
)

// agreements are the cells of the table. The power wanted is that of the exact bounds of
// lost and gained items where they stand alone and few flip; else that of a z test whose
// variance is known, less 15 points.
var agreements = []agreement{
	{100, .95, .05, alone, 0}, {300, .95, .05, alone, .82}, {1319, .95, .05, alone, .95},
	{100, .99, .05, alone, .80}, {100, .97, .05, alone, .28},
	{500, .97, .02, alone, 0}, {500, .99, .01, alone, 0}, {1000, .99, .01, alone, .50},
	{1319, .90, .03, alone, .80},
	{100, .95, .05, inLabels, 0}, {300, .95, .05, inLabels, 0}, {1000, .90, .05, inLabels, 0}, {1320, .95, .02, inLabels, 0}, {3000, .95, .02, inLabels, 0},
	{300, .95, .05, inVain, .60}, {1319, .95, .05, inVain, .95}, {1319, .90, .03, inVain, .60},
	{100, .95, .05, byID, 0}, {300, .95, .05, byID, 0}, {1000, .90, .05, byID, 0}, {1320, .95, .02, byID, 0}, {3000, .95, .02, byID, 0},
}

// agreementTable asks for the verdict about equal systems, and about one that is worse by
// exactly the margin.
func agreementTable(trials int, seed int64) (Table, error) {
	t := Table{
		Title:   "Accuracy: items alone, clusters with labels, and clusters that nobody labelled",
		Columns: []string{"evaluation", "items", "same answers %", "margin", "a margin worse, held as good %", "equal, called worse %", "warned of %", "power %", "z %", "wanted"},
		Notes: []string{
			"Judged by the function of assay compare and assay gate, at alpha 5 %. Held as good: equivalent, not inferior or better. Power: equal systems called equivalent. z: the same by somebody who knows the variance, and of items alone without a guard, which breaks the promise where few flip.",
			"In clusters of ten a third of the clusters is touched by the change, all flips of one cluster go one way, and ids are of the form passage-12/q3.",
			"Wanted is 5 % of each error at most, and the power named. Ids only: the same, or a warning beside what is held as good and should not be. Warned of: those a margin worse. Ids in tens: items that have nothing to do with each other, whose ids look as if they had.",
		},
	}
	for _, c := range agreements {
		got, err := c.rates(trials, seed)
		if err != nil {
			return t, err
		}
		want := "≤ 5, ≤ 5"
		if c.least > 0 {
			want += fmt.Sprintf(", power %.0f", 100*c.least)
		}
		most := mostWrong(qualityLevel, trials)
		well := got.heldUnwarned <= most && got.worse <= most && got.power >= c.least-2*standardError(c.least, trials)
		t.Rows = append(t.Rows, Row{[]string{
			string(c.grouped), fmt.Sprint(c.items), fmt.Sprintf("%g", 100*c.same), fmt.Sprintf("%g", 100*c.margin),
			gatePercent(got.held), gatePercent(got.worse), gatePercent(got.warned), gatePercent(got.power), gatePercent(c.known()), want,
		}, verdictOf(well)})
	}
	return t, nil
}

// independent says that no item has to do with another, whatever the ids look like.
func (c agreement) independent() bool { return c.grouped == alone || c.grouped == inVain }

// touchedShare is the share of clusters in which answers flip at all.
const touchedShare = 1. / 3

// evaluation draws one in which the second system loses so much.
func (c agreement) evaluation(loss float64, rng *rand.Rand) []items.Pair {
	flips := max(1-c.same, loss)
	lost := (1 + loss/flips) / 2
	pairs := make([]items.Pair, 0, c.items)
	if c.independent() {
		for i := range c.items {
			pairs = append(pairs, c.named(flip(flips*lost, flips*(1-lost), rng), i/10))
		}
		return pairs
	}
	for cluster := 0; len(pairs) < c.items; cluster++ {
		chance, down := 0.0, rng.Float64() < lost
		if rng.Float64() < touchedShare {
			chance = flips / touchedShare
		}
		for range 10 {
			one := flip(0, chance, rng)
			if down {
				one = flip(chance, 0, rng)
			}
			pairs = append(pairs, c.named(one, cluster))
		}
	}
	return pairs
}

// named gives a pair what is known of its cluster.
func (c agreement) named(one items.Pair, cluster int) items.Pair {
	switch name := strconv.Itoa(cluster); c.grouped {
	case inLabels:
		one.Cluster = name
	case byID, inVain:
		one.Group = "passage-" + name
	}
	return one
}

// known is the power of a z test that knows the variance.
func (c agreement) known() float64 {
	flips := 1 - c.same
	effect := 1.0
	if !c.independent() {
		effect += 9 * flips / touchedShare
	}
	reach := c.margin / math.Sqrt(flips*effect/float64(c.items))
	return max(0, 2*distuv.UnitNormal.CDF(reach-distuv.UnitNormal.Quantile(1-qualityLevel))-1)
}

type agreementRates struct{ held, heldUnwarned, worse, warned, power float64 }

func (c agreement) rates(trials int, seed int64) (r agreementRates, err error) {
	var held, unwarned, worse, warnedOf, power, failed = make([]bool, trials), make([]bool, trials), make([]bool, trials), make([]bool, trials), make([]bool, trials), make([]error, trials)
	simulate(trials, seed, func(trial int, rng *rand.Rand) {
		demand := items.Demand{Margin: c.margin, Alpha: qualityLevel}
		edge, err := items.Judge(c.evaluation(c.margin, rng), demand)
		if err != nil {
			failed[trial] = err
			return
		}
		held[trial] = edge.Verdict == items.Equivalent || edge.Verdict == items.NotInferior || edge.Verdict == items.Better
		warnedOf[trial] = edge.Grouped != nil && edge.Grouped.Blind
		unwarned[trial] = held[trial] && !warnedOf[trial]
		equal, err := items.Judge(c.evaluation(0, rng), demand)
		worse[trial], power[trial], failed[trial] = equal.Verdict == items.Worse, equal.Verdict == items.Equivalent, err
	})
	return agreementRates{shareOf(held), shareOf(unwarned), shareOf(worse), shareOf(warnedOf), shareOf(power)}, firstOf(failed)
}
