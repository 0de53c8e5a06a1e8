package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// MeanMethod names the interval of Mean.
const MeanMethod = "mean/student-t"

// minMeanSamples is the fewest replicates whose t interval is worth reading: at
// two the half-width is nine standard deviations.
const minMeanSamples = 3

// Mean estimates the mean of xs with Student's t interval. Its xs are
// replicates (one value per launch), never the requests inside one: pooling
// those covers 60 % where it says 95 %. When Dependent sees that the replicates
// hang together in their order there is no interval. Replicates that never vary have
// one without width, and a warning.
func Mean(xs []float64, confidence float64) (Estimate, error) {
	if len(xs) == 0 {
		return Estimate{}, ErrNoSamples
	}
	if confidence <= 0 || confidence >= 1 {
		return Estimate{}, fmt.Errorf("confidence %v: want between 0 and 1", confidence)
	}
	est := Estimate{N: len(xs), Method: MeanMethod, Interval: Unbounded, UnseenShare: UnseenShare(len(xs), confidence)}
	if len(xs) == 1 {
		est.Value = xs[0]
		est.Warnings = []string{"one replicate: no uncertainty can be stated"}
		return est, nil
	}
	mean, sd := stat.MeanStdDev(xs, nil)
	if Dependent(xs) {
		est.Value, est.Warnings = mean, []string{dependentWarning}
		return est, nil
	}
	half := TQuantile(1-(1-confidence)/2, len(xs)-1) * sd / math.Sqrt(float64(len(xs)))
	est.Value, est.Interval, est.Confidence = mean, Interval{mean - half, mean + half}, confidence
	switch {
	case !(sd > roundingSpread*math.Abs(mean)):
		est.Interval = Interval{mean, mean}
		est.Warnings = []string{noSpreadWarning}
	case len(xs) < minMeanSamples:
		est.Warnings = []string{fmt.Sprintf("%d replicates: the interval is too wide to use, want at least %d", len(xs), minMeanSamples)}
	}
	return est, nil
}

// TQuantile is the p-quantile of Student's t with df degrees of freedom.
func TQuantile(p float64, df int) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(df)}.Quantile(p)
}

// CV is the coefficient of variation of xs with the n−1 standard deviation; it
// is NaN for fewer than two values or a zero mean.
func CV(xs []float64) float64 {
	if len(xs) < 2 {
		return math.NaN()
	}
	mean, sd := stat.MeanStdDev(xs, nil)
	if mean == 0 {
		return math.NaN()
	}
	return sd / math.Abs(mean)
}
