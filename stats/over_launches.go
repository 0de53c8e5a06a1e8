package stats

import (
	"fmt"
	"math"
	"slices"
)

// WidenedMeanMethod names the interval of OverLaunches where launches spread so
// widely that Student's alone would be too narrow.
const WidenedMeanMethod = "mean/student-t+log-normal"

const (
	// wideSpread is the coefficient of variation from which Student's interval is
	// widened. Below it the skew of log-normal launches costs half a point of coverage
	// at most; at 50 % it costs three.
	wideSpread = .1

	// tooWideSpread is the spread of the logarithms beyond which the log-normal
	// interval covers too seldom as well.
	tooWideSpread = 1
)

// OverLaunches estimates the mean over launches of a quantity that is not negative,
// one value for each. It is Mean, and where the launches spread by more than a tenth
// its interval also holds that of a log-normal mean (Cox's, with Student's t: Olsson,
// Journal of Statistics Education 13, 2005), since what spreads so widely and has no
// values below zero is skewed. Launches that do not look like one normal sample are
// named in a warning.
func OverLaunches(xs []float64, confidence float64) (Estimate, error) {
	est, err := Mean(xs, confidence)
	if err != nil || !est.Interval.Bounded() || len(xs) < minMeanSamples {
		return est, err
	}
	if CV(xs) > wideSpread && !slices.ContainsFunc(xs, func(x float64) bool { return x <= 0 }) {
		est.widen(xs, confidence)
	}
	if warning := launchShape(xs); warning != "" {
		est.Warnings = append(est.Warnings, warning)
	}
	return est, nil
}

// widen makes the interval hold that of a log-normal mean too.
func (est *Estimate) widen(xs []float64, confidence float64) {
	logs := make([]float64, len(xs))
	for i, x := range xs {
		logs[i] = math.Log(x)
	}
	k, mean, variance := moments(logs)
	if math.Sqrt(variance) > tooWideSpread {
		est.Warnings = append(est.Warnings, "the launches differ by factors, so their mean says little and its interval may be too narrow: look at the launches one by one")
		return
	}
	centre := mean + variance/2
	half := TQuantile(1-(1-confidence)/2, len(xs)-1) * math.Sqrt(variance/k+variance*variance/(2*(k-1)))
	est.Method = WidenedMeanMethod
	est.Interval = Hull(est.Interval, Interval{math.Exp(centre - half), math.Exp(centre + half)})
}

const (
	// fewestForShape is the fewest launches whose shape can be seen: of three or four
	// two are close to each other by chance.
	fewestForShape = 5

	// shapeAlpha is how often normal launches are taken for others, as rarely as
	// Dependent errs: a report has a hundred rows.
	shapeAlpha = .001

	// shapeMatters is the spread below which shape moves nothing: counts that differ
	// by one look like no normal sample.
	shapeMatters = .01

	// apartBy is how many times as wide as both groups together a gap between two
	// groups of launches must be for them to be called two modes.
	apartBy = 2
)

// launchShape says in which way the launches do not look like one normal sample;
// empty where they do, or where it does not matter.
func launchShape(xs []float64) string {
	if len(xs) < fewestForShape || !(CV(xs) > shapeMatters) {
		return ""
	}
	if kinds, ok := FindKinds(xs, shapeMatters); ok && kinds.P <= shapeAlpha {
		return twoModes(len(xs)-len(kinds.Upper), len(kinds.Upper))
	}
	w, p, err := ShapiroWilk(xs)
	if err != nil || p >= shapeAlpha || CV(xs) > wideSpread && looksLogNormal(xs) {
		return ""
	}
	lower, gap, within := widestGap(slices.Sorted(slices.Values(xs)))
	if gap > apartBy*within {
		return twoModes(lower, len(xs)-lower)
	}
	return fmt.Sprintf("the launches do not look normal (Shapiro–Wilk W = %.2f, p = %.1g), so the interval may be too narrow", w, p)
}

// looksLogNormal says that launches may be log-normal, for which a widened interval is made.
func looksLogNormal(xs []float64) bool {
	logs, err := logsOf(xs)
	if err != nil {
		return false
	}
	_, p, err := ShapiroWilk(logs[0])
	return err == nil && p >= shapeAlpha
}

func twoModes(lower, higher int) string {
	return fmt.Sprintf("the launches have two modes, %d lower and %d higher: their mean belongs to neither", lower, higher)
}

// widestGap splits sorted values where two neighbours lie furthest apart: how many lie
// below, how wide the gap is, and how wide both groups are together.
func widestGap(sorted []float64) (below int, gap, within float64) {
	for i := 1; i < len(sorted); i++ {
		if d := sorted[i] - sorted[i-1]; d > gap {
			below, gap = i, d
		}
	}
	return below, gap, sorted[len(sorted)-1] - sorted[0] - gap
}
