package server

import (
	"testing"

	"assay/warehouse"
)

// A difference is worse only where the history has an open change; one below the noise is
// called that, and of others nothing is known.
func TestWordOf(t *testing.T) {
	detectable := .1
	noisy := warehouse.Noise{Detectable: &detectable}
	f := func(by float64, noise warehouse.Noise, state, want string) {
		t.Helper()
		one := warehouse.Series{Better: "lower", Noise: noise}
		if state != "" {
			one.Changes = []warehouse.Change{{State: state, Relative: .08}}
		}
		if got := wordOf(one, by); got != want {
			t.Errorf("%+.0f %% with a change %q: %q, want %q", 100*by, state, got, want)
		}
	}
	f(.08, noisy, "", "within noise")
	f(.2, noisy, "", "")
	f(.08, warehouse.Noise{}, "", "")
	f(.08, noisy, warehouse.Confirmed, "worse")
	f(.08, noisy, warehouse.Suspected, "worse")
	f(.08, noisy, warehouse.Recovered, "within noise")
	f(.08, noisy, warehouse.Settled, "within noise")
	f(-.08, noisy, warehouse.Confirmed, "within noise") // the other way
}
