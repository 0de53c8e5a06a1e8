package playbook

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/metric"
	"assay/plan"
)

// A Moved is the result of a run that moved: what a diagnosis is about.
type Moved struct {
	Metric    string `json:"metric"` // its id
	Statistic string `json:"statistic"`
	Point     string `json:"point,omitempty"` // empty means all of them
	Why       string `json:"why"`             // who says so: asked, an alert, or the largest change
}

func (m Moved) String() string {
	text := m.Metric + " " + m.Statistic
	if m.Point != "" {
		text += " at " + m.Point
	}
	return text
}

// latencies are what one answer has, in the order in which they are looked at.
var latencies = []metric.Metric{metric.TTFT, metric.TPOT, metric.ITL, metric.E2E}

// ReadMoved reads METRIC:STATISTIC, with @POINT where one point is meant. METRIC is a name or an id.
func ReadMoved(text string) (Moved, error) {
	name, point, _ := strings.Cut(text, "@")
	name, statistic, ok := strings.Cut(name, ":")
	i := slices.IndexFunc(metric.All, func(m metric.Metric) bool {
		plain, _, _ := strings.Cut(m.ID, ".v")
		return m.ID == name || plain == name && !m.Detail
	})
	if i < 0 || ok && statistic == "" {
		return Moved{}, fmt.Errorf("%q: want METRIC:STATISTIC, such as ttft:p99, or ttft:p99@concurrency=8", text)
	}
	m := Moved{Metric: metric.All[i].ID, Statistic: statistic, Point: point, Why: "asked"}
	if !ok {
		m.Statistic = "value"
		if metric.All[i].Distributed() {
			m.Statistic = "p50"
		}
	}
	return m, nil
}

// LargestMove is the latency that differs most from the baseline, of those whose intervals do
// not meet; false where there is none.
func LargestMove(e Evidence) (moved Moved, ok bool) {
	if e.Baseline == nil {
		return moved, false
	}
	most := 0.0
	for _, point := range e.Plan.Points {
		for _, m := range latencies {
			for _, statistic := range []string{"p50", "p90", "p95", "p99"} {
				now, here := e.Estimates.Find(m.ID, statistic, point.Index)
				before, there := e.Baseline.Estimates.Find(m.ID, statistic, point.Index)
				if !here || !there || before.Value <= 0 || now.Value <= 0 || !now.Interval.Bounded() || !before.Interval.Bounded() ||
					now.Interval.Lo <= before.Interval.Hi && before.Interval.Lo <= now.Interval.Hi {
					continue
				}
				if by := math.Abs(math.Log(now.Value / before.Value)); by > most {
					most, ok = by, true
					moved = Moved{m.ID, statistic, point.Name, fmt.Sprintf("the largest change, × %.3g", now.Value/before.Value)}
				}
			}
		}
	}
	return moved, ok
}

// points are those that questions are about.
func (e Evidence) points() []plan.Point {
	if e.Moved == nil || e.Moved.Point == "" {
		return e.Plan.Points
	}
	i := slices.IndexFunc(e.Plan.Points, func(p plan.Point) bool { return p.Name == e.Moved.Point })
	if i < 0 {
		return nil
	}
	return e.Plan.Points[i : i+1]
}

// latencies are those that questions about a tail are about.
func (e Evidence) latencies() []metric.Metric {
	if e.Moved != nil {
		if i := slices.IndexFunc(latencies, func(m metric.Metric) bool { return m.ID == e.Moved.Metric }); i >= 0 {
			return latencies[i : i+1]
		}
	}
	return latencies
}
