package steady

import (
	"math"
	"math/rand/v2"
	"testing"

	"assay/metric"
	"assay/record"
)

// A loop is a made-up closed loop: users who ask again as soon as they are answered.
type loop struct {
	users  int
	rounds int
	start  func(random *rand.Rand) float64 // of each user, in seconds
	answer func(random *rand.Rand) float64 // how long each takes, about a second
}

func together(*rand.Rand) float64      { return 0 }
func anywhere(r *rand.Rand) float64    { return r.Float64() }
func equal(*rand.Rand) float64         { return 1 }
func nearlyEqual(r *rand.Rand) float64 { return 1 + .001*r.NormFloat64() }
func uneven(r *rand.Rand) float64      { return .5 + r.Float64() }

// asked is a measured call; first is 0 without output.
func asked(user int, sent, first, done int64) call {
	t := &metric.Timeline{Request: record.Request{User: int32(user), Sent: sent, Done: done}}
	if first > 0 {
		t.Events = []record.Chunk{{At: first, Kind: record.Content}}
	}
	return call{Timeline: t, measured: true}
}

func (l loop) calls(random *rand.Rand) []call {
	var list []call
	free := make([]float64, l.users) // when each may ask
	for user := range free {
		free[user] = l.start(random)
	}
	for range l.rounds {
		for user, at := range free {
			free[user] += l.answer(random)
			list = append(list, asked(user, int64(at*1e9), int64((at+.1)*1e9), int64(free[user]*1e9)))
		}
	}
	return list
}

// Users who begin together and get answers of one length stay together, however many
// they are. Users who begin anywhere stay apart, and so do those whose answers differ.
func TestCrowds(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	f := func(l loop, least, most float64) {
		t.Helper()
		got := crowds(l.calls(random))
		if got.Share < least || got.Share > most || got.Users != l.users || math.Abs(got.Moment-.1) > .01 {
			t.Errorf("%d users, %d rounds: %+v, want a share of %v to %v", l.users, l.rounds, *got, least, most)
		}
	}
	for _, users := range []int{8, 32, 1000} {
		f(loop{users, 10, together, equal}, 1, 1)
		f(loop{users, 10, together, nearlyEqual}, .99, 1)
		f(loop{users, 10, anywhere, equal}, 0, .1+3.5/float64(users))
		f(loop{users, 10, anywhere, nearlyEqual}, 0, .1+3.5/float64(users))
		f(loop{users, 10, anywhere, uneven}, 0, .1+3.5/float64(users))
	}
	f(loop{64, 200, together, uneven}, 0, .15) // they lose step at once
	f(loop{10_000, 3, together, equal}, 1, 1)
	if got := crowds(loop{1, 100, together, equal}.calls(random)); got != nil {
		t.Errorf("a user alone: %+v", got)
	}
	open := asked(-1, 0, 0, 0)
	if got := crowds([]call{open, open}); got != nil {
		t.Errorf("an open loop: %+v", got)
	}
}

// Independent users with answers of one length keep the phases that they drew: what the
// check users-in-step allows for chance is seldom exceeded, whatever their number.
func TestCrowdsOfChance(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	found := 0
	for range 1000 {
		for _, users := range []int{5, 6, 8, 12, 16, 32} {
			if got := crowds(loop{users, 3, anywhere, equal}.calls(random)); got.Share >= .1+3.5/float64(users) {
				found++
			}
		}
	}
	if found > 3 {
		t.Errorf("%d of 6000 launches of independent users are beyond chance", found)
	}
}

// Those who ask in a crowd are held against those who ask apart from it, and a user who
// asks several times in a moment is one.
func TestWaitsOfACrowd(t *testing.T) {
	t.Parallel()
	var list []call
	for user := range int32(8) {
		for n := range int64(20) {
			sent, wait := n*1e9, int64(60e6)
			if n%2 == 1 { // every other time they are spread
				sent, wait = sent+int64(user)*1e9/9, 20e6
			}
			list = append(list, asked(int(user), sent, sent+wait, sent+1e9))
		}
	}
	if got := crowds(list); *got.Crowd != .06 || *got.Apart != .02 || got.Users != 8 || got.Requests != 160 {
		t.Errorf("%+v", got)
	}
	hasty := make([]call, 50)
	for i := range hasty {
		hasty[i] = asked(i/25, int64(i)*1e6, 0, int64(i)*1e6+1e9)
	}
	if got := crowds(hasty); got.Share > 1 || got.Crowd != nil {
		t.Errorf("%+v, want two users at most", got)
	}
}

// What is looked at does not grow with the window.
func TestCrowdsAreBounded(t *testing.T) {
	t.Parallel()
	if got := crowds(loop{8, mostAsks / 4, together, equal}.calls(rand.New(rand.NewPCG(5, 6)))); got.Requests != mostAsks {
		t.Errorf("%d are looked at, want %d", got.Requests, mostAsks)
	}
}
