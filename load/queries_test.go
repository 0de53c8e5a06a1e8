package load

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"assay/record"
	"assay/target"
)

// startClock begins the clock of a test.
func startClock(t *testing.T) *record.Clock {
	t.Helper()
	clock, err := record.StartClock()
	if err != nil {
		t.Fatal(err)
	}
	return clock
}

// Queries follow each other, their samples go together, and the point lasts
// until both minima are met.
func TestQueries(t *testing.T) {
	second := time.Second
	for _, tt := range []struct {
		name             string
		queries          Queries
		warmup, measured int // calls
		most             int
		window           time.Duration
	}{
		{"until the time is over", Queries{Samples: 1, InFlight: 1, MinQueries: 3, MinDuration: 10 * second}, 0, 10, 1, 10 * second},
		{"until there are enough", Queries{Samples: 8, InFlight: 8, MinQueries: 15, MinDuration: 10 * second}, 0, 120, 8, 15 * second},
		{"no longer than allowed", Queries{Samples: 8, InFlight: 8, MinQueries: 15, MinDuration: second, MaxDuration: 5 * second}, 0, 40, 8, 5 * second},
		{"once", Queries{Samples: 100, InFlight: 25, MinQueries: 1, MinDuration: time.Hour, Once: true}, 0, 100, 25, 4 * second},
		{"after a warm-up", Queries{Samples: 2, InFlight: 2, Warmup: 3 * second, MinQueries: 2, MinDuration: second}, 6, 4, 2, 2 * second},
		{"after some queries", Queries{Samples: 2, InFlight: 2, WarmupQueries: 2, MinQueries: 2, MinDuration: second}, 4, 4, 2, 2 * second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				clock := startClock(t)
				do := &stub{service: second, clock: clock}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var begin, end int64
				tt.queries.Entered = func(phase record.Phase, at int64) {
					if phase == record.Measure {
						begin = at
					} else {
						end = at
					}
				}
				tally := &Tally{}
				tt.queries.Tally = tally
				if err := tt.queries.Run(ctx, clock, endless(ctx), do, func(*target.Raw) {}); err != nil {
					t.Fatal(err)
				}
				if do.count(record.Warmup) != tt.warmup || do.count(record.Measure) != tt.measured || do.most != tt.most {
					t.Errorf("%d warm-up and %d measured calls, %d at once, want %d, %d and %d", do.count(record.Warmup), do.count(record.Measure), do.most, tt.warmup, tt.measured, tt.most)
				}
				if got := time.Duration(end - begin).Round(10 * time.Millisecond); got != tt.window {
					t.Errorf("the window lasted %v, want %v", got, tt.window)
				}
				if tally.Begun.Load() != int64(tt.warmup+tt.measured) || tally.Most.Load() != int64(tt.most) {
					t.Errorf("tally: %d begun, %d at most", tally.Begun.Load(), tally.Most.Load())
				}
			})
		})
	}
}

// The end of a run cuts a query short and is not mistaken for its end.
func TestQueriesEndEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := startClock(t)
		ctx, cancel := context.WithCancelCause(t.Context())
		reason := errors.New("enough")
		time.AfterFunc(1500*time.Millisecond, func() { cancel(reason) })
		kept := 0
		err := Queries{Samples: 1, InFlight: 1, MinQueries: 10}.Run(ctx, clock, endless(ctx), &stub{service: time.Second, clock: clock}, func(*target.Raw) { kept++ })
		if !errors.Is(err, reason) || kept != 2 {
			t.Errorf("ended with %v after %d calls, want %v after 2", err, kept, reason)
		}
	})
	calls := make(chan target.Prepared)
	close(calls)
	if err := (Queries{Samples: 1, InFlight: 1, MinQueries: 1}).Run(t.Context(), startClock(t), calls, &stub{}, nil); !errors.Is(err, errQueryShort) {
		t.Errorf("without calls: %v", err)
	}
}
