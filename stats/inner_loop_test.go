package stats

import (
	"strings"
	"testing"
	"time"
)

// A fakeClock steps by its resolution and takes time to read.
type fakeClock struct {
	real, step, reading time.Duration
	calls               int
}

func (c *fakeClock) now() time.Duration {
	c.real += c.reading
	return c.real / c.step * c.step
}

func (c *fakeClock) work(each time.Duration) func(int) {
	return func(n int) { c.real += time.Duration(n) * each; c.calls++ }
}

func TestClockResolution(t *testing.T) {
	for _, tt := range []struct{ step, reading, want time.Duration }{
		{time.Nanosecond, 40 * time.Nanosecond, 40 * time.Nanosecond}, // no finer than a reading
		{time.Microsecond, 40 * time.Nanosecond, time.Microsecond},
		{15 * time.Millisecond, 100 * time.Nanosecond, 15 * time.Millisecond},
	} {
		c := &fakeClock{step: tt.step, reading: tt.reading}
		resolution, overhead, err := ClockResolution(c.now)
		if err != nil || resolution != tt.want || overhead < tt.reading-1 || overhead > tt.reading+tt.reading/5 {
			t.Errorf("steps of %v, readings of %v: %v and %v, %v", tt.step, tt.reading, resolution, overhead, err)
		}
	}
	at := time.Hour
	if _, _, err := ClockResolution(func() time.Duration { at--; return at }); err == nil || !strings.Contains(err.Error(), "back") {
		t.Errorf("a clock that goes back: %v", err)
	}
	if _, _, err := ClockResolution(func() time.Duration { return 0 }); err == nil {
		t.Error("a clock that stands still was accepted")
	}
}

func TestCalibrateLoop(t *testing.T) {
	for _, tt := range []struct{ step, each time.Duration }{
		{time.Nanosecond, 5 * time.Nanosecond},
		{time.Microsecond, 5 * time.Nanosecond},
		{15 * time.Millisecond, 300 * time.Nanosecond},
		{time.Nanosecond, time.Second},
	} {
		c := &fakeClock{step: tt.step, reading: 40 * time.Nanosecond}
		loop, err := CalibrateLoop(c.now, .01, c.work(tt.each))
		if err != nil || loop.Error > .01 {
			t.Errorf("steps of %v, work of %v: %+v, %v; want an error of one per cent at most", tt.step, tt.each, loop, err)
		}
		// No more than it takes, and few tries on the way.
		if need := 100 * (loop.Resolution + loop.Overhead); loop.Iterations > 1 && time.Duration(loop.Iterations)*tt.each > 2*need || c.calls > 14 {
			t.Errorf("%d iterations of %v in %d tries, %v are needed", loop.Iterations, tt.each, c.calls, need)
		}
		region := time.Duration(loop.Iterations) * tt.each
		if off := (loop.Region - region).Abs(); float64(off) > .01*float64(region)+float64(loop.Overhead) {
			t.Errorf("region %v, really %v: off by more than the clock explains", loop.Region, region)
		}
	}
	c := &fakeClock{step: 1, reading: 40}
	if _, err := CalibrateLoop(c.now, 0, c.work(1)); err == nil {
		t.Error("a limit of zero was accepted")
	}
	if _, err := CalibrateLoop(c.now, .01, func(int) {}); err == nil {
		t.Error("an action that takes no time was calibrated")
	}
}
