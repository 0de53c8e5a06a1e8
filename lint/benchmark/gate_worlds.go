package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"assay/analysis/compare"
	"assay/analysis/gate"
	"assay/metric"
)

// A gateWorld draws the launches of a system and of itself, measured in two runs,
// one after the other: no alarm is right.
type gateWorld struct {
	name string

	// value is what a launch gives in one metric; place is where it stands in the
	// order of time.
	value func(place int, rng *rand.Rand) float64

	// drifts says that time and side are confounded, so that no test over these
	// launches can hold its error rate.
	drifts bool
}

// slowMode is a system that comes up slow with the given chance.
func slowMode(chance, factor float64) func(int, *rand.Rand) float64 {
	return func(_ int, rng *rand.Rand) float64 {
		value := math.Exp(.005 * rng.NormFloat64())
		if rng.Float64() < chance {
			value *= factor
		}
		return value
	}
}

// drifting is a machine that becomes slower by so much from launch to launch.
func drifting(step float64) func(int, *rand.Rand) float64 {
	return func(place int, rng *rand.Rand) float64 {
		return math.Exp(step*float64(place) + .005*rng.NormFloat64())
	}
}

var gateWorlds = []gateWorld{
	{"half of the launches 1.2 × slower", slowMode(.5, 1.2), false},
	{"a fifth of the launches 1.5 × slower", slowMode(.2, 1.5), false},
	{"a tenth of the launches 2 × slower", slowMode(.1, 2), false},
	{"the machine drifts by 1 % a launch", drifting(.01), true},
	{"the machine drifts by 2 % a launch", drifting(.02), true},
}

// gateWorldTable asks the gate about a system and itself where launches are not
// normal: each metric has its own modes, which is the worst that modes can do.
func gateWorldTable(trials int, seed int64) (Table, error) {
	t := Table{
		Title:   "The gate (" + gate.Rule + ") about a system and itself, where launches are not normal",
		Columns: []string{"world", "metrics", "launches each", "measured", "any alarm %"},
		Notes: []string{
			"Launches inside a mode spread by 0.5 %, the margin is 5 %, and each metric draws its modes by itself. Promised is 5 % at most.",
			"Three launches cannot carry an alarm about one of more than three metrics: the gate says inconclusive, which is no pass, and that it takes four.",
			"One run after the other confounds the drift of the machine with the side, and no test over the launches can tell the two apart. That is a property of the design and not of the data, so every such pair carries a finding (unbalanced-sides, friday-afternoon, unpaired-drift) and the way out, assay compare --again; the rows show what it is worth in blocks.",
		},
	}
	for _, w := range gateWorlds {
		for _, k := range []int{3, 5} {
			for _, metrics := range []int{1, 10} {
				for _, blocks := range []bool{false, true} {
					t.Rows = append(t.Rows, w.row(metrics, k, blocks, trials, seed))
				}
			}
		}
	}
	return t, nil
}

func (w gateWorld) row(metrics, k int, blocks bool, trials int, seed int64) Row {
	given := make([]bool, trials)
	simulate(trials, seed, func(trial int, rng *rand.Rand) {
		given[trial] = anyAlarm(gate.Decide(w.questions(metrics, k, blocks, rng), gateLevels))
	})
	rate := shareOf(given)
	verdict := verdictOf(rate <= .05+2*standardError(.05, trials))
	design := "in blocks"
	if !blocks {
		design = "one run after the other"
		if w.drifts {
			verdict = Contrast
		}
	}
	return Row{[]string{w.name, fmt.Sprint(metrics), fmt.Sprint(k), design, gatePercent(rate)}, verdict}
}

// questions draws one gate. In blocks the sides take turns, and every second block
// reverses the order of the one before, as plans do.
func (w gateWorld) questions(metrics, k int, blocks bool, rng *rand.Rand) []gate.Question {
	list := make([]gate.Question, metrics)
	for i := range list {
		v := compare.Values{A: make([]float64, k), B: make([]float64, k), Paired: blocks}
		for launch := range k {
			a, b := launch, k+launch
			if blocks {
				a, b = 2*launch+launch%2, 2*launch+1-launch%2
			}
			v.A[launch], v.B[launch] = w.value(a, rng), w.value(b, rng)
		}
		list[i] = gate.Question{Better: metric.Lower, Margin: .05, Values: v}
	}
	return list
}
