package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
)

// A PassStatus says whether plateaus could be looked for.
type PassStatus string

// The statuses.
const (
	Windowable         PassStatus = "windowable"
	InsufficientPasses PassStatus = "insufficient-passes" // too few passes over the data set
	PartialDataset     PassStatus = "partial-dataset"     // not even one pass
)

// Limits of the super-pass method, after the design that MLCommons published for
// LLM endpoints in 2026.
const (
	passWarmup   = 1   // passes dropped at the beginning
	fewestPasses = 3   // of a plateau
	fewestTrend  = 4   // passes for a trend to be tested
	passSpread   = .08 // the loosest coefficient of variation of a plateau
	passAlpha    = .05 // of the trend test
	passGrowth   = .15 // of the level: a trend that large counts beside a significant test
	passSignal   = 2.  // or one that large beside the scatter around it
	passJump     = .03 // of the level: passes farther off, and beyond the scatter, end a plateau
	jumpScatter  = 3.  // standard deviations of a plateau
	jumpPasses   = 2   // one pass alone is no jump
	confidence   = .95 // of a plateau's interval
)

// A Plateau is a run of passes without a trend or a jump in any gated series.
// Passes are numbered from 0, the dropped one included.
type Plateau struct {
	From   int        `json:"from"`
	To     int        `json:"to"`     // not included
	Levels []Estimate `json:"levels"` // of each series: the mean over passes with Student's t
	Spread float64    `json:"spread"` // the largest coefficient of variation of a series
}

// SuperPasses is what the super-pass method says: a pass is one time through the
// data set, in the order in which requests were issued, so that every pass asks
// the same and passes can be compared.
type SuperPasses struct {
	Status   PassStatus `json:"status"`
	Passes   int        `json:"passes"`
	Plateaus []Plateau  `json:"plateaus,omitempty"` // the first one is the headline

	// Anomaly says that a later plateau has another level, and Pettitt's test of
	// all passes agrees.
	Anomaly bool `json:"anomaly,omitempty"`

	// Drifting says that a series still moves after the first plateau.
	Drifting bool     `json:"drifting,omitempty"`
	Reasons  []string `json:"reasons"`
}

// Steady reports whether the first plateau reaches to the last pass.
func (s SuperPasses) Steady() bool {
	return s.Status == Windowable && len(s.Plateaus) == 1 && s.Plateaus[0].To == s.Passes && !s.Drifting
}

// SuperPass looks for plateaus in gated series that have one value for each pass,
// such as the p50 and the p95 of TTFT and of TPOT. Passes is the number of whole
// passes; with none the data set was asked only in part.
//
// A plateau is grown from the left. A window is admissible when the coefficient of
// variation of every series is at most 8 % and none has a trend: Mann and Kendall
// with Hamed and Rao's variance at 5 %, counted only when the growth over the
// window is twice the scatter around it or 15 % of the level. Two passes in a row
// more than 3 % and three standard deviations off end a plateau.
func SuperPass(passes int, series ...[]float64) (SuperPasses, error) {
	s := SuperPasses{Passes: passes, Status: Windowable}
	for i, xs := range series {
		if len(xs) != passes {
			return s, fmt.Errorf("series %d has %d values for %d passes", i, len(xs), passes)
		}
	}
	switch {
	case passes == 0:
		s.Status = PartialDataset
		s.Reasons = []string{"the data set was not asked once in whole"}
		return s, nil
	case passes < passWarmup+fewestTrend || len(series) == 0:
		s.Status = InsufficientPasses
		s.Reasons = []string{fmt.Sprintf("%d passes over the data set: want at least %d", passes, passWarmup+fewestTrend)}
		return s, nil
	}
	for from := passWarmup; from+fewestPasses <= passes; {
		to := growPlateau(series, from, passes)
		if to == from {
			from++
			continue
		}
		s.Plateaus = append(s.Plateaus, newPlateau(series, from, to))
		from = to
	}
	s.judge(series)
	return s, nil
}

// growPlateau is the end of the longest plateau that begins at from, or from itself.
func growPlateau(series [][]float64, from, passes int) int {
	to := from + fewestPasses
	if !admissible(series, from, to) {
		return from
	}
	for to < passes && !left(series, from, to, passes) && admissible(series, from, to+1) {
		to++
	}
	return to
}

func admissible(series [][]float64, from, to int) bool {
	for _, xs := range series {
		if spread := CV(xs[from:to]); !(spread <= passSpread) || trending(xs[from:to]) {
			return false
		}
	}
	return true
}

// trending reports a trend that is significant and large enough to matter.
func trending(xs []float64) bool {
	if len(xs) < fewestTrend {
		return false
	}
	trend := MannKendall(xs)
	growth := math.Abs(trend.Slope) * float64(len(xs)-1)
	rest := make([]float64, len(xs))
	for i, x := range xs {
		rest[i] = x - trend.Slope*float64(i)
	}
	return trend.P < passAlpha && (growth >= passSignal*stat.StdDev(rest, nil) || growth >= passGrowth*math.Abs(stat.Mean(xs, nil)))
}

// left reports whether the passes from to on have left the level of the plateau
// in some series.
func left(series [][]float64, from, to, passes int) bool {
	for _, xs := range series {
		level, scatter := stat.MeanStdDev(xs[from:to], nil)
		limit := max(passJump*math.Abs(level), jumpScatter*scatter)
		side := xs[to] - level
		gone := math.Abs(side) > limit
		for i := to + 1; i < min(passes, to+jumpPasses); i++ {
			gone = gone && (xs[i]-level)*side > 0 && math.Abs(xs[i]-level) > limit
		}
		if gone {
			return true
		}
	}
	return false
}

func newPlateau(series [][]float64, from, to int) Plateau {
	p := Plateau{From: from, To: to}
	for _, xs := range series {
		level, err := Mean(xs[from:to], confidence)
		if err == nil {
			p.Levels = append(p.Levels, level)
		}
		p.Spread = max(p.Spread, CV(xs[from:to]))
	}
	return p
}

// judge compares the plateaus and says what was found.
func (s *SuperPasses) judge(series [][]float64) {
	if len(s.Plateaus) == 0 {
		s.Reasons = []string{fmt.Sprintf("no %d passes in a row within %.0f %% of each other and without a trend", fewestPasses, 100*passSpread)}
		return
	}
	first := s.Plateaus[0]
	s.Reasons = []string{fmt.Sprintf("passes %d to %d are a plateau with a coefficient of variation of at most %.1f %%", first.From+1, first.To, 100*first.Spread)}
	for i, xs := range series {
		if trending(xs[first.From:]) {
			s.Drifting = true
			s.Reasons = append(s.Reasons, fmt.Sprintf("series %d moves on after it", i+1))
		}
		for _, later := range s.Plateaus[1:] {
			before, after := first.Levels[i].Value, later.Levels[i].Value
			shift := Pettitt(xs[passWarmup:])
			if math.Abs(after-before) > passJump*math.Abs(before) && shift.P < passAlpha {
				s.Anomaly = true
				s.Reasons = append(s.Reasons, fmt.Sprintf("from pass %d on the level of series %d has changed by %+.1f %% (Pettitt p = %.2g)",
					later.From+1, i+1, 100*(after/before-1), shift.P))
			}
		}
	}
}
