package items

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/stats"
)

// The methods of McNemar's test.
const (
	McNemarExactMethod     = "mcnemar/exact"
	McNemarMidPMethod      = "mcnemar/mid-p"
	McNemarChi2Method      = "mcnemar/chi-squared"
	McNemarCorrectedMethod = "mcnemar/chi-squared-corrected"
)

// Flips are the items whose answer is right with one system and wrong with the other.
// What both get right or wrong says nothing about which of them is better.
type Flips struct {
	Lost   int `json:"lost"`   // right with the first, wrong with the second
	Gained int `json:"gained"` // wrong with the first, right with the second
}

// flipsOf counts them where single holds.
func flipsOf(pairs []Pair) Flips {
	var f Flips
	for _, p := range pairs {
		switch {
		case p.A[0] > p.B[0]:
			f.Lost++
		case p.A[0] < p.B[0]:
			f.Gained++
		}
	}
	return f
}

// Exact is McNemar's test by the binomial distribution: of the items that flipped,
// half should have been lost. Its error rate is never above the level, and mostly far
// below.
func (f Flips) Exact() stats.Test {
	p := 1.0
	if f.Lost != f.Gained {
		p = math.Min(1, 2*f.half().CDF(float64(min(f.Lost, f.Gained))))
	}
	return f.test(p, McNemarExactMethod, true)
}

// MidP counts the observed number of flips by half, which makes up for most of what
// the exact test gives away (Fagerland, Lydersen and Laake: BMC Medical Research
// Methodology 13, 2013).
func (f Flips) MidP() stats.Test {
	p := 1.0
	if f.Lost != f.Gained {
		k, half := float64(min(f.Lost, f.Gained)), f.half()
		p = 2*half.CDF(k) - half.Prob(k)
	}
	return f.test(p, McNemarMidPMethod, true)
}

// Chi2 is McNemar's own approximation, with Edwards' correction for continuity if
// asked. It is for many flips, and for comparison with other tools.
func (f Flips) Chi2(corrected bool) stats.Test {
	off, method := math.Abs(float64(f.Lost-f.Gained)), McNemarChi2Method
	if corrected {
		off, method = off-1, McNemarCorrectedMethod
	}
	t := f.test(1, method, false)
	if n := float64(f.Lost + f.Gained); n > 0 {
		t.Statistic, t.DF = off*off/n, 1
		t.P = distuv.ChiSquared{K: 1}.Survival(t.Statistic)
	}
	return t
}

// Tests are all of them, the one that decides first.
func (f Flips) Tests() []stats.Test {
	return []stats.Test{f.MidP(), f.Exact(), f.Chi2(false), f.Chi2(true)}
}

func (f Flips) half() distuv.Binomial {
	return distuv.Binomial{N: float64(f.Lost + f.Gained), P: .5}
}

func (f Flips) test(p float64, method string, exact bool) stats.Test {
	return stats.Test{Statistic: float64(f.Gained - f.Lost), P: p, Method: method, Exact: exact}
}
