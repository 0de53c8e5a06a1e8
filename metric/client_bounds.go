package metric

import (
	"slices"

	"assay/record"
)

// Bounds are the errors that the client made about a known stream, before the run and
// after it: client_error.v3. What the run itself shows of its own error is in
// ClientHealth.Moved; ErrorOf holds the two together.
type Bounds struct {
	TTFT  Bound `json:"ttft"`
	Gap   Bound `json:"gap"`
	Stamp Bound `json:"stamp"` // of a token, and so a part of both
}

// A Bound is the distribution of an error of the client, in seconds: the larger of before
// and after.
type Bound struct {
	Usual     float64  `json:"usual"` // the p50, or the mean without the largest tenth where that is larger: see at
	P90       float64  `json:"p90"`
	Seconds   float64  `json:"seconds"`   // of the statistic
	Statistic string   `json:"statistic"` // p99, or max where there are too few values for it
	N         int      `json:"n"`         // values in the smaller of the two calibrations
	Before    *float64 `json:"before"`    // Seconds before the run; null when not measured
	After     *float64 `json:"after"`     // after it
}

// at is the error at a quantile: the usual error stands beside a median, and a tail
// beside a tail. Where a third of the values is late by much, the median of the errors is
// small and that of the times moves all the same, by about the errors' mean; the largest
// tenth moves no median by more than a place in twenty.
func (b Bound) at(q float64) float64 {
	switch {
	case q <= .5:
		return b.Usual
	case q <= .9:
		return b.P90
	}
	return b.Seconds
}

// boundsOf is nil when neither calibration could be made.
func boundsOf(before, after *record.Calibration) *Bounds {
	var made []*record.Calibration
	for _, c := range []*record.Calibration{before, after} {
		if c != nil && c.Unavailable == "" {
			made = append(made, c)
		}
	}
	if len(made) == 0 {
		return nil
	}
	worst := func(of func(*record.Calibration) record.ErrorSpread) Bound { return worstOf(made, before, of) }
	return &Bounds{
		TTFT:  worst(func(c *record.Calibration) record.ErrorSpread { return c.TTFT }),
		Gap:   worst(func(c *record.Calibration) record.ErrorSpread { return c.Gap }),
		Stamp: worst(func(c *record.Calibration) record.ErrorSpread { return c.Stamp }),
	}
}

// worstOf is the larger of the errors before and after the run.
func worstOf(made []*record.Calibration, before *record.Calibration, of func(*record.Calibration) record.ErrorSpread) Bound {
	n := of(slices.MinFunc(made, func(a, b *record.Calibration) int { return of(a).N - of(b).N })).N
	bound := Bound{Statistic: "p99", N: n}
	if n < fewestForP99 {
		bound.Statistic = "max"
	}
	for _, c := range made {
		spread := of(c)
		ns := spread.P99
		if n < fewestForP99 {
			ns = spread.Max
		}
		v := seconds(ns)
		bound.Usual = max(bound.Usual, seconds(spread.P50), seconds(spread.Mean))
		if spread.P90 > 0 {
			bound.P90 = max(bound.P90, seconds(spread.P90))
		} else { // a calibration of format 1.0
			bound.P90 = max(bound.P90, v)
		}
		bound.Seconds = max(bound.Seconds, v)
		if c == before {
			bound.Before = &v
		} else {
			bound.After = &v
		}
	}
	return bound
}

// fewestForP99 is the least number of values whose largest lies above the true
// p99 with 95 % confidence: 0.99^299 < 0.05.
const fewestForP99 = 299
