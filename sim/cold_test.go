package sim

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// The first iteration alone is slow: what comes after it keeps its length.
func TestFirstDelay(t *testing.T) {
	cfg := Config{Engine: Engine{Cost: handCost}, FirstDelay: 200 * ms}
	got, _ := play(t, cfg, []ask{{0, 5, 3, 1}, {1000 * ms, 5, 2, 2}})
	for i, want := range [][]int{{215, 227, 239}, {1015, 1027}} {
		if !slices.Equal(got[i].tokens, at(want...)) {
			t.Errorf("ask %d: tokens due at %v, want %v ms", i, got[i].tokens, want)
		}
	}
	if _, err := New(Config{Fixed: &Fixed{}, FirstDelay: ms}); err == nil || !strings.Contains(err.Error(), "FirstDelay") {
		t.Errorf("error %v does not refuse a first iteration on a fixed schedule", err)
	}
}

// Three times as long at first, and no surplus from the fourth iteration on: what
// takes 15, 12, 12, 12, 12 ms warm takes 45, 28, 20, 12, 12 ms.
func TestCold(t *testing.T) {
	got, _ := play(t, Config{Engine: Engine{Cost: handCost}, Cold: Cold{Factor: 3, Iterations: 3}}, []ask{{0, 5, 5, 1}})
	if want := at(45, 73, 93, 105, 117); !slices.Equal(got[0].tokens, want) {
		t.Errorf("tokens due at %v, want %v", got[0].tokens, want)
	}
	for _, cfg := range []Config{{Cold: Cold{Factor: .5}}, {Cold: Cold{Iterations: -1}}, {Fixed: &Fixed{}, Cold: Cold{Factor: 2}}} {
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), "Cold.") {
			t.Errorf("%+v: error %v does not refuse it", cfg.Cold, err)
		}
	}
}

// A batch of one: the second waits from 1 ms until the first has ended at 27 ms.
func TestQueueTime(t *testing.T) {
	_, e := play(t, Config{Engine: Engine{Cost: handCost, MaxSequences: 1}}, []ask{{0, 5, 2, 1}, {1 * ms, 5, 1, 2}})
	if got := e.meter.queued.sum.Load(); got != int64(26*ms) {
		t.Errorf("%v were waited, want 26 ms", time.Duration(got))
	}
}
