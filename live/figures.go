package live

import (
	"fmt"
	"math"
	"strconv"

	"assay/lint"
	"assay/metric"
	"assay/run/watch"
	"assay/unit"
)

// none stands for a figure that is not known.
const none = "–"

// latency is a time in seconds as a person reads it.
func latency(seconds float64) string {
	if math.IsNaN(seconds) {
		return none
	}
	return unit.Format(seconds, unit.Second)
}

// perSecond is a rate of calls.
func perSecond(v float64) string {
	if math.IsNaN(v) {
		return none
	}
	return number(v) + "/s"
}

// number shows three digits, and whole numbers from a hundred up.
func number(v float64) string {
	switch {
	case math.IsNaN(v):
		return none
	case math.Abs(v) >= 100 || v == math.Trunc(v):
		return grouped(int64(math.Round(v)))
	}
	return fmt.Sprintf("%.3g", v)
}

// grouped sets a comma between thousands.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// several counts things.
func several(n int64, what string) string {
	if n != 1 {
		what += "s"
	}
	return grouped(n) + " " + what
}

func share(v *float64) string {
	if v == nil {
		return none
	}
	return percent(*v)
}

// A health is the client's, against the limits of the check client-limit.
type health struct {
	own    []string // why the client is the limit
	around []string // what its host does without that
	lag    float64  // the limit of the send lag, in seconds; 0 while it is not known
}

func healthNow(s watch.Snapshot) health {
	c := s.Client
	h := metric.ClientHealth{
		Requests: int(c.Requests), Dropped: int(c.Dropped), LagP99: c.LagP99, CPUShareMax: c.CPUShareMax,
		GCPauseMax: c.GCPauseMax, Throttled: c.Throttled, CPUPressure: c.Pressure, Steal: c.Steal, RunQueue: c.RunQueue, Pruned: c.Pruned,
	}
	known := 0. // the highest percentile that is
	beside := s.TTFT
	if !s.Point.Open() {
		beside = s.E2E // the client's delay comes between two answers
	}
	for _, v := range []float64{beside.P50, beside.P90, beside.P99} {
		if !math.IsNaN(v) {
			known = v
		}
	}
	own, around := lint.ClientNow(h, known, s.Point.Open() && !s.Searching)
	return health{own, around, lint.LagLimit(known)}
}
