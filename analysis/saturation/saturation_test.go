package saturation

import (
	"strings"
	"testing"

	"assay/finding"
	"assay/plan"
	"assay/record"
	"assay/spec"
)

func TestFound(t *testing.T) {
	p := plan.Plan{Points: []plan.Point{{Index: 3, Name: "rate=20/s"}}}
	e := record.Event{Name: record.PointSaturated, Point: 3, Detail: `{"seconds":30,"rate":20,"first":4,"last":130,"slope":4.2,"p":0.0001,"walk":5}`}
	f, err := found(p, 1, e)
	if err != nil {
		t.Fatal(err)
	}
	want := "rate=20/s, launch 2: the queue grew by 4.2 requests a second of 20 offered, from 4 in flight to 130 in 30 s (p = 0.0001)"
	if f.Message != want || f.Severity != finding.Void || !f.Scope.Touches(finding.Result{Subject: finding.Speed, Metric: "ttft.v2", Statistic: "p50", Point: "rate=20/s"}) || f.Scope.Touches(finding.Result{Subject: finding.Speed, Metric: "goodput.v2", Statistic: "value", Point: "rate=20/s"}) || f.Check != Check || f.Why == "" || f.Fix == "" {
		t.Errorf("finding %+v, want %q", f, want)
	}
	p.Run.Spec.Load = &spec.Load{StopWhenSaturated: true}
	if f, err = found(p, 1, e); err != nil || !strings.HasSuffix(f.Message, "; the point was ended there") {
		t.Errorf("finding %+v, %v", f, err)
	}
	if _, err := found(p, 1, record.Event{Detail: "x"}); err == nil {
		t.Error("an event without evidence was taken")
	}
	if list, err := Findings(nil, plan.Plan{Search: &plan.Search{}}); err != nil || list != nil {
		t.Errorf("a search: %v, %v", list, err)
	}
}
