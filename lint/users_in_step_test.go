package lint

import (
	"math/rand/v2"
	"strings"
	"testing"

	"assay/finding"
	"assay/plan"
	"assay/spec"
)

// A loop is a made-up closed loop: users who ask again as soon as they are answered.
type loop struct {
	users  int
	rounds int
	start  func(random *rand.Rand) float64 // of each user, in answers
	answer func(random *rand.Rand) float64 // how long each takes
}

const loopAnswer = 1e9 // ns

func together(*rand.Rand) float64      { return 0 }
func anywhere(r *rand.Rand) float64    { return r.Float64() }
func equal(*rand.Rand) float64         { return 1 }
func uneven(r *rand.Rand) float64      { return .5 + r.Float64() }
func nearlyEqual(r *rand.Rand) float64 { return 1 + .001*r.NormFloat64() }

// crowds judges a loop as the tally of a launch would.
func (l loop) crowds(random *rand.Rand) Crowds {
	s := newSends(plan.Point{Concurrency: l.users})
	free := make([]float64, l.users) // when each may ask, in answers
	for user := range free {
		free[user] = l.start(random)
	}
	for range l.rounds {
		for user, at := range free {
			took := l.answer(random)
			first := int64((at + took/10) * loopAnswer)
			s.add(requestRow{User: int32(user), Sent: int64(at * loopAnswer), First: &first})
			free[user] += took
		}
	}
	return s.crowds(loopAnswer / 1e9)
}

// inStep is what the check says about launches of one point.
func inStep(point plan.Point, launches ...Crowds) Answer {
	f := &Facts{}
	f.Plan.Points = []plan.Point{point}
	f.Plan.Run.Spec.Load = &spec.Load{}
	for i, c := range launches {
		f.Tally.Points = append(f.Tally.Points, PointTally{Launch: i, Crowds: c})
	}
	return usersInStep(f)
}

// Users who begin together and get answers of one length stay together, however
// many they are; users who begin anywhere stay apart.
func TestUsersInStep(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	f := func(l loop, want string) {
		t.Helper()
		answer := inStep(plan.Point{Name: "p", Concurrency: l.users}, l.crowds(random))
		switch {
		case want == "" && len(answer.Findings) == 0 && answer.Missing == "":
		case strings.HasPrefix(want, "want ") && strings.Contains(answer.Missing, want) && len(answer.Findings) == 0:
		case want != "" && len(answer.Findings) == 1 && strings.Contains(answer.Findings[0].Message, want) && answer.Findings[0].Severity == finding.Caution:
		default:
			t.Errorf("%d users, %d rounds: %+v, want %q", l.users, l.rounds, answer, want)
		}
	}
	for _, users := range []int{8, 32, 1000} {
		f(loop{users, 10, together, equal}, "100 % of the other")
		f(loop{users, 10, together, nearlyEqual}, "100 % of the other")
		f(loop{users, 10, anywhere, equal}, "")
		f(loop{users, 10, anywhere, nearlyEqual}, "")
		f(loop{users, 10, anywhere, uneven}, "")
	}
	f(loop{64, 200, together, uneven}, "") // they lose step at once
	f(loop{20_000, 3, together, equal}, "100 % of the other 19999 ask within the same 100 ms (independent users: 10 %)")
	f(loop{1, 100, together, equal}, "")
	f(loop{4, 100, together, equal}, "want those of at least 5 users") // chance may put so few together
	f(loop{8, 1, together, equal}, "want those of at least 5 users, 2 of each")
}

// Chance does not put users in step in one launch of a thousand, of whatever number
// of users. With answers of one length their phases never change.
func TestUsersInStepByChance(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	found := 0
	for range 1000 {
		for _, users := range []int{5, 6, 8, 12, 16, 32} {
			crowds := loop{users, 3, anywhere, equal}.crowds(random)
			found += len(inStep(plan.Point{Concurrency: users}, crowds).Findings)
		}
	}
	if found > 3 {
		t.Errorf("%d of 6000 launches of independent users are called in step", found)
	}
}

// Partial step is a note, and so is a burst on purpose; most launches decide.
func TestUsersInStepSeverity(t *testing.T) {
	t.Parallel()
	crowds := func(share float64) Crowds {
		return Crowds{Users: 32, Sends: 320, Moment: .1, Share: share, Crowd: .06, Apart: .02}
	}
	f := func(point plan.Point, severity finding.Severity, want string, shares ...float64) {
		t.Helper()
		var launches []Crowds
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
	f(closed, finding.Caution, "60.0 ms in a crowd and 20.0 ms apart from it", .9)
	f(closed, finding.Caution, "of its first half: here 2.00 s", .9)
	f(plan.Point{Concurrency: 32, Warmup: 3e9}, finding.Caution, "such as a target that answers in batches", .9)
	f(closed, finding.Note, "40 % of the other 31", .4)
	f(closed, finding.Caution, "90 %", .1, .9, .95)
	f(closed, "", "", .1, .12, .95)
	f(closed, "", "", .29)
	f(plan.Point{Concurrency: 32, Start: spec.StartTogether}, finding.Note, "load.start: together asks for it", 1)
	f(plan.Point{Concurrency: 32, ThinkTime: 2e9}, "", "", .9)
	f(plan.Point{Concurrency: 32, Arrival: spec.ArrivalPoisson}, "", "", .9)
}

// Those who ask in a crowd are held against those who ask apart from it.
func TestWaitsOfACrowd(t *testing.T) {
	t.Parallel()
	s := newSends(plan.Point{Concurrency: 8})
	for user := range int32(8) {
		for n := range int64(20) {
			sent, wait := n*loopAnswer, int64(60e6)
			if n%2 == 1 { // every other time they are spread
				sent, wait = sent+int64(user)*loopAnswer/9, 20e6
			}
			first := sent + wait
			s.add(requestRow{User: user, Sent: sent, First: &first})
		}
	}
	if got := s.crowds(1); got.Crowd != .06 || got.Apart != .02 || got.Users != 8 || got.Sends != 160 {
		t.Errorf("%+v", got)
	}
	few := Crowds{Users: 8, Moment: .1, Share: 1, Crowd: .06}
	if got := crowdWaits(few); !strings.Contains(got, "too few ask apart") {
		t.Error(got)
	}
}

// What is kept of a window does not grow with it.
func TestSendsAreBounded(t *testing.T) {
	t.Parallel()
	s := newSends(plan.Point{Concurrency: 8})
	for n := range int64(3 * mostSends) {
		s.add(requestRow{User: int32(n % 8), Sent: n})
	}
	open := newSends(plan.Point{Arrival: spec.ArrivalPoisson, Rate: 1})
	open.add(requestRow{User: 0})
	if len(s.list) != mostSends || len(open.list) != 0 {
		t.Errorf("%d and %d are kept", len(s.list), len(open.list))
	}
	if got := s.crowds(16e-9); got.Sends != mostSends-16 {
		t.Errorf("%d are judged, want all but those of the last answer", got.Sends)
	}
}
