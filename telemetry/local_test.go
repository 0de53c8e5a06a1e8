package telemetry

import (
	"slices"
	"strings"
	"testing"
)

// A program that fails must say so in its own words.
func TestRunCommand(t *testing.T) {
	out, err := runCommand(t.Context(), "sh", "-c", "echo answer; echo broken >&2; echo more >&2; exit 3")
	if string(out) != "answer\n" || err == nil || !strings.HasPrefix(err.Error(), "sh: broken: ") {
		t.Errorf("got %q, %v; want the answer and the first line of the complaint", out, err)
	}
	if _, err := runCommand(t.Context(), "no-such-program-here"); err == nil {
		t.Error("a program that is not there gave no error")
	}
}

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
