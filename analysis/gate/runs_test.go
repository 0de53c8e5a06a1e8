package gate

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"assay/analysis/compare"
	"assay/metric"
	"assay/stats"
)

func declared(spread float64) RunSpread { return RunSpread{Spread: spread, Known: true} }

// A system and itself, on two days that differ by 3 to 5 % while launches spread by 2 %, is
// called regressed in 3 % of gates at most; by launches alone it would be in a quarter and
// more. In blocks nothing changes.
func TestRunsOfOneSystem(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	draw := func(k int, spread, day float64) []float64 {
		list, of := make([]float64, k), math.Exp(day*random.NormFloat64())
		for i := range list {
			list[i] = of * math.Exp(spread*random.NormFloat64())
		}
		return list
	}
	const trials = 2000
	for _, tt := range []struct {
		day         float64
		k           int
		runs        RunSpread
		worse       float64
		least, most float64 // of gates that say regressed
		falsePasses float64 // of those that pass what is worse by its margin or more
	}{
		{.03, 3, Undeclared(false), 0, 0, .03, 1}, {.03, 10, Undeclared(false), 0, 0, .03, 1}, {.05, 3, Undeclared(false), 0, 0, .03, 1}, {.03, 5, Undeclared(true), .05, 0, .05, .01}, {.05, 10, Undeclared(false), 0, 0, .035, 1},
		{.03, 10, declared(.03), 0, 0, .035, 1}, {.05, 5, declared(.05), .02, 0, .06, .06}, {.03, 5, declared(.03), .05, 0, .23, .06},
		{.05, 10, RunSpread{}, 0, .35, 1, 1}, {0, 10, RunSpread{}, .05, .97, 1, 0}, {.01, 10, Undeclared(false), .25, .97, 1, 0}, {.01, 10, declared(.01), .06, .9, 1, 0},
	} {
		regressed, passed := 0, 0
		for range trials {
			q := Question{Better: metric.Lower, Margin: .02, Runs: tt.runs, Values: compare.Values{A: draw(tt.k, .02, tt.day), B: draw(tt.k, .02, tt.day)}}
			for i := range q.Values.B {
				q.Values.B[i] *= 1 + tt.worse
			}
			switch Decide([]Question{q}, levels)[0].Verdict {
			case Regressed:
				regressed++
			case NotWorse:
				passed++
			}
		}
		share, passes := float64(regressed)/trials, float64(passed)/trials
		t.Logf("days %.0f %%, %d launches, spread %+v, worse by %.0f %%: regressed %.1f %%, passed %.1f %%", 100*tt.day, tt.k, tt.runs, 100*tt.worse, 100*share, 100*passes)
		if share < tt.least || share > tt.most || tt.worse > 0 && passes > tt.falsePasses {
			t.Errorf("days %v, %d launches, %+v, worse by %v: regressed in %v, passed in %v; want %v to %v, and %v at most", tt.day, tt.k, tt.runs, tt.worse, share, passes, tt.least, tt.most, tt.falsePasses)
		}
	}
}

func TestRunsSay(t *testing.T) {
	at := func(runs RunSpread, factor float64) Decision {
		return Decide([]Question{{Better: metric.Lower, Margin: .05, Runs: runs, Values: compare.Values{A: noise(5, 1, .01, 1), B: noise(5, factor, .01, 2)}}}, levels)[0]
	}
	for _, tt := range []struct {
		name   string
		d      Decision
		want   Verdict
		reason string
	}{
		{"8 % between two runs", at(Undeclared(false), 1.08), Inconclusive, "two runs of one system, made one after the other, may be as far apart (5 % from run to run, which is allowed for"},
		{"8 % where runs differ by 1 %", at(declared(.01), 1.08), Regressed, "significantly worse"},
		{"8 % in turn", at(RunSpread{}, 1.08), Regressed, "significantly worse"},
		{"25 % between two runs", at(Undeclared(false), 1.25), Regressed, "significantly worse"},
		{"the same", at(Undeclared(false), 1), NotWorse, "; it holds for this sitting"},
		{"the same, hours apart", at(Undeclared(true), 1), Inconclusive, "5 % from run to run, which is allowed for"},
		{"the same where runs differ by 1 %", at(declared(.01), 1), NotWorse, "shown not to be worse"},
		{"the same where runs differ by 4 %", at(declared(.04), 1), Inconclusive, "4 % from run to run, as spec.runSpread says"},
	} {
		if tt.d.Verdict != tt.want || !strings.Contains(tt.d.Reason, tt.reason) {
			t.Errorf("%s: %s because %q, want %s because of %q", tt.name, tt.d.Verdict, tt.d.Reason, tt.want, tt.reason)
		}
	}
}

// What earlier runs know lets three blocks decide: in one metric nearly as often as somebody who
// knows the spread, and in five metrics where they could not decide alone. Two runs made on
// different days are compared with regard to how far apart days are, with as few false alarms.
func TestEarlierRuns(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	const trials = 400
	for _, tt := range []struct {
		name        string
		metrics     int
		blocks      bool
		spread, day float64
		worse       float64
		least, most float64 // of gates that say regressed
	}{
		{"a system and itself, in blocks", 5, true, .02, 0, 0, 0, .06},
		{"5 % worse, one metric", 1, true, .02, 0, .05, .7, .9},
		{"10 % worse, one of five", 5, true, .02, 0, .10, .9, 1},
		{"a system and itself, on two days", 1, false, .02, .03, 0, 0, .06},
		{"a system and itself, on days far apart", 1, false, .02, .08, 0, 0, .06},
		{"20 % worse, on two days", 1, false, .02, .03, .20, .9, 1},
	} {
		run := func(shift float64) []float64 {
			xs, day := make([]float64, 3), math.Exp(tt.day*random.NormFloat64()+shift)
			for i := range xs {
				xs[i] = day * math.Exp(tt.spread*random.NormFloat64())
			}
			return xs
		}
		regressed := 0
		for range trials {
			earlier := make([][]float64, 20)
			for i := range earlier {
				earlier[i] = run(0)
			}
			past, err := stats.LearnPast(earlier)
			if err != nil {
				t.Fatal(err)
			}
			if tt.blocks {
				past = past.OfLaunches()
			}
			questions := make([]Question, tt.metrics)
			for i := range questions {
				worse := tt.worse
				if i > 0 {
					worse = 0
				}
				questions[i] = Question{Better: metric.Lower, Margin: .02, Values: compare.Values{A: run(0), B: run(math.Log1p(worse)), Paired: tt.blocks, Past: &past}}
			}
			if slices.ContainsFunc(Decide(questions, levels), func(d Decision) bool { return d.Verdict == Regressed }) {
				regressed++
			}
		}
		if share := float64(regressed) / trials; share < tt.least || share > tt.most {
			t.Errorf("%s: regressed in %.3f, want %v to %v", tt.name, share, tt.least, tt.most)
		}
	}
}
