package fleet

import (
	"fmt"
	"testing"

	"assay/analysis/objective"
	"assay/finding"
	"assay/metric"
	"assay/stats"
)

func TestSweeps(t *testing.T) {
	f := func(p99 []float64, knee, next string, state objective.State) {
		t.Helper()
		e, p := swept(p99...)
		for i := range p.Points {
			p.Points[i].Name = fmt.Sprintf("rate=%d", 150*(i+1))
		}
		got := Sweeps(e, p, nil)
		if len(got) != 1 || got[0].Knee != knee || got[0].Next != next || got[0].NextState != state || len(got[0].Objectives) != 1 {
			t.Errorf("%v: %+v, want knee %q, next %q %s", p99, got, knee, next, state)
		}
	}
	f([]float64{.02, .05, .1, .9}, "rate=450", "rate=600", objective.Broken)
	f([]float64{.02, .05, .1, .199}, "rate=450", "rate=600", objective.Uncertain)
	f([]float64{.02, .05, .1, .15}, "rate=600", "", "")
	f([]float64{.5, .9}, "", "rate=150", objective.Broken)
	f([]float64{.02, .9, .1, .1}, "rate=150", "rate=300", objective.Broken) // a lucky level above a broken one

	// What a higher load is shown to keep, a lower one keeps too.
	f([]float64{.199, .05, .9}, "rate=300", "rate=450", objective.Broken)

	// A level of too few requests says nothing, and those above it do.
	few, q := swept(.02, .05, .9)
	few.Rows[1].Interval = stats.Unbounded
	for i, name := range []string{"one", "two", "three"} {
		q.Points[i].Name = name
	}
	if got := Sweeps(few, q, nil); len(got) != 1 || got[0].Knee != "two" || got[0].Next != "three" {
		t.Errorf("with a silent level: %+v, want the knee at two", got)
	}

	// A p99 that a finding forbids shows nothing, whatever it is, and neither does a load
	// whose rate is forbidden.
	for _, forbidden := range []finding.Result{{Metric: metric.TTFT.ID, Statistic: "p99", Point: "three"}, {Metric: metric.RequestThroughput.ID, Statistic: "value", Point: "three"}} {
		void, q := swept(.02, .05, .06)
		for i, name := range []string{"one", "two", "three"} {
			q.Points[i].Name = name
		}
		forbidden.Subject = finding.Speed
		against := func(r finding.Result) []string {
			if r == forbidden {
				return []string{"client-error: too coarse"}
			}
			return nil
		}
		if got := Sweeps(void, q, against); len(got) != 1 || got[0].Knee != "two" || got[0].Next != "three" || got[0].NextState != objective.Uncertain {
			t.Errorf("with %s forbidden: %+v, want the knee at two and three uncertain", forbidden.Metric, got)
		}
		if size, err := Sizing(void, q, Ask{Load: 1000}, against); err != nil || size.Knee != "two" {
			t.Errorf("with %s forbidden: the knee is %q, %v; want two", forbidden.Metric, size.Knee, err)
		}
	}

	e, p := swept(.02, .9)
	p.Points[1].Scenario = "D(8,4)"
	if got := Sweeps(e, p, nil); got != nil {
		t.Errorf("one load of each shape: %+v, want no sweep", got)
	}
	p.Run.Spec.SLO = nil
	if got := Sweeps(e, p, nil); got != nil {
		t.Errorf("without objectives: %+v, want nothing", got)
	}
}
