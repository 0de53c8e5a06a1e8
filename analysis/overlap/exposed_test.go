package overlap

import (
	"strings"
	"testing"

	"assay/stats"
)

// Copying back can take longer than the exchange: then none of it is hidden, not less
// than none.
func TestNothingHidden(t *testing.T) {
	f := func(overlap float64, want string) {
		t.Helper()
		exposedTime, comm := .5, .5/(1-overlap)
		p := Point{
			PerRank: []Rank{{Rank: 0, Exposed: &exposedTime, Comm: &comm, Overlap: &overlap}, {Rank: 1}},
			Parts:   []Part{{Name: exposedName, Estimate: stats.Estimate{Value: .5}, Share: .5}},
		}
		v, ok := exposed(p, links{})
		if text := strings.Join(v.How, "\n"); !ok || !strings.Contains(text, want) || strings.Contains(text, "-") {
			t.Errorf("overlap %g: %q, want %q", overlap, text, want)
		}
	}
	f(-.06, "none of the exchange is hidden; waiting took 28.3ms longer than the exchange alone")
	f(.6, "60 % of the exchange is hidden")
}
