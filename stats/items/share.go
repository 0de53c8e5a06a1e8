package items

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/stats"
)

// The intervals of a share of right answers.
const (
	Wilson         = "wilson"
	ClopperPearson = "clopper-pearson"
	Jeffreys       = "jeffreys"
	AgrestiCoull   = "agresti-coull"
)

// ShareIntervals lists the methods of Share, the usual one first. All of them hold near
// 0 and 1, where ± 1.96 standard errors does not.
var ShareIntervals = []struct {
	Name     string
	interval func(k, n, confidence float64) stats.Interval
}{
	{Wilson, wilson},
	{ClopperPearson, clopperPearson},
	{Jeffreys, jeffreys},
	{AgrestiCoull, agrestiCoull},
}

// Share estimates the share of right answers from those of n independent items.
func Share(method string, right, n int, confidence float64) (stats.Estimate, error) {
	if n <= 0 {
		return stats.Estimate{}, ErrNoItems
	}
	if right < 0 || right > n || !(confidence > 0 && confidence < 1) {
		return stats.Estimate{}, fmt.Errorf("%d of %d at confidence %v: want 0 ≤ right ≤ n and a confidence between 0 and 1", right, n, confidence)
	}
	for _, m := range ShareIntervals {
		if m.Name == method {
			return stats.Estimate{
				Value: float64(right) / float64(n), Interval: m.interval(float64(right), float64(n), confidence),
				Confidence: confidence, N: n, Method: method,
			}, nil
		}
	}
	return stats.Estimate{}, fmt.Errorf("interval %q: want %s, %s, %s or %s", method, Wilson, ClopperPearson, Jeffreys, AgrestiCoull)
}

// wilson is the score interval (Wilson: JASA 22, 1927).
func wilson(k, n, confidence float64) stats.Interval {
	c := z(1 - (1-confidence)/2)
	p := k / n
	middle := (p + c*c/(2*n)) / (1 + c*c/n)
	half := c / (1 + c*c/n) * math.Sqrt(p*(1-p)/n+c*c/(4*n*n))
	interval := stats.Interval{Lo: middle - half, Hi: middle + half}
	if k == 0 {
		interval.Lo = 0 // and not what rounding leaves of it
	}
	if k == n {
		interval.Hi = 1
	}
	return interval
}

// clopperPearson never covers less often than it says.
func clopperPearson(k, n, confidence float64) stats.Interval {
	tail := (1 - confidence) / 2
	return stats.Interval{Lo: stats.ShareAtLeast(k, n, tail), Hi: stats.ShareAtMost(k, n, tail)}
}

// jeffreys is the equal-tailed one of Bayes with the prior Beta(½, ½). Its ends are not
// moved to 0 and 1 where all answers are wrong or right.
func jeffreys(k, n, confidence float64) stats.Interval {
	tail := (1 - confidence) / 2
	b := distuv.Beta{Alpha: k + .5, Beta: n - k + .5}
	return stats.Interval{Lo: b.Quantile(tail), Hi: b.Quantile(1 - tail)}
}

// agrestiCoull is the plain interval about the middle of Wilson's (Agresti and Coull:
// American Statistician 52, 1998).
func agrestiCoull(k, n, confidence float64) stats.Interval {
	c := z(1 - (1-confidence)/2)
	n += c * c
	p := (k + c*c/2) / n
	half := c * math.Sqrt(p*(1-p)/n)
	return stats.Interval{Lo: math.Max(0, p-half), Hi: math.Min(1, p+half)}
}
