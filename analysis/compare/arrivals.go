package compare

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"assay/metric"
	"assay/stats"
)

// offered is what arrived at the sides of a row in an open loop. A system that keeps up
// does as much in a second as arrives in it, which is chance.
type offered struct {
	p    float64 // of a difference in what was done of what was offered
	a, b float64 // requests per second
}

// offeredTo measures the row per request offered; nil where the row does not follow the
// arrivals, or nobody knows them.
func offeredTo(a, b Side, x, y metric.Row, point string) (*offered, error) {
	follows := x.Statistic == "value" && (strings.HasSuffix(string(x.Unit), "/s") || x.Metric == metric.Concurrency.ID)
	rate := metric.Row{Metric: metric.OfferedRate.ID, Statistic: "value"}
	ofA, inA := find(a, rate, point)
	ofB, inB := find(b, rate, point)
	if !follows || !inA || !inB {
		return nil, nil
	}
	v := launches(a, b, Per(x, ofA), Per(y, ofB))
	if v.Least() < 2 {
		return nil, nil
	}
	test, err := v.Test()
	if errors.Is(err, stats.ErrNoSpread) { // each launch did the same with what arrived
		test.P = 1
		if stat.Mean(v.A, nil) != stat.Mean(v.B, nil) {
			test.P = 0
		}
		err = nil
	}
	return &offered{test.P, ofA.Value, ofB.Value}, err
}

// Per is a row with the value of each launch divided by that of another row. Launches that the
// other lacks, or where it is zero, are left out.
func Per(row, by metric.Row) metric.Row {
	values := row.PerLaunch
	row.PerLaunch = nil
	for _, v := range values {
		i := slices.IndexFunc(by.PerLaunch, func(w metric.LaunchValue) bool { return w.Launch == v.Launch && w.Value != 0 })
		if i >= 0 {
			v.Value /= by.PerLaunch[i].Value
			row.PerLaunch = append(row.PerLaunch, v)
		}
	}
	return row
}

// beyondArrivals is P of a difference that the arrivals alone do not make.
func (row *Row) beyondArrivals(p float64) float64 {
	if row.offered == nil {
		return p
	}
	return max(p, row.offered.p)
}

// onlyArrivals says that the sides differ by what arrived, and not by what they did with it.
func (row *Row) onlyArrivals(alpha float64) bool {
	return row.offered != nil && row.offered.p > alpha && row.ofLaunches <= alpha
}

func (row *Row) sameArrivals() string {
	return fmt.Sprintf("both in blocks, which meet the same arrivals (assay compare BASE CAND --again): by chance %.4g and %.4g requests a second were offered, and what was done of them does not differ", row.offered.a, row.offered.b)
}
