package claim

import (
	"testing"

	"assay/finding"
	"assay/plan"
)

// A caution about one point is not carried by the claims of the others.
func TestCautionsOfAPoint(t *testing.T) {
	m := maker{point: plan.Point{Name: "concurrency=1"}}
	m.Plan.Points = []plan.Point{m.point, {Name: "concurrency=4"}, {Name: "concurrency=16"}}
	f := func(want bool, message string, evidence ...string) {
		t.Helper()
		if got := len(m.about([]finding.Finding{{Message: message, Evidence: evidence}}, finding.Result{})) == 1; got != want {
			t.Errorf("%q %v concerns concurrency=1: %v, want %v", message, evidence, got, want)
		}
	}
	f(true, "the clock of this host was set")
	f(true, "concurrency=1: TTFT never stabilised")
	f(false, "concurrency=16: TTFT never stabilised")
	f(false, "TTFT never stabilised", "concurrency=4, launch 1", "concurrency=16.")
	f(true, "TTFT never stabilised", "concurrency=4, launch 1", "concurrency=1, launch 2")
	f(true, "concurrency=16 and 2 more: TTFT never stabilised")
}
