package sim

import (
	"slices"
	"strings"
	"testing"
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
