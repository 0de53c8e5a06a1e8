package overlap

import (
	"slices"
	"strings"
	"testing"

	"assay/plan"
	"assay/stats"
)

// A world of ranks beside one worker: each of the three limits is named when it is
// passed, and none when not.
func TestProfiles(t *testing.T) {
	p := plan.Plan{Points: []plan.Point{{Index: 0, Ranks: 1, Steps: &plan.Steps{}}, {Index: 1, Ranks: 4, Steps: &plan.Steps{}}}}
	of := func(index, ranks int, data, compute, exposed float64) Point {
		part := func(name string, v float64) Part {
			return Part{Name: name, Estimate: stats.Estimate{Value: v}, Share: v / (data + compute + exposed)}
		}
		return Point{Point: index, Name: []string{"ranks=1", "ranks=4"}[index], Ranks: ranks, Parts: []Part{part("data", data), part("forward", compute), part("exposed_communication", exposed)}}
	}
	f := func(data, compute, exposed float64, want ...string) {
		t.Helper()
		points := []Point{of(0, 1, .01, .2, 0), of(1, 4, data, compute, exposed)}
		profiles(p, points)
		if got := checkNames(points[1].Findings); !slices.Equal(got, want) || len(points[0].Findings) > 0 {
			t.Errorf("data %v, compute %v, exposed %v: %v, want %v", data, compute, exposed, got, want)
		}
		if text := points[1].Profile.String(); !strings.HasPrefix(text, "beside ranks=1: data loading") {
			t.Errorf("%q", text)
		}
	}
	f(.014, .2, .01)
	f(.016, .2, .01, "training-profile-loading")
	f(.01, .2, .1, "training-profile-communication", "training-profile-utilisation")
	f(.05, .2, .01, "training-profile-loading", "training-profile-utilisation")
}
