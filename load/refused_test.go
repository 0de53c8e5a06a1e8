package load

import (
	"context"
	"net"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"assay/record"
	"assay/target"
)

// A user who finds no server asks again after a pause, whose end is when the
// next call is due: a dead server must not be asked as fast as it can refuse.
func TestRefusedUsersPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		clock, err := record.StartClock()
		if err != nil {
			t.Fatal(err)
		}
		begin := clock.Now()
		var dues []int64
		refuse := doerFunc(func(_ context.Context, p target.Prepared, due int64) *target.Raw {
			dues = append(dues, due-begin)
			return target.Unsent(p, due, clock.Now(), &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED})
		})
		if err := (Closed{Users: 1, Measure: time.Second}).Run(ctx, clock, endless(ctx), refuse, func(*target.Raw) {}); err != nil {
			t.Fatal(err)
		}
		if len(dues) < 10 || len(dues) > 11 {
			t.Errorf("a user asked a dead server %d times in a second, want 10", len(dues))
		}
		for k, due := range dues {
			if want := int64(k) * int64(100*time.Millisecond); due != want {
				t.Errorf("call %d was due after %v, want %v", k, time.Duration(due), time.Duration(want))
			}
		}
	})
}

type doerFunc func(ctx context.Context, p target.Prepared, due int64) *target.Raw

func (f doerFunc) Do(ctx context.Context, p target.Prepared, due int64) *target.Raw {
	return f(ctx, p, due)
}
