package stats

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// TheilSenMethod names the interval of TheilSenLine.
const TheilSenMethod = "theil-sen/kendall-ranks"

// A Line is the straight line of TheilSenLine.
type Line struct {
	Slope     Estimate `json:"slope"`
	Intercept float64  `json:"intercept"`
}

// mostLinePoints bounds the pairs.
const mostLinePoints = 3000

// TheilSenLine fits a line by the median of the slopes of all pairs of points, which
// a quarter of bad points does not move. The interval of the slope is between the
// slopes that Kendall's test would not reject (Sen, 1968); the intercept leaves as
// many points above the line as below. Points with the same x give no slope.
func TheilSenLine(xs, ys []float64, confidence float64) (Line, error) {
	if err := needConfidence(confidence); err != nil {
		return Line{}, err
	}
	if err := needPairs(2, xs, ys); err != nil {
		return Line{}, err
	}
	if len(xs) > mostLinePoints {
		return Line{}, fmt.Errorf("%d points: want %d at most; fit means of them", len(xs), mostLinePoints)
	}
	var slopes []float64
	for j := range xs {
		for i := range j {
			if xs[i] != xs[j] {
				slopes = append(slopes, (ys[j]-ys[i])/(xs[j]-xs[i]))
			}
		}
	}
	if len(slopes) == 0 {
		return Line{}, ErrSingular
	}
	slope := sortedMiddle(slopes)
	residuals := make([]float64, len(xs))
	for i := range xs {
		residuals[i] = ys[i] - slope*xs[i]
	}
	line := Line{
		Slope:     Estimate{Value: slope, Interval: Unbounded, N: len(xs), Method: TheilSenMethod},
		Intercept: sortedMiddle(slices.Clone(residuals)),
	}
	if Dependent(residuals) {
		line.Slope.Warnings = []string{misfitWarning}
		return line, nil
	}
	n := float64(len(xs))
	variance := (n*(n-1)*(2*n+5) - tiesOf(xs) - tiesOf(ys)) / 18
	if variance <= 0 {
		line.Slope.Warnings = []string{"the values hardly differ: the slope has no bounds"}
		return line, nil
	}
	reach := distuv.UnitNormal.Quantile(1-(1-confidence)/2) * math.Sqrt(variance)
	pairs := float64(len(slopes))
	low := int(math.RoundToEven((pairs-reach)/2)) - 1
	high := int(math.RoundToEven((pairs + reach) / 2))
	if low < 0 || high > len(slopes)-1 {
		line.Slope.Warnings = []string{fmt.Sprintf("%d points have too few pairs for an interval", len(xs))}
		return line, nil
	}
	line.Slope.Interval, line.Slope.Confidence = Interval{slopes[low], slopes[high]}, confidence
	return line, nil
}

// tiesOf is what equal values take off the variance of Kendall's score.
func tiesOf(xs []float64) float64 {
	counts := map[float64]float64{}
	for _, x := range xs {
		counts[x]++
	}
	sum := 0.0
	for _, k := range counts {
		sum += k * (k - 1) * (2*k + 5) // whole numbers: the order does not matter
	}
	return sum
}

// sortedMiddle sorts xs and returns the median.
func sortedMiddle(xs []float64) float64 {
	slices.Sort(xs)
	return middle(xs)
}
