package telemetry

import (
	"slices"
	"testing"
)

// The machine the test runs on must give every name, as a value or a reason,
// whatever machine it is. Run with -v to read them.
func TestLocal(t *testing.T) {
	h := Local(t.Context())
	defer h.Close()
	env := Capture(t.Context(), h)
	names := []string{}
	for name := range env {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fact := env[name]
		if (fact.Value == nil) == (fact.Unavailable == "") {
			t.Errorf("%s: got value %v and reason %q, want one of them", name, fact.Value, fact.Unavailable)
		}
		if fact.Unavailable != "" {
			t.Logf("%s: unavailable: %s", name, fact.Unavailable)
			continue
		}
		t.Logf("%s: %v", name, fact.Value)
	}
	for _, name := range Names() {
		if _, ok := env[name]; !ok {
			t.Errorf("%s is missing", name)
		}
	}
}
