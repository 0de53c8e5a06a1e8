package metric

import "testing"

// One lost packet explains nothing, and a few in a long run neither.
func TestLossy(t *testing.T) {
	of := func(n float64) *float64 { return &n }
	for _, tt := range []struct {
		resent  *float64
		seconds float64
		want    bool
	}{
		{nil, 10, false}, {of(0), 10, false}, {of(1), 1, false}, {of(2), 60, false}, {of(15), 60, true}, {of(400), 60, true},
	} {
		if got := (ClientHealth{Retransmits: tt.resent, Seconds: tt.seconds}).Lossy(); got != tt.want {
			t.Errorf("%v in %g s: %v", tt.resent, tt.seconds, got)
		}
	}
}
