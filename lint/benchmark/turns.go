package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"assay/analysis/compare"
	"assay/analysis/gate"
	"assay/metric"
	"assay/stats"
)

// A turn is a gate about two systems, measured in blocks or in two runs whose days differ.
type turn struct {
	blocks   bool
	metrics  int
	launches int
	spread   float64 // from launch to launch
	day      float64 // from run to run
}

var turns = []turn{
	{true, 1, 3, .02, 0}, {true, 1, 5, .02, 0}, {true, 1, 10, .02, 0},
	{true, 5, 3, .02, 0}, {true, 5, 5, .02, 0},
	{false, 1, 3, .03, 0}, {false, 1, 5, .03, 0},
	{false, 5, 3, .03, 0}, {false, 5, 5, .03, 0},
	{false, 1, 3, .02, .03}, {false, 1, 5, .02, .03}, {false, 1, 10, .02, .03},
	{false, 1, 3, .02, .05}, {false, 1, 10, .02, .05},
	{false, 5, 5, .02, .05},
	{false, 1, 5, .01, .03},
}

// turnChanges are by how much the first metric of the candidate is worse.
var turnChanges = []float64{0, .02, .05, .10}

// turnMargin is what a gate tolerates.
const turnMargin = .02

// behindOracle is how many of 100 regressions a gate in blocks may see less than somebody
// who knows the spread.
const behindOracle = .10

// turnTable asks gates about equal candidates and worse ones.
func turnTable(trials int, seed int64) (Table, error) {
	t := Table{
		Title:   "The gate (" + gate.Rule + ") beside others: blocks, two runs, and days that differ",
		Columns: []string{"measured", "metrics", "launches each", "launch spread", "day spread", "assay", "passed though 5 % worse %", "Welch's or paired t, Holm", "an oracle", "wanted"},
		Notes: []string{
			"Cells are how often a candidate that is 0 / 2 / 5 / 10 % worse in its first metric is called regressed, in %, at a margin of 2 % and alpha 5 %. At 0 % any metric counts.",
			"The oracle knows the spread of launches and of days and corrects by Bonferroni. In two runs it has no power worth naming: blocks do.",
			"Wanted: at 0 % no more than 5; in blocks no more than 10 less than the oracle at 5 and 10 %. A pass of two runs says that it holds for this sitting, which is what the column of false passes shows where days differ.",
		},
	}
	for _, c := range turns {
		got, oracle, student := c.rates(trials, seed)
		most := .05 + 2*standardError(.05, trials)
		well := got.regressed[0] <= most
		want := "0 %: ≤ 5"
		if c.blocks {
			want = "0 %: ≤ 5, else oracle − 10"
			for i := 2; i < len(turnChanges); i++ {
				well = well && got.regressed[i] >= oracle[i]-behindOracle-2*standardError(.5, trials)
			}
			well = well && got.falsePass <= most
		}
		how := "two runs"
		if c.blocks {
			how = "blocks"
		}
		t.Rows = append(t.Rows, Row{[]string{
			how, fmt.Sprint(c.metrics), fmt.Sprint(c.launches), percent(c.spread), percent(c.day),
			ratesText(got.regressed), gatePercent(got.falsePass), ratesText(student), ratesText(oracle), want,
		}, verdictOf(well)})
	}
	return t, nil
}

func ratesText(rates []float64) string {
	var cells []string
	for _, r := range rates {
		cells = append(cells, fmt.Sprintf("%.0f", 100*r))
	}
	return slashed(cells)
}

type turnRates struct {
	regressed []float64 // by place in turnChanges
	falsePass float64
}

// rates are those of the gate, of an oracle and of a t test.
func (c turn) rates(trials int, seed int64) (got turnRates, oracle, student []float64) {
	for i, change := range turnChanges {
		mine, known, plain, passed := make([]bool, trials), make([]bool, trials), make([]bool, trials), make([]bool, trials)
		simulate(trials, seed+int64(i), func(trial int, rng *rand.Rand) {
			questions := c.questions(change, rng)
			list := gate.Decide(questions, gateLevels)
			mine[trial], passed[trial] = list[0].Verdict == gate.Regressed, allPass(list)
			if change == 0 {
				mine[trial] = anyAlarm(list)
			}
			known[trial], plain[trial] = c.oracle(questions, change == 0), byStudent(questions, change == 0)
		})
		got.regressed = append(got.regressed, shareOf(mine))
		oracle, student = append(oracle, shareOf(known)), append(student, shareOf(plain))
		if change == .05 {
			got.falsePass = shareOf(passed)
		}
	}
	return got, oracle, student
}

// questions draws one gate; lower is better.
func (c turn) questions(change float64, rng *rand.Rand) []gate.Question {
	list := make([]gate.Question, c.metrics)
	for i := range list {
		v := compare.Values{A: make([]float64, c.launches), B: make([]float64, c.launches), Paired: c.blocks}
		dayA, dayB := c.day*rng.NormFloat64(), c.day*rng.NormFloat64()
		for launch := range c.launches {
			v.A[launch], v.B[launch] = math.Exp(dayA+c.spread*rng.NormFloat64()), math.Exp(dayB+c.spread*rng.NormFloat64())
			if i == 0 {
				v.B[launch] *= 1 + change
			}
		}
		list[i] = gate.Question{Better: metric.Lower, Margin: turnMargin, Values: v}
		if !c.blocks {
			list[i].Runs = gate.Undeclared()
		}
	}
	return list
}

// oracle knows the standard error; any asks about every metric and not the first alone.
func (c turn) oracle(questions []gate.Question, any bool) bool {
	se := math.Sqrt(2/float64(c.launches)*c.spread*c.spread + 2*c.day*c.day)
	limit := max(se*distuv.UnitNormal.Quantile(1-gateLevels.Alpha/2/float64(c.metrics)), math.Log1p(turnMargin))
	loses := func(q gate.Question) bool { return meanLog(q.Values.B)-meanLog(q.Values.A) > limit }
	return loses(questions[0]) || any && slices.ContainsFunc(questions, loses)
}

// byStudent is a t test corrected by Holm, with the margin on the value measured.
func byStudent(questions []gate.Question, any bool) bool {
	p := make([]float64, len(questions))
	for i, q := range questions {
		test, err := q.Values.Test()
		if p[i] = test.P; err != nil {
			p[i] = 1
		}
	}
	for i, corrected := range stats.Holm(p) {
		worse := meanLog(questions[i].Values.B)-meanLog(questions[i].Values.A) > math.Log1p(turnMargin)
		if (i == 0 || any) && worse && corrected <= gateLevels.Alpha {
			return true
		}
	}
	return false
}

func meanLog(xs []float64) float64 {
	logs := make([]float64, len(xs))
	for i, x := range xs {
		logs[i] = math.Log(x)
	}
	return stat.Mean(logs, nil)
}
