package lint

import (
	"strings"
	"testing"

	"assay/analysis/steady"
	"assay/finding"
	"assay/plan"
	"assay/spec"
)

// inStep is what the check says about launches of one point.
func inStep(point plan.Point, launches ...steady.Crowds) Answer {
	f := &Facts{}
	f.Plan.Points = []plan.Point{point}
	f.Plan.Run.Spec.Load = &spec.Load{}
	for i, c := range launches {
		f.Tally.Points = append(f.Tally.Points, PointTally{Launch: i})
		f.Steady.Points = append(f.Steady.Points, steady.Point{Launch: i, Crowds: &c})
	}
	return usersInStep(f)
}

// Partial step is a note, and so is a burst on purpose; most launches decide.
func TestUsersInStepSeverity(t *testing.T) {
	t.Parallel()
	crowd, apart := .06, .02
	crowds := func(share float64) steady.Crowds {
		return steady.Crowds{Users: 32, Requests: 320, Moment: .1, Share: share, Crowd: &crowd, Apart: &apart}
	}
	f := func(point plan.Point, severity finding.Severity, want string, shares ...float64) {
		t.Helper()
		var launches []steady.Crowds
		for _, share := range shares {
			launches = append(launches, crowds(share))
		}
		list := inStep(point, launches...).Findings
		if severity == "" && len(list) == 0 {
			return
		}
		if len(list) != 1 || list[0].Severity != severity || !strings.Contains(list[0].Message+list[0].Fix, want) {
			t.Errorf("%v: %+v, want %s %q", shares, list, severity, want)
		}
	}
	closed := plan.Point{Name: "p", Concurrency: 32}
	f(closed, finding.Caution, "TTFT p50 is 60.0 ms in the crowd and 20.0 ms apart from it", .9)
	f(closed, finding.Caution, "of its first half: here 2.00 s", .9)
	f(plan.Point{Concurrency: 32, Warmup: 3e9}, finding.Caution, "such as a target that answers in batches", .9)
	f(closed, finding.Note, "24 % of the other 31", .24)
	f(closed, finding.Caution, "90 %", .1, .9, .95)
	f(closed, "", "", .1, .12, .95)
	f(closed, "", "", .2) // chance
	f(plan.Point{Concurrency: 32, Start: spec.StartTogether}, finding.Note, "load.start: together asks for it", 1)
	f(plan.Point{Concurrency: 32, ThinkTime: 2e9}, "", "", .9)
	f(plan.Point{Concurrency: 32, Arrival: spec.ArrivalPoisson}, "", "", .9)
}

// Few users, and few requests of each, may be in step by chance; a user alone cannot be.
func TestUsersInStepCannotTell(t *testing.T) {
	t.Parallel()
	f := func(point plan.Point, c steady.Crowds, want string) {
		t.Helper()
		if answer := inStep(point, c); len(answer.Findings) > 0 || !strings.HasPrefix(answer.Missing, want) || want == "" && answer.Missing != "" {
			t.Errorf("%+v: %+v, want %q", c, answer, want)
		}
	}
	f(plan.Point{Name: "p", Concurrency: 4}, steady.Crowds{Users: 4, Requests: 400, Moment: .1, Share: 1}, "requests at p: want those of at least 5 users")
	f(plan.Point{Name: "p", Concurrency: 8}, steady.Crowds{Users: 8, Requests: 8, Moment: .1, Share: 1}, "requests at p: want those of at least 5 users, 2 of each")
	f(plan.Point{Concurrency: 1}, steady.Crowds{}, "")
	f(plan.Point{Concurrency: 8}, steady.Crowds{Users: 8, Requests: 80, Moment: .1, Share: .5}, "") // chance
	f(plan.Point{Concurrency: 8, Stages: []spec.Stage{{}}}, steady.Crowds{Users: 8, Requests: 80, Moment: .1, Share: 1}, "")
}

// Of users who began together less is asked than of those whom chance may have gathered.
func TestUsersInStepAfterABurst(t *testing.T) {
	t.Parallel()
	f := func(start string, share float64, want int) {
		t.Helper()
		list := inStep(plan.Point{Concurrency: 8, Start: start}, steady.Crowds{Users: 8, Requests: 300, Moment: .026, Share: share}).Findings
		if len(list) != want || want > 0 && list[0].Severity != finding.Note {
			t.Errorf("start %q, %v: %+v, want %d notes", start, share, list, want)
		}
	}
	f(spec.StartTogether, .36, 1)
	f(spec.StartTogether, .25, 0) // they may have parted
	f(spec.StartSpread, .36, 0)
	f("", .36, 0)
}

// The message says what the run knows about TTFT in a crowd.
func TestCrowdWaits(t *testing.T) {
	t.Parallel()
	wait, near := .06, .05
	for want, c := range map[string]steady.Crowds{
		"TTFT p50 is 60.0 ms in the crowd, and this run cannot say": {Crowd: &wait},
		"60.0 ms in the crowd, and this run cannot say what":        {Crowd: &wait, Apart: &near},
		"too rare to tell": {Apart: &wait},
	} {
		if got := crowdWaits(c); !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
