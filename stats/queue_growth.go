package stats

import "math"

// QueueGrowth is what the number of calls in flight says about a queue: whether
// the system keeps up with what arrives.
type QueueGrowth struct {
	Seconds   float64  `json:"seconds"`             // observed
	Rate      float64  `json:"rate"`                // arrivals per second
	First     float64  `json:"first"`               // in flight at the beginning: the median of the first tenth
	Last      float64  `json:"last"`                // and at the end
	Slope     float64  `json:"slope"`               // growth per second, Theil–Sen
	P         float64  `json:"p"`                   // of the trend, Mann–Kendall with Hamed and Rao's variance
	Walk      float64  `json:"walk"`                // the growth in standard deviations of a balanced queue
	ResponseP *float64 `json:"responseP,omitempty"` // of the trend of response times; null when too few ended
}

const (
	// leastGrowth is the share of arrivals that must pile up. Less than that is
	// no overload that a window of a minute or so could tell from luck.
	leastGrowth = 0.05

	// leastWalk is how far beyond a balanced queue the growth must be. A queue
	// whose arrivals and completions balance exactly, both Poisson, wanders as a
	// random walk with variance 2λT; 2.33 is 1 % on one side.
	leastWalk = 2.33

	// leastBins is the shortest series worth a look.
	leastBins = 20

	// responseAlpha is the level for response times. They are a second witness
	// and need not be as sure as the first.
	responseAlpha = 0.05
)

// GrowingQueue tests whether a queue grows without bound. inFlight is the number
// of calls under way at equal steps of the given seconds, response the median
// response time of the calls that ended in each step (NaN for none), arrivals how
// many calls came meanwhile. All must agree: in-flight rises by a trend of level
// alpha, by a share of the arrivals worth naming, farther than a balanced queue
// wanders, still so in the second half (a server that fills up levels off), and
// response times rise where enough calls ended to tell.
func GrowingQueue(inFlight, response []float64, step float64, arrivals int, alpha float64) (QueueGrowth, bool) {
	n := len(inFlight)
	if n < leastBins || arrivals == 0 {
		return QueueGrowth{P: 1}, false
	}
	trend := MannKendall(inFlight)
	tenth := max(1, n/10)
	g := QueueGrowth{
		Seconds: float64(n-1) * step, Rate: float64(arrivals) / (float64(n-1) * step),
		First: median(inFlight[:tenth]), Last: median(inFlight[n-tenth:]),
		Slope: trend.Slope / step, P: trend.P,
	}
	g.Walk = g.Slope * g.Seconds / math.Sqrt(2*float64(arrivals))
	var ended []float64
	for _, r := range response {
		if !math.IsNaN(r) {
			ended = append(ended, r)
		}
	}
	slower := true
	if len(ended) >= leastBins/2 {
		t := MannKendall(ended)
		g.ResponseP = &t.P
		slower = t.S > 0 && t.P <= responseAlpha
	}
	late := TheilSen(inFlight[n/2:]) / step
	return g, trend.S > 0 && g.P <= alpha && slower &&
		g.Slope >= leastGrowth*g.Rate && g.Walk >= leastWalk && late >= g.Slope/2
}

func median(xs []float64) float64 {
	est, err := Quantile(xs, 0.5, 0.95)
	if err != nil {
		return 0 // nothing in, nothing out
	}
	return est.Value
}
