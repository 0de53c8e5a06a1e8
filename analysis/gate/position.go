package gate

import (
	"math"

	"assay/metric"
	"assay/stats"
)

// loss is how much worse the candidate is, with its interval, and how much worse
// it may be: as logarithms of factors for a relative margin, in the metric's unit
// for an absolute one. Above zero is worse.
type loss struct {
	value, limit float64
	interval     stats.Interval
}

func (q Question) loss(d Decision) loss {
	l := loss{d.Difference.Value, q.Absolute, d.Difference.Interval}
	if q.relative() {
		l = loss{math.Log(d.Ratio.Value), math.Log1p(q.Margin), stats.Interval{Lo: logAbove(d.Ratio.Interval.Lo), Hi: math.Log(d.Ratio.Interval.Hi)}}
	}
	if q.Better == metric.Higher {
		l.value, l.interval = -l.value, stats.Interval{Lo: -l.interval.Hi, Hi: -l.interval.Lo}
	}
	return l
}

// logAbove is the logarithm of a ratio's lower end, which may be cut at zero.
func logAbove(ratio float64) float64 {
	if ratio <= 0 {
		return math.Inf(-1)
	}
	return math.Log(ratio)
}

// position says in words where the interval lies beside no change and the margin
// on both sides of it: the ten ways in which two ends can lie among three marks.
func (l loss) position() string {
	lo, hi := l.interval.Lo, l.interval.Hi
	switch {
	case lo >= l.limit:
		return "the interval is worse by more than the margin throughout"
	case lo > 0 && hi < l.limit:
		return "the interval is worse throughout, by less than the margin"
	case lo > 0:
		return "the interval is worse throughout, by less or by more than the margin"
	case hi <= -l.limit:
		return "the interval is better by more than the margin throughout"
	case hi < 0 && lo > -l.limit:
		return "the interval is better throughout, by less than the margin"
	case hi < 0:
		return "the interval is better throughout, by less or by more than the margin"
	case lo > -l.limit && hi < l.limit:
		return "the interval holds no change, and nothing beyond the margin"
	case hi < l.limit:
		return "the interval holds no change and an improvement beyond the margin, but no loss beyond it"
	case lo > -l.limit:
		return "the interval holds both no change and a loss beyond the margin"
	}
	return "the interval holds everything from an improvement to a loss beyond the margin"
}
