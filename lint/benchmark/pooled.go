package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"assay/stats"

	"gonum.org/v1/gonum/stat/distuv"
)

// pooledCases are launches that differ by between and requests that differ by
// within, both relative to the mean.
var pooledCases = []struct {
	between, within    float64
	launches, requests int
}{
	{.02, .30, 5, 1000},
	{.01, .30, 5, 1000},
	{.03, .30, 5, 1000},
	{.02, .30, 5, 10_000},
}

// pooledTable shows the pooled-request trap: an interval that takes the requests
// of several launches for independent is too narrow by far, because what a launch
// does to one of its requests it does to all of them. The interval over launches
// covers as often as it says.
func pooledTable(trials int, seed int64) (Table, error) {
	t := Table{
		Title:   "The pooled-request trap: coverage of the mean, 95 % asked",
		Columns: []string{"launches × requests", "launch spread", "request spread", "interval", "covers %", "exact %"},
		Notes: []string{
			"Launches and requests are normal. Exact pooled coverage is 2Φ(h/√(s_b²/k + s_w²/(kn))) − 1 with h = 1.96·√((s_b² + s_w²)/(kn)), for launch spread s_b, request spread s_w, k launches of n requests.",
			"assay never pools: its estimates are those of the rows that are kept.",
		},
	}
	for _, c := range pooledCases {
		overLaunches := make([]bool, trials)
		pooled := make([]bool, trials)
		failed := make([]error, trials)
		simulate(trials, seed, func(trial int, rng *rand.Rand) {
			overLaunches[trial], pooled[trial], failed[trial] = pooledTrial(rng, c.between, c.within, c.launches, c.requests)
		})
		for _, err := range failed {
			if err != nil {
				return t, err
			}
		}
		exact := exactPooledCoverage(c.between, c.within, c.launches, c.requests)
		what := []string{fmt.Sprintf("%d × %d", c.launches, c.requests), percent(c.between), percent(c.within)}
		row := func(name string, covered []bool, exact float64, verdict Verdict) Row {
			return Row{append(append([]string{}, what...), name, fmt.Sprintf("%.1f", 100*shareOf(covered)), fmt.Sprintf("%.1f", 100*exact)), verdict}
		}
		// Simulation and formula must agree, or the simulation is not what it says.
		agree := math.Abs(shareOf(pooled)-exact) <= 4*standardError(exact, trials)
		contrast := Contrast
		if !agree {
			contrast = Broken
		}
		t.Rows = append(t.Rows,
			row("over launches ("+stats.MeanMethod+")", overLaunches, .95, verdictOf(withinPromise(shareOf(overLaunches), trials))),
			row("pooled requests", pooled, exact, contrast))
	}
	return t, nil
}

// pooledTrial makes one experiment whose true mean is one, and says whether the
// interval over launches and that of the pooled requests cover it.
func pooledTrial(rng *rand.Rand, between, within float64, launches, requests int) (overLaunches, pooled bool, err error) {
	means := make([]float64, launches)
	sum, squares := 0.0, 0.0
	for i := range means {
		level := 1 + between*rng.NormFloat64()
		for range requests {
			x := within * rng.NormFloat64()
			means[i] += x
			sum += level + x - 1
			squares += (level + x - 1) * (level + x - 1)
		}
		means[i] = level + means[i]/float64(requests)
	}
	est, err := stats.Mean(means, .95)
	if err != nil {
		return false, false, err
	}
	n := float64(launches * requests)
	mean := sum / n
	half := distuv.UnitNormal.Quantile(.975) * math.Sqrt((squares/n-mean*mean)/n)
	return est.Interval.Contains(1), math.Abs(mean) <= half, nil
}

func exactPooledCoverage(between, within float64, launches, requests int) float64 {
	k, n := float64(launches), float64(launches*requests)
	half := distuv.UnitNormal.Quantile(.975) * math.Sqrt((between*between+within*within)/n)
	true := math.Sqrt(between*between/k + within*within/n)
	return 2*distuv.UnitNormal.CDF(half/true) - 1
}
