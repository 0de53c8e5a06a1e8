package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"assay/analysis/compare"
	"assay/analysis/gate"
	"assay/metric"
	"assay/stats"

	"gonum.org/v1/gonum/stat/distuv"
)

// gateLevels are those of a policy that says nothing else.
var gateLevels = gate.Levels{Alpha: .05, Power: .8}

// A gateCase is one simulated gate, asked again and again.
type gateCase struct {
	metrics     int
	launches    int
	spread      float64 // from launch to launch
	correlation float64 // of the metrics inside a launch
	change      float64 // of the first metric; all others are equal
	margin      float64
}

// noMargin is a margin that never helps: the test alone decides.
const noMargin = 1e-6

// gateTable asks the gate's own function: how often a system is refused against
// itself in any of ten metrics, how often a regression is seen, beside theory, and
// how often a candidate that is worse by the whole margin is called not worse.
func gateTable(trials int, seed int64) (Table, error) {
	t := Table{
		Title:   "The gate (" + gate.Rule + "): false alarms, power and false passes",
		Columns: []string{"answer", "metrics", "correlation", "launches each", "launch spread", "true change", "margin", "given %", "theory %", "non-central t %"},
		Notes: []string{
			"Log values of launches are normal; what launches share moves all metrics of a launch alike. The answer is that of the function that assay gate uses, at alpha 5 %.",
			"Any alarm: some metric is called regressed though none is; promised is 5 % at most. A margin of 0 takes away what the margin helps.",
			"Theory of an alarm about one metric is the integral of the normal difference over both sides' variances, with Welch's degrees of freedom, the margin and Holm's first step. The last column is the power of Student's t test alone, from the non-central t distribution: Welch's freedom costs some of it at three launches.",
			"Three launches each carry an alarm in three metrics at most, whatever they show (see the next table): the power among ten is 0, and the gate says that it takes four.",
			"False pass: the metric is worse by its whole margin and is called not worse; promised is 5 % at most. Less is given where the launches could not have seen the margin, which is no pass either.",
		},
	}
	for _, margin := range []float64{noMargin, .03} {
		for _, correlation := range []float64{0, .7} {
			for _, k := range []int{3, 5, 10} {
				c := gateCase{metrics: 10, launches: k, spread: .03, correlation: correlation, margin: margin}
				rate := c.rate(trials, seed, anyAlarm)
				t.Rows = append(t.Rows, c.row("any alarm", rate, "", "", verdictOf(rate <= .05+2*standardError(.05, trials))))
			}
		}
	}
	for _, correlation := range []float64{0, .7} {
		c := gateCase{metrics: 10, launches: 5, spread: .03, correlation: correlation, margin: noMargin}
		t.Rows = append(t.Rows, c.row("any alarm, uncorrected", c.rate(trials, seed, anyRaw), "", "", Contrast))
	}
	for _, metrics := range []int{1, 10} {
		for _, change := range []float64{.05, .10} {
			for _, k := range []int{3, 5, 10} {
				c := gateCase{metrics: metrics, launches: k, spread: .03, correlation: 0, change: change, margin: .03}
				level := gateLevels.Alpha / float64(metrics)
				rate, theory := c.rate(trials, seed, firstAlarm), welchPower(c, level)
				if !carries(k, metrics) {
					theory = 0
				}
				// Other metrics that alarm by chance give a little of the budget back.
				well := math.Abs(rate-theory) <= 4*standardError(theory, trials)+.01
				t.Rows = append(t.Rows, c.row("alarm", rate, gatePercent(theory), gatePercent(stats.Power(c.spread, change, k, level)), verdictOf(well)))
			}
		}
	}
	for _, k := range []int{3, 5, 10} {
		c := gateCase{metrics: 10, launches: k, spread: .01, correlation: .7, change: .03, margin: .03}
		rate := c.rate(trials, seed, firstPasses)
		t.Rows = append(t.Rows, c.row("false pass", rate, "", "", verdictOf(rate <= .05+2*standardError(.05, trials))))
	}
	equal := gateCase{metrics: 10, launches: 5, spread: .01, correlation: .7, margin: .05}
	more := equal
	more.launches = 10
	t.Notes = append(t.Notes, fmt.Sprintf("An equal candidate, judged in ten metrics that spread by 1 %% at a margin of 5 %%, passes in %.1f %% of gates with five launches each and in %.1f %% with ten.",
		100*equal.rate(trials, seed, allPass), 100*more.rate(trials, seed, allPass)))
	return t, nil
}

