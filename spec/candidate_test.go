package spec

import (
	"slices"
	"strings"
	"testing"
)

// Sides may live at one address in turn, and secrets are looked for in all of
// them.
func TestCandidates(t *testing.T) {
	const base = "interleaved.yaml"
	for _, patches := range [][]patch{
		{{"spec.candidates[0].target.url", "http://127.0.0.1:8101"}}, // both restart
		{{"spec.candidates[0].target", map[string]any{"url": "http://127.0.0.1:8101"}}, {"spec.target.server", remove{}}},
	} {
		if _, faults := Parse("patched.json", patched(t, example(t, base), patches...)); !Valid(faults) {
			t.Errorf("%v is refused: %s", patches, lines(faults))
		}
	}
	doc, faults := Parse("patched.json", patched(t, example(t, base), patch{"spec.candidates[0].target.headers", map[string]any{"X-Key": "candidates-own"}}))
	if !Valid(faults) || !strings.Contains(lines(faults), "spec.candidates[0].target.headers.X-Key") {
		t.Errorf("no warning of a secret in a candidate: %s", lines(faults))
	}
	if got := Secrets(*doc.Run); !slices.Contains(got, "candidates-own") {
		t.Errorf("secrets %v lack the candidate's", got)
	}
	resolved, _ := Resolve(*doc.Run)
	sides := resolved.Spec.Sides()
	if len(sides) != 2 || sides[0].Name != BaselineSide || sides[1].Name != "faster" || sides[1].Target.Model != "sim" || sides[1].Target.Server.Restart != RestartLaunch {
		t.Errorf("sides = %+v", sides)
	}
	if resolved.Spec.SharesServer() {
		t.Error("sides of two addresses share a server")
	}
	if got := (&RunSpec{Target: &Target{}}).Sides(); len(got) != 1 || got[0].Name != "" {
		t.Errorf("a run of one side has %+v", got)
	}
	if got := (&RunSpec{}).Sides(); got != nil {
		t.Errorf("a run without a target has %+v", got)
	}
}
