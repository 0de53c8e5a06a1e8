package gate

import (
	"fmt"
	"slices"
	"strings"

	"assay/analysis/compare"
	"assay/finding"
	"assay/metric"
	"assay/plan"
	"assay/spec"
)

// ask makes the questions of a policy. What one side lacks is a decision already:
// a missing metric is not a pass. What the pair forbids is not judged.
func ask(policy spec.GatePolicy, a, b compare.Side, pair []Found) (questions []Question, missing []Decision, err error) {
	for _, gated := range policy.Spec.Metrics {
		m, err := known(gated.Metric)
		if err != nil {
			return nil, nil, err
		}
		if err := hasStatistic(m, gated.Statistic); err != nil {
			return nil, nil, err
		}
		for _, point := range pointsOf(m, gated, a.Plan) {
			q := Question{
				Key: compare.Key(gated.Metric, gated.Statistic, point), Better: m.Better,
				Margin: gated.Margin, Absolute: gated.AbsoluteMargin,
			}
			result := finding.Result{Subject: finding.Speed, Metric: gated.Metric, Statistic: gated.Statistic, Point: point}
			x, inA := find(a, gated, point)
			y, inB := find(b, gated, point)
			if !inA || !inB {
				missing = append(missing, Decision{Key: q.Key, Verdict: Missing, Better: m.Better, Margin: q.Margin, Absolute: q.Absolute, Reason: lacks(a, b, inA, inB)})
				continue
			}
			for _, of := range []struct {
				side compare.Side
				row  metric.Row
			}{{a, x}, {b, y}} {
				if ok, why := compare.Certified(of.row); !ok {
					q.Refused = strings.Join(why, "; ")
				}
				if why := of.side.Voids(result); len(why) > 0 {
					q.Refused = of.side.Label + ": " + strings.Join(why, "; ")
				}
			}
			if i := slices.IndexFunc(pair, func(f Found) bool { return f.Stops && f.About == AboutPair && f.Scope.Touches(result) }); i >= 0 {
				q.Refused = pair[i].Name() + ": " + pair[i].Message
			}
			q.Values = compare.Match(a, b, x, y)
			q.settle(policy.Spec.RunSpread, a, b)
			questions = append(questions, q)
		}
	}
	return questions, missing, nil
}

// hasStatistic wants value of a metric that is one number in a launch, and
// anything else of a distribution.
func hasStatistic(m metric.Metric, statistic string) error {
	distribution := m.Distributed()
	if distribution == (statistic == "value") {
		want := "value"
		if distribution {
			want = "mean, p50, p90, p95, p99 or p99.9"
		}
		return fmt.Errorf("spec.metrics: got statistic %q of %s, want %s", statistic, m.ID, want)
	}
	return nil
}

// pointsOf lists the names of the points at which a metric is gated. A metric of
// the launch as a whole belongs to none.
func pointsOf(m metric.Metric, gated spec.GatedMetric, p plan.Plan) []string {
	switch {
	case m.OnceALaunch():
		return []string{""}
	case len(gated.Points) > 0:
		return gated.Points
	}
	var list []string
	for _, point := range p.Points {
		list = append(list, point.Name)
	}
	return list
}

func find(s compare.Side, gated spec.GatedMetric, point string) (metric.Row, bool) {
	index := metric.LaunchPoint
	if point != "" {
		i := slices.IndexFunc(s.Plan.Points, func(p plan.Point) bool { return p.Name == point })
		if i < 0 {
			return metric.Row{}, false
		}
		index = s.Plan.Points[i].Index
	}
	return s.Estimates.Find(gated.Metric, gated.Statistic, index)
}

func lacks(a, b compare.Side, inA, inB bool) string {
	switch {
	case !inA && !inB:
		return "neither side has it"
	case !inA:
		return a.Label + " does not have it"
	}
	return b.Label + " does not have it"
}
