package main

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"

	"assay/stats"
)

// A method is one way of making a 95 % interval, with the sample it is given.
type method struct {
	name   string
	sample string // what it is given, in words

	// ranks says that the method chooses among ranks and cannot hit 95 %: it says
	// what it reaches, which is never less.
	ranks bool

	// try makes one sample of the world and the interval from it.
	try func(w world, rng *rand.Rand) (outcome, error)
}

// An outcome is one interval against the truth, or the reason why there is none.
type outcome struct {
	refusal  string
	covered  bool
	achieved float64 // the confidence that the method says it reached
}

// methods are all that make intervals, those of one launch first.
var methods = slices.Concat(requestMethods, launchMethods, sideMethods)

// coverageTable tries every method on every world: it must cover as often as it
// says or refuse.
func coverageTable(trials int, seed int64) (Table, error) {
	t := Table{
		Title:   "Coverage of every interval, 95 % asked",
		Columns: []string{"method", "sample"},
		Notes: []string{
			fmt.Sprintf("Cells are the share of simulated samples whose interval holds the truth, in %%; the promise is %.0f to %.0f, give or take two standard errors of the simulation. A method over ranks cannot hit 95 %% and says what it reaches, which may be more.", 100*leastCoverage, 100*mostCoverage),
			"Where a method refuses some samples, the share is of those it answers. One that refuses most must give a wrong interval in no more than 7 of 100 samples, those it refuses included.",
			"Worlds: requests whose logarithms are normal (spread 0.5) and independent, or AR(1); response times of an M/M/1 queue that is busy 70 % of the time; launches whose level is log-normal (spread 5 %). Launches have 2,000 requests unless the sample says otherwise.",
		},
	}
	for _, w := range worlds {
		t.Columns = append(t.Columns, w.name)
	}
	var told []string // reasons, each with the letter of its place
	letterOf := func(reason string) string {
		if !slices.Contains(told, reason) {
			told = append(told, reason)
		}
		return string(rune('a' + slices.Index(told, reason)))
	}
	for _, m := range methods {
		row := Row{Cells: []string{m.name, m.sample}, Verdict: Kept}
		for at, w := range worlds {
			got, err := tally(m, w, trials, seed+int64(at))
			if err != nil {
				return t, fmt.Errorf("%s on %s: %w", m.name, w.name, err)
			}
			letter := ""
			if got.refused > 0 {
				letter = letterOf(got.reason)
			}
			row.Cells = append(row.Cells, got.cell(m, letter))
			if !got.kept(m) {
				row.Verdict = Broken
			}
		}
		t.Rows = append(t.Rows, row)
	}
	for _, reason := range told {
		t.Notes = append(t.Notes, fmt.Sprintf("(%s) %s.", letterOf(reason), reason))
	}
	return t, nil
}

// A tallied is what became of all the trials of one method in one world.
type tallied struct {
	trials, refused, covered int
	achieved                 float64 // mean over those that were answered
	reason                   string  // of the refusals
}

func tally(m method, w world, trials int, seed int64) (tallied, error) {
	outcomes := make([]outcome, trials)
	failed := make([]error, trials)
	simulate(trials, seed, func(trial int, rng *rand.Rand) {
		outcomes[trial], failed[trial] = m.try(w, rng)
	})
	got := tallied{trials: trials}
	for i, o := range outcomes {
		switch {
		case failed[i] != nil:
			return got, failed[i]
		case o.refusal != "":
			got.refused++
			got.reason = o.refusal
		default:
			got.achieved += o.achieved
			if o.covered {
				got.covered++
			}
		}
	}
	got.achieved /= float64(max(1, got.answered()))
	return got, nil
}

func (t tallied) answered() int { return t.trials - t.refused }

func (t tallied) coverage() float64 { return float64(t.covered) / float64(max(1, t.answered())) }

// seldom is the share of answers below which a method counts as refusing: a
// check that sees dependence is a test and misses some.
const seldom = .02

func (t tallied) refuses() bool { return float64(t.answered()) < seldom*float64(t.trials) }

// outwards is what rounding ranks to the outside adds to a coverage.
const outwards = .01

// kept reports whether the promise holds.
func (t tallied) kept(m method) bool {
	if t.refuses() {
		return true
	}
	if m.ranks {
		slack := 2 * standardError(.95, t.answered())
		return t.coverage() >= leastCoverage-slack && t.coverage() <= max(mostCoverage, t.achieved+outwards)+slack
	}
	return withinPromise(t.coverage(), t.answered())
}

func (t tallied) cell(m method, letter string) string {
	if t.refuses() {
		return "refuses (" + letter + ")"
	}
	cell := fmt.Sprintf("%.1f", 100*t.coverage())
	if m.ranks {
		cell += fmt.Sprintf(" (says %.1f)", 100*t.achieved)
	}
	if t.refused*1000 >= t.trials { // what rounds to nothing is left out
		cell += fmt.Sprintf(", refuses %.1f %% (%s)", 100*float64(t.refused)/float64(t.trials), letter)
	}
	return cell
}

// judge turns an estimate into an outcome. A refusal is an error that the method
// documents, or an interval without ends.
func judge(est stats.Estimate, truth float64) outcome {
	if !est.Interval.Bounded() {
		reason := "the interval has no ends"
		if len(est.Warnings) > 0 {
			reason = withoutFigures(est.Warnings[0])
		}
		return outcome{refusal: reason}
	}
	return outcome{covered: est.Interval.Contains(truth), achieved: est.Confidence}
}

// digits are what differs in the warnings of different samples.
var digits = regexp.MustCompile(`\d+`)

func withoutFigures(warning string) string { return digits.ReplaceAllString(warning, "…") }
