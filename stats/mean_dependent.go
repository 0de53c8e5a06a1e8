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
// fewestEffective.
func MeanDependent(xs []float64, confidence float64) (Estimate, error) {
	if len(xs) == 0 {
		return Estimate{}, ErrNoSamples
	}
	if confidence <= 0 || confidence >= 1 {
		return Estimate{}, fmt.Errorf("confidence %v: want between 0 and 1", confidence)
	}
	mean, sd := stat.MeanStdDev(xs, nil)
	est := Estimate{
		Value: mean, Interval: Unbounded, N: len(xs), Method: MeanDependentMethod,
		EffectiveN: float64(len(xs)) / DesignEffect(xs),
	}
	if est.EffectiveN < fewestEffective {
		est.Warnings = []string{fmt.Sprintf("too few independent values for an interval (need an effective n ≥ %d, have %.0f of %d)", fewestEffective, est.EffectiveN, est.N)}
		return est, nil
	}
	half := TQuantile(1-(1-confidence)/2, int(est.EffectiveN)-1) * sd / math.Sqrt(est.EffectiveN)
	est.Interval, est.Confidence = Interval{mean - half, mean + half}, confidence
	return est, nil
}

// fewestEffective is the least effective number of values for which the estimate
// of that number itself is good enough.
const fewestEffective = 150
