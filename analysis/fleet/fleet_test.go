package fleet

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"assay/analysis/objective"
	"assay/metric"
	"assay/plan"
	"assay/spec"
	"assay/stats"
	"assay/unit"
)

// The published example: the knee at 450/s needs 20 replicas for 9000/s; dividing
// by the 500/s that the server can end would give 18.
func TestReplicas(t *testing.T) {
	if got := Replicas(9000, 450, 0); got != 20 {
		t.Errorf("9000/s at 450/s each: %d, want 20", got)
	}
	if got := Replicas(9000, 500, 0); got != 18 {
		t.Errorf("9000/s at 500/s each: %d, want 18", got)
	}
	if got := Replicas(9000, 450, .2); got != 25 {
		t.Errorf("with a fifth free: %d, want 25", got)
	}
	if got := Replicas(9001, 450, 0); got != 21 {
		t.Errorf("one more request: %d, want 21", got)
	}
	if got := FanOut(.99, 100); math.Abs(got-.634) > 5e-4 {
		t.Errorf("fan-out of 100 at p99: %.4f, want 0.634", got)
	}
}

// swept is a sweep of four rates; p99 TTFT of each stays within ± 5 %.
func swept(p99 ...float64) (metric.Estimates, plan.Plan) {
	p := plan.Plan{Run: spec.Run{Spec: spec.RunSpec{SLO: []spec.Objective{{Metric: "ttft", Percentile: 99, Max: unit.Duration(200 * time.Millisecond)}}}}}
	var e metric.Estimates
	for i, v := range p99 {
		rate := 150 * float64(i+1)
		p.Points = append(p.Points, plan.Point{Index: i, Name: "rate"})
		e.Rows = append(e.Rows,
			metric.Row{Metric: metric.RequestThroughput.ID, Statistic: "value", Point: i, Estimate: stats.Estimate{Value: rate, Interval: stats.Interval{Lo: .99 * rate, Hi: 1.01 * rate}}},
			metric.Row{Metric: metric.TTFT.ID, Statistic: "p99", Unit: unit.Second, Point: i, Estimate: stats.Estimate{Value: v, Interval: stats.Interval{Lo: .95 * v, Hi: 1.05 * v}}})
	}
	return e, p
}

func TestSizing(t *testing.T) {
	e, p := swept(.02, .05, .1, .9)
	size, err := Sizing(e, p, Ask{Load: 9000, FanOut: 100}, nil)
	if err != nil {
		t.Fatal(err)
	}
	// The knee is the third level, counted with the lower end of its interval.
	if size.PerReplica != .99*450 || size.Replicas != 21 || size.Naive != 15 || size.Unbounded || math.Abs(size.FanOut-.634) > 5e-4 {
		t.Errorf("%+v", size)
	}
	e, p = swept(.02, .3, .1, .9) // the third level is above one that fails
	if size, err = Sizing(e, p, Ask{Load: 100}, nil); err != nil || size.PerReplica != .99*150 {
		t.Errorf("knee at %v, %v; want the first level", size.PerReplica, err)
	}
	e, p = swept(.02, .03)
	if size, err = Sizing(e, p, Ask{Load: 100}, nil); err != nil || !size.Unbounded {
		t.Errorf("nothing above the knee was measured, and it is not said: %+v, %v", size, err)
	}
	e, p = swept(.3)
	if _, err = Sizing(e, p, Ask{Load: 100}, nil); !errors.Is(err, ErrNoKnee) {
		t.Errorf("%v, want ErrNoKnee", err)
	}
	p.Run.Spec.SLO = nil
	if _, err = Sizing(e, p, Ask{Load: 100}, nil); !errors.Is(err, ErrNoObjective) {
		t.Errorf("%v, want ErrNoObjective", err)
	}
	if _, ok := Knee([]Level{{State: objective.Uncertain}}); ok {
		t.Error("an uncertain level is no knee")
	}
}

// A knee belongs to one shape of request: of a sweep over several, one is named.
func TestSizingOfShapes(t *testing.T) {
	e, p := swept(.02, .05, .1, .9)
	for i := range p.Points {
		p.Points[i].Scenario = []string{"D(9,9)", "D(1,1)", "D(1,1)", "D(9,9)"}[i]
	}
	if _, err := Sizing(e, p, Ask{Load: 100}, nil); err == nil || !strings.Contains(err.Error(), "D(9,9), D(1,1)") {
		t.Errorf("two shapes at once: %v, want an error that names both", err)
	}
	if size, err := Sizing(e, p, Ask{Load: 100, Scenario: "D(1,1)"}, nil); err != nil || len(size.Levels) != 2 || size.PerReplica != .99*450 {
		t.Errorf("knee of D(1,1): %+v, %v", size, err)
	}
	if _, err := Sizing(e, p, Ask{Load: 100, Scenario: "D(2,2)"}, nil); err == nil {
		t.Error("a scenario that was not measured was sized")
	}
}
