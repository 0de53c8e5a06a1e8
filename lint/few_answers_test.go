package lint

import (
	"strings"
	"testing"

	"assay/finding"
	"assay/plan"
	"assay/spec"
	"assay/stats"
)

// answered is a launch of eight users whose window of three seconds holds so many
// whole answers, of 1.04 s each.
func answered(whole int) PointTally {
	t := PointTally{End: 3e9, Measured: 24, Whole: whole, Response: stats.NewSketch(sketchError)}
	for range 24 {
		t.Response.Add(1.04)
	}
	return t
}

// A window of two whole answers per user says so, with the time that holds ten; the
// middle launch decides.
func TestFewAnswers(t *testing.T) {
	t.Parallel()
	f := func(point plan.Point, severity finding.Severity, want string, launches ...PointTally) {
		t.Helper()
		facts := &Facts{}
		facts.Plan.Points = []plan.Point{point}
		facts.Plan.Run.Spec.Load = &spec.Load{}
		facts.Tally.Points = launches
		answer := fewAnswers(facts)
		if want == "" && len(answer.Findings) == 0 && answer.Missing == "" || answer.Missing != "" && strings.Contains(answer.Missing, want) {
			return
		}
		if len(answer.Findings) != 1 || answer.Findings[0].Severity != severity || !strings.Contains(answer.Findings[0].Message+answer.Findings[0].Fix, want) {
			t.Errorf("%+v, want %q", answer, want)
		}
	}
	closed := plan.Point{Name: "p", Concurrency: 8}
	f(closed, finding.Note, "p: the window of 3.00 s holds 2 whole answers per user", answered(16))
	f(closed, finding.Note, "until every user has ten answers: here for 12 s", answered(16))
	f(closed, finding.Caution, "holds 0 whole answers", answered(0))
	f(closed, "", "", answered(24))
	f(closed, "", "", answered(16), answered(24), answered(24))
	f(closed, finding.Note, "holds 2 whole", answered(16), answered(16), answered(24))
	f(closed, finding.Note, "the end of a measured window", PointTally{Response: stats.NewSketch(sketchError)})
	counted := closed
	counted.Requests = 16
	f(counted, finding.Note, "with load.requests of at least 88", answered(16))
	pausing := closed
	pausing.ThinkTime = 1e9
	f(pausing, finding.Note, "here for 23 s", answered(8))
	f(plan.Point{Concurrency: 8, Arrival: spec.ArrivalPoisson}, "", "", answered(0))
	f(plan.Point{Concurrency: 8, Stages: []spec.Stage{{}}}, "", "", answered(0))
}