func (c gateCase) row(answer string, rate float64, theory, student string, verdict Verdict) Row {
	margin := percent(c.margin)
	return Row{[]string{
		answer, fmt.Sprint(c.metrics), fmt.Sprintf("%.1f", c.correlation), fmt.Sprint(c.launches), percent(c.spread),
		percent(c.change), margin, gatePercent(rate), theory, student,
	}, verdict}
}

func gatePercent(share float64) string { return fmt.Sprintf("%.1f", 100*share) }

// rate is how often the answers of a gate are as happened says.
func (c gateCase) rate(trials int, seed int64, happened func([]gate.Decision) bool) float64 {
	given := make([]bool, trials)
	simulate(trials, seed, func(trial int, rng *rand.Rand) {
		given[trial] = happened(gate.Decide(c.questions(rng), gateLevels))
	})
	return shareOf(given)
}

// questions draws the launches of one gate. Lower is better in all metrics.
func (c gateCase) questions(rng *rand.Rand) []gate.Question {
	list := make([]gate.Question, c.metrics)
	for i := range list {
		list[i] = gate.Question{Better: metric.Lower, Margin: c.margin, Values: compare.Values{A: make([]float64, c.launches), B: make([]float64, c.launches)}}
	}
	own := math.Sqrt(1 - c.correlation)
	for _, candidate := range []bool{false, true} {
		for launch := range c.launches {
			shared := math.Sqrt(c.correlation) * rng.NormFloat64()
			for i := range list {
				value := c.spread * (shared + own*rng.NormFloat64())
				if candidate && i == 0 {
					value += math.Log1p(c.change)
				}
				if candidate {
					list[i].Values.B[launch] = math.Exp(value)
				} else {
					list[i].Values.A[launch] = math.Exp(value)
				}
			}
		}
	}
	return list
}

func anyAlarm(list []gate.Decision) bool {
	for _, d := range list {
		if d.Verdict == gate.Regressed {
			return true
		}
	}
	return false
}

// anyRaw is what a gate without a correction would say.
func anyRaw(list []gate.Decision) bool {
	for _, d := range list {
		if *d.P <= gateLevels.Alpha && d.Ratio.Value > 1 {
			return true
		}
	}
	return false
}

func allPass(list []gate.Decision) bool {
	for _, d := range list {
		if d.Verdict != gate.NotWorse {
			return false
		}
	}
	return true
}

// carries says whether so many launches of each side support an alarm about one of
// so many metrics.
func carries(launches, metrics int) bool {
	return float64(metrics)*math.Pow(4, -float64(launches)) <= gateLevels.Alpha
}

func firstAlarm(list []gate.Decision) bool  { return list[0].Verdict == gate.Regressed }
func firstPasses(list []gate.Decision) bool { return list[0].Verdict == gate.NotWorse }

// welchPower is the chance that Welch's two-sided test at the level shows the
// change and that it exceeds the margin: the difference of the means is normal and
// independent of both variances, over which it is averaged.
func welchPower(c gateCase, level float64) float64 {
	const steps = 60 // equal shares of each variance's distribution
	k := float64(c.launches)
	chi := distuv.ChiSquared{K: k - 1}
	quantiles := make([]float64, steps)
	for i := range quantiles {
		quantiles[i] = chi.Quantile((float64(i)+.5)/steps) / (k - 1) // of the variance, relative to the true one
	}
	change, margin := math.Log1p(c.change)/c.spread, math.Log1p(c.margin)/c.spread
	sum := 0.0
	for _, a := range quantiles {
		for _, b := range quantiles {
			df := (k - 1) * (a + b) * (a + b) / (a*a + b*b)
			critical := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile(1-level/2) * math.Sqrt((a+b)/k)
			sum += distuv.UnitNormal.Survival((max(critical, margin) - change) / math.Sqrt(2/k))
		}
	}
	return sum / (steps * steps)
}
