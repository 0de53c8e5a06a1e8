package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// DepartureMethod names the test of Departure.
const DepartureMethod = "t/next-values"

// FewestBefore is how many values a level rests on before others can depart from it:
// with fewer, the spread is anybody's guess and so is the threshold.
const FewestBefore = 6

// Departure tests whether the newest values still belong to the level of those before.
// It needs fewer of them than a change point does, and sees less: it is a first alarm,
// which a confirmation run settles.
//
// It is the t test of the mean of recent against the values before, whose spread is
// taken for both, so that two new values suffice. All recent values must lie on the same
// side of the level, each by more than one standard deviation: otherwise P is 1, since a
// single spike would move the mean alone.
func Departure(before, recent []float64) (Test, error) {
	if len(before) < FewestBefore || len(recent) < 1 {
		return Test{}, fmt.Errorf("%d values before and %d new ones: want at least %d and 1", len(before), len(recent), FewestBefore)
	}
	mean, sd := stat.MeanStdDev(before, nil)
	n, m := float64(len(before)), float64(len(recent))
	t := Test{Method: DepartureMethod, P: 1}
	t.Statistic = (stat.Mean(recent, nil) - mean) / (sd * math.Sqrt(1/n+1/m))
	switch {
	case stat.Mean(recent, nil) == mean:
		t.Statistic = 0
		return t, nil
	case sd == 0: // a level without any noise: whatever differs, departs
		t.P = 0
		return t, nil
	}
	for _, x := range recent {
		if (x-mean)*t.Statistic <= 0 || math.Abs(x-mean) <= sd {
			return t, nil
		}
	}
	t.P = 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.CDF(-math.Abs(t.Statistic))
	return t, nil
}
