package stats

import (
	"fmt"
	"math"
)

// The methods of equivalence and non-inferiority. Their P are of one side.
const (
	EquivalentMethod        = "tost/welch-t-log"
	EquivalentPairedMethod  = "tost/paired-t-log"
	NonInferiorMethod       = "non-inferiority/welch-t-log"
	NonInferiorPairedMethod = "non-inferiority/paired-t-log"
)

// Equivalent tests whether a and b differ by less than a margin, by two one-sided
// tests on the log ratio (Schuirmann 1987): b/a is shown to lie between 1/(1+margin)
// and 1+margin when P ≤ alpha, which is when the interval of RatioOfMeans at
// confidence 1 − 2·alpha lies in there. P is the larger of the two, Statistic the t
// of that one. A large P does not show a difference: not to have shown the one is
// not to have shown the other. A warning says when the design could hardly have
// shown equivalence of two equal systems; LaunchesForEquivalence says what could.
func Equivalent(a, b []float64, margin, alpha float64) (Test, error) {
	if err := needMargin(margin, alpha); err != nil {
		return Test{}, err
	}
	c, err := logContrast(a, b)
	if err != nil {
		return Test{}, err
	}
	return tost(c, margin, alpha, EquivalentMethod)
}

// EquivalentPaired is Equivalent where a[i] and b[i] belong to one block.
func EquivalentPaired(a, b []float64, margin, alpha float64) (Test, error) {
	if err := needMargin(margin, alpha); err != nil {
		return Test{}, err
	}
	c, err := pairedLogContrast(a, b)
	if err != nil {
		return Test{}, err
	}
	return tost(c, margin, alpha, EquivalentPairedMethod)
}

// NonInferior tests whether b is not worse than a by a margin: P is small when the
// factor by which b is worse is shown to be below 1+margin. What is worse depends
// on the metric: more, when lowerIsBetter, and else less.
func NonInferior(a, b []float64, margin float64, lowerIsBetter bool) (Test, error) {
	if err := needMargin(margin, 0.05); err != nil {
		return Test{}, err
	}
	c, err := logContrast(a, b)
	if err != nil {
		return Test{}, err
	}
	return notWorse(c, margin, lowerIsBetter, NonInferiorMethod)
}

// NonInferiorPaired is NonInferior where a[i] and b[i] belong to one block.
func NonInferiorPaired(a, b []float64, margin float64, lowerIsBetter bool) (Test, error) {
	if err := needMargin(margin, 0.05); err != nil {
		return Test{}, err
	}
	c, err := pairedLogContrast(a, b)
	if err != nil {
		return Test{}, err
	}
	return notWorse(c, margin, lowerIsBetter, NonInferiorPairedMethod)
}

// leastEquivalencePower is where a design is called unable to show equivalence:
// worse than the toss of a coin.
const leastEquivalencePower = 0.5

func tost(c contrast, margin, alpha float64, method string) (Test, error) {
	if c.se == 0 {
		return Test{}, ErrNoSpread
	}
	limit := math.Log1p(margin)
	above, below := (c.difference+limit)/c.se, (c.difference-limit)/c.se
	pAbove, pBelow := tTail(above, c.df), tTail(-below, c.df)
	test := Test{Statistic: above, DF: c.df, P: pAbove, Method: method}
	if pBelow > pAbove {
		test.Statistic, test.P = below, pBelow
	}
	if power := tostPower(0, margin, alpha, design{c.se, c.df}); power < leastEquivalencePower {
		test.Warnings = []string{fmt.Sprintf("with this noise two equal systems are shown equivalent within %.3g %% in %.0f %% of such comparisons only", 100*margin, 100*power)}
	}
	return test, nil
}

func notWorse(c contrast, margin float64, lowerIsBetter bool, method string) (Test, error) {
	if c.se == 0 {
		return Test{}, ErrNoSpread
	}
	worse := c.difference
	if !lowerIsBetter {
		worse = -worse
	}
	t := (worse - math.Log1p(margin)) / c.se
	return Test{Statistic: t, DF: c.df, P: tTail(-t, c.df), Method: method}, nil
}

func needMargin(margin, alpha float64) error {
	if !(margin > 0) || math.IsInf(margin, 1) || !(alpha > 0 && alpha < 0.5) {
		return fmt.Errorf("margin %v at level %v: want a margin above 0, such as 0.03 for 3 %%, and a level between 0 and 0.5", margin, alpha)
	}
	return nil
}

func logContrast(a, b []float64) (contrast, error) {
	if err := needValues(2, a, b); err != nil {
		return contrast{}, err
	}
	logs, err := logsOf(a, b)
	if err != nil {
		return contrast{}, err
	}
	return welch(logs[0], logs[1]), nil
}

func pairedLogContrast(a, b []float64) (contrast, error) {
	if err := needPairs(2, a, b); err != nil {
		return contrast{}, err
	}
	logs, err := logsOf(a, b)
	if err != nil {
		return contrast{}, err
	}
	return pairs(logs[0], logs[1]), nil
}
