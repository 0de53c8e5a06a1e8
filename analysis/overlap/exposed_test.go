package overlap

import (
	"strings"
	"testing"
)

// Copying back can take longer than the exchange: then none of it is hidden, not less
// than none.
func TestNothingHidden(t *testing.T) {
	exposedTime := .5
	f := func(overlap float64, want string) {
		t.Helper()
		p := Point{PerRank: []Rank{{Rank: 0, Exposed: &exposedTime, Overlap: &overlap}, {Rank: 1}}}
		v, ok := exposed(p, 1, links{})
		if text := strings.Join(v.How, "\n"); !ok || !strings.Contains(text, want) || strings.Contains(text, "-") {
			t.Errorf("overlap %g: %q, want %q", overlap, text, want)
		}
	}
	f(-.06, "none of the exchange is hidden")
	f(.6, "60 % of the exchange is hidden")
}
