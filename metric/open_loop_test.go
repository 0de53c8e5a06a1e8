package metric

import (
	"testing"

	"assay/record"
)

// Ten calls are due in a second; one is dropped, one leaves after the window, and
// one that was due before it leaves inside.
func TestOpenLoop(t *testing.T) {
	point := func(user int32) *Point {
		p := &Point{Begin: 1e9, End: 2e9}
		for k := range int64(10) {
			at := 1e9 + k*1e8
			r := record.Request{ID: k, Phase: record.Measure, User: user, Due: at, Sent: at, Done: at + 1e6, Result: record.OK}
			switch k {
			case 3:
				r.Result = record.Dropped
			case 9:
				r.Sent = 21e8
			}
			p.Requests = append(p.Requests, &Timeline{Request: r})
		}
		early := record.Request{ID: 99, Phase: record.Warmup, User: user, Due: 9e8, Sent: 11e8, Result: record.OK}
		p.Requests = append(p.Requests, &Timeline{Request: early})
		return p
	}
	open, closed := point(-1), point(4)
	if got, ok := OfferedRate.Whole(open); !ok || got != 10 {
		t.Errorf("offered rate = %v, %v; want 10", got, ok)
	}
	if got, ok := SentRate.Whole(open); !ok || got != 9 {
		t.Errorf("sent rate = %v, %v; want 9: ten less one dropped and one late, and an early one", got, ok)
	}
	if hits, trials := DropRate.Of.(Share)(open); hits != 1 || trials != 10 {
		t.Errorf("dropped %d of %d, want 1 of 10", hits, trials)
	}
	_, offered := OfferedRate.Whole(closed)
	_, sent := SentRate.Whole(closed)
	if _, trials := DropRate.Of.(Share)(closed); offered || sent || trials != 0 {
		t.Error("a closed loop has rates of an open one")
	}
	given := point(-1)
	given.Requests[0].Result = record.Cancelled
	if failed, all := ErrorRate.Of.(Share)(given); failed != 1 || all != 9 {
		t.Errorf("%d of %d failed, want 1 of 9: a request given up on purpose is neither", failed, all)
	}
}
