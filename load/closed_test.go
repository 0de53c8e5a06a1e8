package load

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"assay/record"
	"assay/target"
)

// A stub serves every call in a fixed time, on whatever clock time has.
type stub struct {
	service time.Duration
	clock   *record.Clock

	mu    sync.Mutex
	calls []record.Call
	most  int // calls in flight at once
	now   int
}

func (s *stub) Do(ctx context.Context, p target.Prepared, due int64) *target.Raw {
	s.mu.Lock()
	s.calls = append(s.calls, p.Call)
	s.now++
	s.most = max(s.most, s.now)
	s.mu.Unlock()
	select {
	case <-time.After(s.service):
	case <-ctx.Done():
	}
	s.mu.Lock()
	s.now--
	s.mu.Unlock()
	return &target.Raw{Done: s.clock.Now()}
}

func (s *stub) count(phase record.Phase) int {
	n := 0
	for _, c := range s.calls {
		if c.Phase == phase {
			n++
		}
	}
	return n
}

// endless offers as many calls as users take, until the test ends.
func endless(ctx context.Context) <-chan target.Prepared {
	calls := make(chan target.Prepared)
	go func() { // ends with ctx
		for id := int64(0); ; id++ {
			select {
			case calls <- target.Prepared{Call: record.Call{ID: id}}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return calls
}

func TestClosed(t *testing.T) {
	second := time.Second
	tests := []struct {
		name             string
		closed           Closed
		service          time.Duration
		warmup, measured int
		window           time.Duration
	}{
		// Calls of 300 ms: the warm-up of 1 s holds the four per user that are due
		// from 0 to 0.9 s, the ten measured seconds those due from 1.2 s to 10.8 s.
		{"by time", Closed{Users: 2, Warmup: second, Measure: 10 * second}, 300 * time.Millisecond, 8, 66, 10 * second},
		{"think time", Closed{Users: 1, Measure: 9500 * time.Millisecond, ThinkTime: 700 * time.Millisecond}, 300 * time.Millisecond, 0, 10, 9500 * time.Millisecond},
		{"by count", Closed{Users: 4, Warmup: time.Hour, WarmupCalls: 8, Measure: time.Hour, MeasureCalls: 20}, second, 8, 20, 5 * second},
	}
	for i := range 2 * len(tests) {
		tt, direct := tests[i/2], i%2 == 1
		t.Run(fmt.Sprintf("%s, inline %v", tt.name, direct), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				clock, err := record.StartClock()
				if err != nil {
					t.Fatal(err)
				}
				s := &stub{service: tt.service, clock: clock}
				var do Doer = s
				if direct {
					do = inline{s, t}
				}
				var mu sync.Mutex
				kept := 0
				var begin, end int64
				tt.closed.Entered = func(phase record.Phase, at int64) {
					switch phase {
					case record.Measure:
						begin = at
					case record.Cooldown:
						end = at
					}
				}
				err = tt.closed.Run(ctx, clock, endless(ctx), do, func(*target.Raw) { mu.Lock(); kept++; mu.Unlock() })
				if err != nil {
					t.Fatal(err)
				}
				if got := s.count(record.Warmup); got != tt.warmup {
					t.Errorf("warm-up calls = %d, want %d", got, tt.warmup)
				}
				if got := s.count(record.Measure); got != tt.measured {
					t.Errorf("measured calls = %d, want %d", got, tt.measured)
				}
				if kept != len(s.calls) {
					t.Errorf("kept %d exchanges of %d calls", kept, len(s.calls))
				}
				if s.most != tt.closed.Users {
					t.Errorf("most calls in flight = %d, want %d", s.most, tt.closed.Users)
				}
				if got := time.Duration(end - begin).Round(10 * time.Millisecond); got != tt.window {
					t.Errorf("window = %v, want %v", got, tt.window)
				}
			})
		})
	}
}

// A cancelled run keeps what was in flight and says why it ended.
func TestClosedCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		clock, err := record.StartClock()
		if err != nil {
			t.Fatal(err)
		}
		full := errors.New("disk full")
		time.AfterFunc(1500*time.Millisecond, func() { cancel(full) })
		s := &stub{service: time.Second, clock: clock}
		var mu sync.Mutex
		kept := 0
		err = Closed{Users: 3, Measure: time.Hour}.Run(ctx, clock, endless(ctx), s, func(*target.Raw) { mu.Lock(); kept++; mu.Unlock() })
		if !errors.Is(err, full) {
			t.Errorf("error = %v, want %v", err, full)
		}
		if kept != 6 {
			t.Errorf("kept %d exchanges, want 6: three ended, three were cut", kept)
		}
	})
}

// Users begin spread over a time, as the seed says, and not in step.
func TestClosedSpread(t *testing.T) {
	starts := func(seed int64, spread time.Duration) (list []time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			clock, err := record.StartClock()
			if err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			var mu sync.Mutex
			do := doing(func(ctx context.Context) *target.Raw {
				mu.Lock()
				list = append(list, time.Since(begin))
				mu.Unlock()
				<-ctx.Done() // the first call of each user is its last
				return &target.Raw{Done: clock.Now()}
			})
			_ = Closed{Users: 8, Warmup: 2 * time.Second, Measure: time.Second, Spread: spread, SpreadSeed: seed}.Run(ctx, clock, endless(ctx), do, func(*target.Raw) {})
		})
		slices.Sort(list)
		return list
	}
	together, first, again, other := starts(1, 0), starts(1, time.Second), starts(1, time.Second), starts(2, time.Second)
	if len(together) != 8 || together[7] != 0 {
		t.Errorf("without a spread users begin at %v, want all at once", together)
	}
	if len(first) != 8 || first[7]-first[0] < 300*time.Millisecond || first[7] > time.Second {
		t.Errorf("users begin at %v, want them spread over a second", first)
	}
	if !slices.Equal(first, again) || slices.Equal(first, other) {
		t.Errorf("one seed gives %v and %v, another %v", first, again, other)
	}
}

// A doing is a Doer that is a function.
type doing func(ctx context.Context) *target.Raw

func (d doing) Do(ctx context.Context, _ target.Prepared, _ int64) *target.Raw { return d(ctx) }
