package watch

import (
	"math"
	"time"

	"assay/plan"
)

// A FinishedPoint is a point that is over, as it was seen: figures without intervals,
// which the report replaces.
type FinishedPoint struct {
	Launch int    // from 1
	Side   string // empty in a run of one side
	Point  plan.Point

	RequestsPerSecond, TokensPerSecond float64 // of answers that ended within the window; NaN without one

	TTFT             Ladder
	Requests, Failed int64 // of the window

	Objectives []Standing
}

// mostFinished bounds the points that are kept: more rows than any terminal shows.
const mostFinished = 500

// A windowCount is what had been counted when the measured window began or ended.
type windowCount struct{ ok, tokens int64 }

// finish keeps the figures of the point under way, once.
func (v *Live) finish(now time.Time) {
	a := &v.at
	if a.kept || a.window.IsZero() || a.point.Kind() != plan.KindServing {
		return
	}
	a.kept = true
	if len(v.finished) == mostFinished {
		v.finished = v.finished[1:]
	}
	perSecond, tokens := a.rates(now)
	v.finished = append(v.finished, FinishedPoint{
		Launch: v.launches, Side: v.launch.Side, Point: a.point,
		RequestsPerSecond: perSecond, TokensPerSecond: tokens,
		TTFT: v.ladder(a.ttft), Requests: a.judged(), Failed: a.failed,
		Objectives: v.standings(now),
	})
}

// judged counts the requests of the window that ended well or failed; what the end of
// the point cut off is neither.
func (a *atPoint) judged() int64 { return a.e2e.Count() + a.failed }

// rates are answers and tokens per second of the window so far.
func (a *atPoint) rates(now time.Time) (requests, tokens float64) {
	if a.window.IsZero() {
		return math.NaN(), math.NaN()
	}
	end, count := now, windowCount{a.ok, a.tokens}
	if !a.closed.IsZero() {
		end, count = a.closed, a.closeCount
	}
	took := end.Sub(a.window).Seconds()
	if took <= 0 {
		return math.NaN(), math.NaN()
	}
	return float64(count.ok-a.openCount.ok) / took, float64(count.tokens-a.openCount.tokens) / took
}
