package metric

import (
	"cmp"
	"maps"
	"slices"

	"gonum.org/v1/gonum/stat"

	"assay/stats"
)

// Moved is by how much the client moved the first tokens of one point in one launch, in
// seconds, as far as the records of the requests show it: how long they took to leave, and
// how late their first events may have been read. A percentile is moved by the distance of
// that of the TTFTs from that of the TTFTs without the client's part. Percentiles of the parts
// themselves bound nothing: where those who wait for a batch leave late, the median TTFT
// is one of theirs.
type Moved struct {
	Point int     `json:"point"`
	N     int     `json:"n"` // requests
	Mean  float64 `json:"mean"`
	P50   float64 `json:"p50"`
	P90   float64 `json:"p90"`
	P95   float64 `json:"p95"`
	P99   float64 `json:"p99"`
	Max   float64 `json:"max"` // of any one request
}

func (m Moved) at(q float64) float64 {
	switch {
	case q <= .5:
		return m.P50
	case q <= .9:
		return m.P90
	case q <= .95:
		return m.P95
	case q <= .99:
		return m.P99
	}
	return m.Max
}

// An ownPart is the TTFT of a request and the client's part of it, in seconds. Seven digits
// are enough for what is held to a share of it, and there is one for every request.
type ownPart struct{ ttft, own float32 }

// movedOf summarises the first tokens of each point.
func movedOf(seen map[int][]ownPart) (list []Moved) {
	for _, point := range slices.Sorted(maps.Keys(seen)) {
		var with, without, own []float64
		for _, t := range seen[point] {
			with, without, own = append(with, float64(t.ttft)), append(without, float64(t.ttft-t.own)), append(own, float64(t.own))
		}
		slices.Sort(with)
		slices.Sort(without)
		at := func(q float64) float64 { return stats.OfRank(with, q) - stats.OfRank(without, q) }
		list = append(list, Moved{Point: point, N: len(own), Mean: stat.Mean(own, nil), P50: at(.5), P90: at(.9), P95: at(.95), P99: at(.99), Max: slices.Max(own)})
	}
	return list
}

// What no record of the client shows. docs/evidence/honest.md says how often the error of
// a median then holds.
const (
	// unseenMoments is by how much the error of a stamp is taken for larger than a known
	// stream showed: a second of it holds few of the moments that a run of minutes has.
	unseenMoments = 3
	// unseenQueue, in seconds, is what an event may have waited while others were read: an
	// engine that batches sends a token to every user at once, and a known stream is alone.
	unseenQueue = 20e-6
)

// Where the larger part of an own error was seen.
const (
	ShownByRun    = "as its requests show"
	ShownByStream = "as a known stream shows"
)

// An OwnError is what the client may have added to one estimate, in seconds.
type OwnError struct {
	Seconds float64
	Source  string // ShownByRun or ShownByStream
}

// ErrorOf is what the client may have added to a row, nothing where it adds nothing that
// is known. An error of the same statistic counts: one request that waited for the client
// moves a p99, and no median.
func (c Client) ErrorOf(row Row) (OwnError, bool) {
	i := slices.IndexFunc(statistics, func(s statistic) bool { return s.name == row.Statistic && s.quantile > 0 })
	if c.Bounds == nil || i < 0 {
		return OwnError{}, false
	}
	q := statistics[i].quantile
	switch row.Metric {
	case TTFT.ID:
		own := OwnError{c.Bounds.TTFT.at(q), ShownByStream}
		if moved, ok := c.moved(row, q); ok {
			run := OwnError{moved + unseenMoments*c.Bounds.Stamp.at(q) + unseenQueue, ShownByRun}
			own = slices.MaxFunc([]OwnError{own, run}, func(a, b OwnError) int { return cmp.Compare(a.Seconds, b.Seconds) })
		}
		return own, true
	case ITL.ID:
		return OwnError{c.Bounds.Gap.at(q), ShownByStream}, true
	}
	return OwnError{}, false
}

// moved is the mean over the launches of a row, as the row itself is.
func (c Client) moved(row Row, q float64) (mean float64, ok bool) {
	var values []float64
	for _, h := range c.Launches {
		in := slices.ContainsFunc(row.PerLaunch, func(v LaunchValue) bool { return v.Launch == h.Launch })
		i := slices.IndexFunc(h.Moved, func(m Moved) bool { return m.Point == row.Point })
		if in && i >= 0 {
			values = append(values, h.Moved[i].at(q))
		}
	}
	return stat.Mean(values, nil), len(values) > 0
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
