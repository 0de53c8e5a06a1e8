package stats

import (
	"cmp"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// The methods of two sides, and of one, whose spread earlier runs know as well.
const (
	WithPastMethod           = "moderated-t/log"
	RatioWithPastMethod      = "ratio-of-geometric-means/moderated-t"
	NotWorseWithPastMethod   = "non-inferiority/moderated-t-log"
	EquivalentWithPastMethod = "tost/moderated-t-log"
	OtherDaysMethod          = "geometric-mean/t-with-earlier-runs"
)

// A Comparison is the log ratio of two sides whose spread earlier runs know as well.
type Comparison struct {
	contrast
	n   int   // launches of the smaller side
	err error // why the sides cannot be compared; every question answers with it

	// Borrowed says that the spread of launches is that of earlier runs too; false where the
	// launches are wilder than theirs.
	Borrowed bool
}

// Compare holds b against a, which are above zero; in pairs where b[i] and a[i] belong to one
// block. Pairs are taken to differ as two launches do: what blocks share makes them
// differ less, and this test more careful than it need be.
func (p Past) Compare(a, b []float64, paired bool) Comparison {
	var now contrast
	var err error
	variance, df, weight, runs := 0.0, 0.0, 0.0, 2.0
	if paired {
		if now, err = pairedLogContrast(a, b); err != nil {
			return Comparison{err: err}
		}
		n := float64(len(a))
		variance, df, weight, runs = now.se*now.se*n/2, n-1, 2/n, 0
	} else {
		if now, err = logContrast(a, b); err != nil {
			return Comparison{err: err}
		}
		logs, _ := logsOf(a, b) // they have logarithms, as logContrast knows
		na, _, va := moments(logs[0])
		nb, _, vb := moments(logs[1])
		df, weight = na+nb-2, 1/na+1/nb
		variance = ((na-1)*va + (nb-1)*vb) / df
	}
	c := Comparison{contrast: now, n: min(len(a), len(b))}
	var launch Scatter
	launch, c.Borrowed = p.borrow(variance, df)
	if !c.Borrowed { // the sides may be of unlike spread
		launch = Scatter{now.se / math.Sqrt(weight), now.df}
	}
	if paired {
		p = p.OfLaunches()
	}
	c.se, c.df = p.spreadOf(launch, weight, runs)
	return c
}

// Test asks whether the sides differ, two-sided.
func (c Comparison) Test() (Test, error) {
	if c.err != nil {
		return Test{}, c.err
	}
	return c.test(WithPastMethod)
}

// Ratio is b ÷ a with its interval.
func (c Comparison) Ratio(confidence float64) (Estimate, error) {
	if err := cmp.Or(c.err, needConfidence(confidence)); err != nil {
		return Estimate{}, err
	}
	est := exponential(c.estimate(confidence, c.n, RatioWithPastMethod))
	if !c.Borrowed {
		est.Warnings = append(est.Warnings, "the launches spread more than those of earlier runs, so their spread is taken as it is now")
	}
	return est, nil
}

// Equivalent is the test of that name with what the past knows.
func (c Comparison) Equivalent(margin, alpha float64) (Test, error) {
	if err := cmp.Or(c.err, needMargin(margin, alpha)); err != nil {
		return Test{}, err
	}
	return tost(c.contrast, margin, alpha, EquivalentWithPastMethod)
}

// NotWorse is NonInferior with what the past knows.
func (c Comparison) NotWorse(margin float64, lowerIsBetter bool) (Test, error) {
	if err := cmp.Or(c.err, needMargin(margin, .05)); err != nil {
		return Test{}, err
	}
	return notWorse(c.contrast, margin, lowerIsBetter, NotWorseWithPastMethod)
}

// Detectable is the smallest relative difference that would be shown with the given power by a
// two-sided test at level alpha; infinite for sides that cannot be compared.
func (c Comparison) Detectable(alpha, power float64) float64 {
	if c.err != nil {
		return math.Inf(1)
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: c.df}
	return (t.Quantile(1-alpha/2) + t.Quantile(power)) * c.se
}

// OtherDays is the value that runs of this system have on other days too: that of the launches
// now, with an interval in which the spread from run to run counts as well. It is the geometric
// mean of the launches.
func (p Past) OtherDays(launches []float64, confidence float64) (Estimate, error) {
	if err := needConfidence(confidence); err != nil {
		return Estimate{}, err
	}
	if err := needValues(1, launches); err != nil {
		return Estimate{}, err
	}
	logs, err := logsOf(launches)
	if err != nil {
		return Estimate{}, err
	}
	n, mean, variance := moments(logs[0])
	launch := p.Launch
	if n > 1 {
		launch, _ = p.borrow(variance, n-1)
	}
	c := contrast{difference: mean}
	c.se, c.df = p.spreadOf(launch, 1/n, 1)
	return exponential(c.estimate(confidence, len(launches), OtherDaysMethod)), nil
}
