package picture

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"assay/metric"
	"assay/record"
	"assay/stats"
)

// spread keeps the moments of the metrics that have one value for each request.
func (d *Drawing) spread(side string, point *metric.Point) {
	for _, m := range []metric.Metric{metric.TTFT, metric.TPOT, metric.E2E} {
		if !m.Has(d.plan.Workload()) {
			continue
		}
		var xs []float64
		for t := range point.Measured {
			if t.Result == record.OK {
				xs = append(xs, m.Each(t)...)
			}
		}
		if len(xs) > 1 {
			at := place{m.ID, point.Index, side}
			mean, variance := stat.MeanVariance(xs, nil)
			d.moments[at] = append(d.moments[at], stats.Moments{N: len(xs), Mean: mean, Variance: variance})
		}
	}
}

// components is false where there are too few launches to tell.
func components(m metric.Metric, at place, launches []stats.Moments, confidence float64) (Components, bool) {
	if len(launches) < fewestLaunches {
		return Components{}, false
	}
	c, err := stats.MomentComponents(launches, confidence)
	if err != nil || c.Mean.Value == 0 {
		return Components{}, false
	}
	relative := func(variance float64) float64 { return rounded(math.Sqrt(variance) / math.Abs(c.Mean.Value)) }
	return Components{
		Metric: m.ID, Name: m.Name, Point: at.point, Side: at.side,
		Between: relative(c.Levels[1].Component), Within: relative(c.Levels[0].Component), Share: rounded(c.ICC),
	}, true
}
