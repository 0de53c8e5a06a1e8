// Package frontier lays the quality of every load beside its speed and its price, and says
// which loads nobody would choose: those that another one beats in everything.
//
// One load beats another only where their intervals do not overlap. A load that may not be
// beaten stays on the frontier.
package frontier

import (
	"assay/accuracy"
	"assay/metric"
	"assay/stats"
)

// A Row is one task at one load.
type Row struct {
	Task  string `json:"task"`
	Side  string `json:"side,omitempty"`
	Point int    `json:"point"`
	Name  string `json:"name"`

	Score      stats.Estimate  `json:"score"`
	OnTime     *float64        `json:"onTime,omitempty"`     // score of answers within the limit on E2E
	Latency    *stats.Estimate `json:"latency,omitempty"`    // median of E2E, seconds
	Throughput *stats.Estimate `json:"throughput,omitempty"` // requests per second
	Cost       *stats.Estimate `json:"cost,omitempty"`       // dollars for each request

	// BeatenBy names a load that is as good in everything and surely better in something;
	// empty on the frontier.
	BeatenBy string `json:"beatenBy,omitempty"`
}

// An axis is one of the things that loads are compared by.
type axis struct {
	of    func(*Row) *stats.Estimate
	lower bool // less is better
}

var axes = []axis{
	{of: func(r *Row) *stats.Estimate { return &r.Score }},
	{of: func(r *Row) *stats.Estimate { return r.Latency }, lower: true},
	{of: func(r *Row) *stats.Estimate { return r.Throughput }},
	{of: func(r *Row) *stats.Estimate { return r.Cost }, lower: true},
}

// Of lays the scores of a run beside its estimates, task by task. It is empty where times
// were no part of the question.
func Of(a accuracy.Report, e metric.Estimates) []Row {
	var rows []Row
	for _, t := range a.Tasks {
		first := len(rows)
		for _, p := range t.Points {
			s := p.Scores[0]
			if s.Unavailable != "" {
				continue
			}
			of := e.Of(p.Side)
			rows = append(rows, Row{
				Task: t.Name, Side: p.Side, Point: int(p.Point), Name: p.Name, Score: s.Estimate, OnTime: s.OnTime,
				Latency: find(of, metric.E2E, "p50", p.Point), Throughput: find(of, metric.RequestThroughput, "value", p.Point),
				Cost: find(of, metric.CostPerRequest, "value", p.Point),
			})
		}
		judge(rows[first:])
	}
	return rows
}

func find(e metric.Estimates, m metric.Metric, statistic string, point int32) *stats.Estimate {
	row, ok := e.Find(m.ID, statistic, int(point))
	if !ok {
		return nil
	}
	return &row.Estimate
}

// judge marks the rows that another one beats.
func judge(rows []Row) {
	for i := range rows {
		for j := range rows {
			if i != j && beats(&rows[j], &rows[i]) {
				rows[i].BeatenBy = rows[j].Name
				break
			}
		}
	}
}

// beats reports whether a is nowhere worse than b, and somewhere surely better.
func beats(a, b *Row) bool {
	surely := false
	for _, x := range axes {
		ours, theirs := x.of(a), x.of(b)
		if ours == nil || theirs == nil {
			continue
		}
		better, sure := ours.Value >= theirs.Value, ours.Interval.Lo > theirs.Interval.Hi
		if x.lower {
			better, sure = ours.Value <= theirs.Value, ours.Interval.Hi < theirs.Interval.Lo
		}
		if !better {
			return false
		}
		surely = surely || sure
	}
	return surely
}
