package metric

import (
	"fmt"

	"gonum.org/v1/gonum/stat"

	"assay/plan"
	"assay/spec"
	"assay/stats"
)

// bootstrap gives the means over launches the intervals of a bootstrap, where the
// document asks for them. The random numbers come from the run's id and the row, so
// that whoever has the bundle gets the same intervals. Shares keep theirs, which rest
// on counts; what has no interval gets none.
func (e *Estimates) bootstrap(p plan.Plan) {
	if p.Trials().Interval != spec.IntervalBootstrap {
		return
	}
	for i := range e.Rows {
		e.resample(&e.Rows[i])
	}
}

// resample gives one row the interval of a bootstrap.
func (e *Estimates) resample(row *Row) {
	if isShare(row.Metric) || !row.Interval.Bounded() || row.Interval.Lo == row.Interval.Hi {
		return
	}
	var xs []float64
	for _, v := range row.PerLaunch {
		xs = append(xs, v.Value)
	}
	seed := stats.SeedOf(fmt.Sprintf("%s %s %s %d %s", e.RunID, row.Metric, row.Statistic, row.Point, row.Side))
	est, err := stats.BCa(xs, func(xs []float64) float64 { return stat.Mean(xs, nil) }, e.Confidence, stats.Bootstrap{Seed: seed})
	if err != nil {
		est = stats.Estimate{Value: row.Value, Interval: stats.Unbounded, N: row.N, Method: stats.BCaMethod, Warnings: []string{err.Error()}}
	}
	est.UnseenShare, est.Warnings = row.UnseenShare, append(est.Warnings, row.Warnings...)
	row.Estimate = est
}
