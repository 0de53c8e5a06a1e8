package compare

import (
	"math/rand/v2"
	"testing"

	"assay/metric"
	"assay/plan"
	"assay/unit"
)

// What arrives by chance in one run and not in another makes no system better; a system that does
// less with what arrives is worse.
func TestArrivalsAreNoDifference(t *testing.T) {
	const trials = 300
	rng := rand.New(rand.NewPCG(9, 9))
	side := func(digest string, done float64) Side {
		rate := metric.Row{Metric: metric.OfferedRate.ID, Statistic: "value", Unit: unit.RequestPerSecond}
		tokens := metric.Row{Metric: metric.OutputThroughput.ID, Statistic: "value", Unit: unit.TokenPerSecond}
		s := ran(digest, 9)
		s.Plan.Points = []plan.Point{{Name: "rate=20/s"}}
		for launch := range 3 {
			of := 20 + 2*rng.NormFloat64()
			rate.PerLaunch = append(rate.PerLaunch, metric.LaunchValue{Launch: launch, Value: of, N: 1})
			tokens.PerLaunch = append(tokens.PerLaunch, metric.LaunchValue{Launch: launch, Value: 100 * done * of * (1 + .005*rng.NormFloat64()), N: 1})
		}
		s.Estimates.Rows = []metric.Row{rate, tokens}
		return s
	}
	differ := func(done float64) (times int) {
		for range trials {
			a, b := side("a", 1), side("b", done)
			row, err := newRow(a, b, a.Estimates.Rows[1], b.Estimates.Rows[1], "rate=20/s", .95)
			if err != nil {
				t.Fatal(err)
			}
			if row.P.P <= .05 {
				times++
			}
			if row.onlyArrivals(.05) && row.settle(.05, .05, .8) != row.sameArrivals() {
				t.Fatal("a row that follows the arrivals does not say so")
			}
		}
		return times
	}
	if same, half := differ(1), differ(.5); same > trials/100 || half < trials*9/10 {
		t.Errorf("of %d pairs %d of one system differ, and %d of one that does half", trials, same, half)
	}
}
