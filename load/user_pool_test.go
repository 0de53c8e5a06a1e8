package load

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"assay/record"
	"assay/target"
	"assay/workload/arrival"
)

func TestLevels(t *testing.T) {
	f := func(profile arrival.Profile, want string) {
		t.Helper()
		if got := fmt.Sprint(Levels(profile)); got != want {
			t.Errorf("%v: levels %v, want %v", profile, got, want)
		}
	}
	second := time.Second
	f(arrival.Profile{{Duration: second, To: 3}, {Duration: second, From: 3, To: 1}, {Duration: second, From: 1, To: 1}}, "[{0s 3} {1s 1}]")
	f(arrival.Profile{{Duration: 4 * second, To: 4, Curve: arrival.Linear}}, "[{0s 0} {500ms 1} {1.5s 2} {2.5s 3} {3.5s 4}]")
	f(arrival.Profile{{Duration: second, To: 2}, {Duration: 2 * second, From: 2, To: 0, Curve: arrival.Linear}}, "[{0s 2} {1.5s 1} {2.5s 0}]")
	// From 1 by equal factors to 4 in 2 s: 1.5 is passed at log₄ 1.5 of it, and so on.
	f(arrival.Profile{{Duration: second, To: 1}, {Duration: 2 * second, From: 1, To: 4, Curve: arrival.Exponential}}, "[{0s 1} {1.5849625s 2} {2.321928094s 3} {2.807354922s 4}]")
	f(arrival.Profile{{Duration: second, To: 1, Curve: arrival.Linear}, {Duration: second, From: 1, To: 0}}, "[{0s 0} {500ms 1} {1s 0}]")
}

// A flow notes when calls of a stub were sent and by whom.
type flow struct {
	stub
	sent []time.Duration
}

func (f *flow) Do(ctx context.Context, p target.Prepared, due int64) *target.Raw {
	f.mu.Lock()
	f.sent = append(f.sent, time.Duration(f.clock.Now()))
	f.mu.Unlock()
	return f.stub.Do(ctx, p, due)
}

// Users come and go with the levels, a number at a time, and two shards together
// do what one does.
func TestClosedStages(t *testing.T) {
	profile := arrival.Profile{
		{Duration: 4 * time.Second, To: 4, Curve: arrival.Linear},
		{Duration: 2 * time.Second, From: 4, To: 1},
		{Duration: 2 * time.Second, From: 1, To: 3},
	}
	// Calls of 97 ms, so that none ends as a level begins. By seconds: half a second of one user, then of two, of
	// three, of four, and so on.
	want := []int{5, 15, 25, 35, 10, 10, 30, 30}
	perSecond := func(shard, shards int) (counts []int, numbers []int32) {
		counts = make([]int, len(want))
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			clock, err := record.StartClock()
			if err != nil {
				t.Fatal(err)
			}
			f := &flow{stub: stub{service: 97 * time.Millisecond, clock: clock}}
			c := Closed{Users: (4 - shard + shards - 1) / shards, Shard: shard, Shards: shards, Levels: Levels(profile), Measure: 8 * time.Second}
			if err := c.Run(ctx, clock, endless(ctx), f, func(*target.Raw) {}); err != nil {
				t.Fatal(err)
			}
			for i, at := range f.sent {
				if second := int(at / time.Second); second < len(counts) {
					counts[second]++
				}
				numbers = append(numbers, f.calls[i].User)
			}
		})
		return counts, numbers
	}
	whole, _ := perSecond(0, 1)
	first, even := perSecond(0, 2)
	second, odd := perSecond(1, 2)
	for i, n := range want {
		// A user who leaves ends the call it is at, and one who comes begins at once.
		if whole[i] < n-3 || whole[i] > n+3 {
			t.Errorf("second %d: %d calls, want about %d", i, whole[i], n)
		}
		if whole[i] != first[i]+second[i] {
			t.Errorf("second %d: %d calls, in two shards %d and %d", i, whole[i], first[i], second[i])
		}
	}
	if slices.ContainsFunc(even, func(n int32) bool { return n%2 != 0 }) || slices.ContainsFunc(odd, func(n int32) bool { return n%2 != 1 }) {
		t.Errorf("users %v in shard 0, %v in shard 1", even, odd)
	}
}

// An inline is a stub whose calls have no goroutine: whoever sees their end tells
// done, and must not be held up by it.
type inline struct {
	*stub
	t *testing.T
}

func (i inline) Inline() bool { return true }

func (i inline) Start(ctx context.Context, p target.Prepared, _ int64, done func(*target.Raw)) {
	i.mu.Lock()
	i.calls = append(i.calls, p.Call)
	i.now++
	i.most = max(i.most, i.now)
	i.mu.Unlock()
	var once sync.Once
	end := func() {
		once.Do(func() {
			i.mu.Lock()
			i.now--
			i.mu.Unlock()
			before := i.clock.Now()
			done(&target.Raw{Done: before})
			if i.clock.Now() != before {
				i.t.Error("done waited for something")
			}
		})
	}
	time.AfterFunc(i.service, end)
	context.AfterFunc(ctx, end)
}

var _ Starter = inline{}

// Exchanges wait to be kept while keep is slow, but no more of them than twice the
// users, and whoever ends one is never held up.
func TestShelfBounds(t *testing.T) {
	const users = 4
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		clock, err := record.StartClock()
		if err != nil {
			t.Fatal(err)
		}
		s := inline{&stub{service: 10 * time.Millisecond, clock: clock}, t}
		kept, most := 0, 0
		keep := func(*target.Raw) {
			time.Sleep(30 * time.Millisecond) // a dozen end in the meantime if nothing holds them
			kept++
			s.mu.Lock()
			most = max(most, len(s.calls)-s.now-kept)
			s.mu.Unlock()
		}
		if err := (Closed{Users: users, Measure: 3 * time.Second}).Run(ctx, clock, endless(ctx), s, keep); err != nil {
			t.Fatal(err)
		}
		if kept != len(s.calls) || kept < 90 {
			t.Errorf("kept %d of %d exchanges, want all of a hundred or so", kept, len(s.calls))
		}
		if most > 2*users {
			t.Errorf("%d exchanges waited to be kept, want at most %d", most, 2*users)
		}
	})
}
