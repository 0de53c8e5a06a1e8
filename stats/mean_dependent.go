package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
)

// MeanDependentMethod names the interval of MeanDependent.
const MeanDependentMethod = "mean-effective-n/student-t"

// MeanDependent estimates the mean of xs, values in the order of time that may
// depend on their neighbours, such as the requests of one launch: Student's t
// interval with the effective number of values in place of their number. It
// speaks about this launch alone; launches differ.
//
// It refuses, with an interval without ends, below an effective number of
// fewestEffective, and below fewestStrong values that depend strongly.
func MeanDependent(xs []float64, confidence float64) (Estimate, error) {
	if len(xs) == 0 {
		return Estimate{}, ErrNoSamples
	}
	if confidence <= 0 || confidence >= 1 {
		return Estimate{}, fmt.Errorf("confidence %v: want between 0 and 1", confidence)
	}
	n := float64(len(xs))
	mean, sd := stat.MeanStdDev(xs, nil)
	effect, lags := designEffect(xs)
	// Autocovariances are taken around the sample's own mean and are too small by the
	// variance of that mean, each of them.
	effect /= max(.5, 1-2*float64(lags)/n)
	// The design effect has a relative variance of 2(2·lags+1)/n (Sokal, 1996), that
	// of a variance with n/(2·lags+1) degrees of freedom. Half a standard deviation is
	// added, because of a queue the mean and its variance are too small together:
	// without it 92 % of the intervals of 5,000 response times cover, not 95.
	freedom := max(1, n/float64(2*lags+1))
	effect *= 1 + math.Sqrt(2/freedom)/2
	est := Estimate{Value: mean, Interval: Unbounded, N: len(xs), Method: MeanDependentMethod, EffectiveN: n / effect}
	if est.EffectiveN < fewestEffective {
		est.Warnings = []string{fmt.Sprintf("too few independent values for an interval (need an effective n ≥ %d, have %.0f of %d)", fewestEffective, est.EffectiveN, est.N)}
		return est, nil
	}
	if effect > strongEffect && len(xs) < fewestStrong {
		est.Warnings = []string{fmt.Sprintf("too few values for an interval where each says so much about the next (need n ≥ %d, have %d)", fewestStrong, est.N)}
		return est, nil
	}
	half := TQuantile(1-(1-confidence)/2, int(min(est.EffectiveN-1, freedom))) * sd / math.Sqrt(est.EffectiveN)
	est.Interval, est.Confidence = Interval{mean - half, mean + half}, confidence
	return est, nil
}

// Where one value says much about the next, a short sample may miss the rare long
// stretches that decide the mean, and then looks more independent than it is: of
// 1,000 response times of a queue those that passed the rule below covered in one of
// three cases.
const (
	strongEffect = 5
	fewestStrong = 2000
)

// fewestEffective is the least effective number of values for which the estimate
// of that number itself is good enough.
const fewestEffective = 80
