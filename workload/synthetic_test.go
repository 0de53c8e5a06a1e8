package workload

import (
	"math"
	"strings"
	"testing"
)

var mix = []Length{{100, 10, 0.7}, {300, 20, 0.3}}

func newMix(t *testing.T, seed int64) *Synthetic {
	t.Helper()
	s, err := NewSynthetic(seed, mix)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Call number i is the same call whoever asks for it, and in whatever order.
func TestCallsRepeat(t *testing.T) {
	a, b := newMix(t, 7), newMix(t, 7)
	for id := int64(99); id >= 0; id-- {
		if a.Call(1, id) != b.Call(1, id) {
			t.Fatalf("call %d differs between two sources of one seed", id)
		}
	}
	if newMix(t, 8).Call(1, 5) == a.Call(1, 5) {
		t.Error("another seed gives the same call")
	}
}

func TestMix(t *testing.T) {
	s := newMix(t, 1)
	const n = 20000
	long := 0
	openings := map[string]bool{}
	for id := range int64(n) {
		c := s.Call(0, id)
		if got := len(strings.Fields(c.Prompt)); got != int(c.InputTokens) {
			t.Fatalf("prompt of %d words for %d tokens", got, c.InputTokens)
		}
		if c.InputTokens == 300 {
			long++
		}
		openings[c.Prompt[:60]] = true
	}
	if got := float64(long) / n; math.Abs(got-0.3) > 0.015 {
		t.Errorf("share of long calls = %.3f, want 0.3", got)
	}
	if len(openings) < n {
		t.Errorf("%d of %d prompts share an opening that a server could have cached", n-len(openings), n)
	}
}

func TestRefusals(t *testing.T) {
	for _, bad := range [][]Length{nil, {{0, 1, 1}}, {{1, 0, 1}}, {{1, 1, 0}}} {
		if _, err := NewSynthetic(1, bad); err == nil {
			t.Errorf("lengths %v were accepted", bad)
		}
	}
}
