package metric

import (
	"slices"

	"assay/record"
	"assay/stats"
)

// Bounds are the errors that the client stayed within: client_error.v2.
type Bounds struct {
	TTFT Bound `json:"ttft"`
	Gap  Bound `json:"gap"`
}

// A Bound is an error that the client stayed within, in seconds.
type Bound struct {
	Seconds   float64  `json:"seconds"`
	Statistic string   `json:"statistic"`     // p99, or max where there are too few values for it
	N         int      `json:"n"`             // values in the smaller of the two calibrations
	Before    *float64 `json:"before"`        // error before the run; null when not measured
	After     *float64 `json:"after"`         // after it
	Run       *float64 `json:"run,omitempty"` // what the launches themselves show; absent when they show nothing
}

// unseenMoments is by how much the error of a stamp is taken for larger than a known
// stream showed: a second of it holds few of the moments that a run of minutes has.
// docs/evidence/truth.md says how often the bounds then hold.
const unseenMoments = 2

// boundsOf is nil when neither calibration could be made. How long a request took to
// leave, and how late its first event may have been read, the launches say themselves;
// how far a stamp is from the truth only a known stream can tell.
func boundsOf(before, after *record.Calibration, launches []ClientHealth) *Bounds {
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
	b := &Bounds{
		TTFT: worst(func(c *record.Calibration) record.ErrorSpread { return c.TTFT }),
		Gap:  worst(func(c *record.Calibration) record.ErrorSpread { return c.Gap }),
	}
	stamp := worst(func(c *record.Calibration) record.ErrorSpread { return c.Stamp })
	for _, h := range launches {
		if h.OwnTTFT != nil {
			run := *h.OwnTTFT + unseenMoments*stamp.Seconds
			if b.TTFT.Run == nil || run > *b.TTFT.Run {
				b.TTFT.Run = &run
			}
			b.TTFT.Seconds = max(b.TTFT.Seconds, run)
		}
	}
	return b
}

// worstOf is the larger of the errors before and after the run.
func worstOf(made []*record.Calibration, before *record.Calibration, of func(*record.Calibration) record.ErrorSpread) Bound {
	n := of(slices.MinFunc(made, func(a, b *record.Calibration) int { return of(a).N - of(b).N })).N
	bound := Bound{Statistic: "p99", N: n}
	if n < fewestForP99 {
		bound.Statistic = "max"
	}
	for _, c := range made {
		ns := of(c).P99
		if n < fewestForP99 {
			ns = of(c).Max
		}
		v := seconds(ns)
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

// highest is the p99 of values, or the largest where there are too few for it; nil
// without any. It sorts them.
func highest(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	slices.Sort(values)
	v := values[len(values)-1]
	if len(values) >= fewestForP99 {
		v = stats.OfRank(values, .99)
	}
	return &v
}

// ownTTFT is what the client added to the TTFT of t, in seconds, as far as its record
// shows: from the origin to the last byte written, and how late the first event may have
// been read. One that was read together with others came up to so many gaps before.
func (t *Timeline) ownTTFT() float64 {
	out := t.Sent
	if t.Wrote != nil {
		out = *t.Wrote
	}
	first, last, events, together := int64(0), int64(0), 0, 0
	for i := range t.Events {
		c := &t.Events[i]
		if !c.Kind.Output() {
			continue
		}
		if events == 0 {
			first = c.At
		} else if events == together+1 && readLater(c) {
			together++
		}
		events++
		last = c.At
	}
	late := int64(0)
	switch after := events - 1 - together; {
	case together > 0 && after > 0:
		late = int64(together) * (last - first) / int64(after)
	case together > 0:
		late = first - out // all of it in one read: it may have begun any time before
	}
	return seconds(out - t.Origin() + late)
}
