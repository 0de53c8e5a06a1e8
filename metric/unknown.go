package metric

import (
	"slices"

	"assay/bundle"
	"assay/plan"
)

// needs lists what a metric cannot be made without, where a bundle repeats the
// results of another tool. A metric that is not here needs no more than a request
// with its latency and its tokens.
var needs = map[string][]Metric{
	bundle.GapSendTimes: {Concurrency, LittleProduct, LittleError, OfferedRate, SentRate, DropRate},
	bundle.GapDueTimes:  {Lag, Turnaround, TurnaroundShare, OfferedRate},
	bundle.GapChunks: {
		ITL, ITLToken, ITLTokenCounted, LongestGap, JitterSD, JitterStep, TTST,
		TPOT, TPOTCounted, TPOTRequest, TPOTAfterFirst, LastOutput, UserSpeed, UserSpeedCounted,
		TTFTContent, TTFTReasoning, AnswerTTFT, TTFTVisible, AnswerTTFTVisible, TTFTEvent, ReasoningTime,
	},
	bundle.GapErrors: {
		ErrorRate, OverloadRate, HTTPErrorRate, TimeoutRate, ConnectionErrorRate, StreamErrorRate, ProtocolErrorRate,
		Goodput, Attainment, TokenGoodput,
	},
}

// fromDue are the metrics that count from when a request was due.
var fromDue = []Metric{TTFT, E2E, TTFB, NTPOT, NTPOTCounted, UserSpeedE2E, UserSpeedE2ECounted}

// fromSend is the warning of those metrics where nobody knows when that was.
const fromSend = "counted from the send: the source does not tell when requests were due"

// KnownIn reports whether the bundle of manifest can hold what the metric needs. It always
// can where assay measured.
func (m Metric) KnownIn(manifest bundle.Manifest) bool {
	if manifest.Unknown(bundle.GapRequests) || manifest.Unknown(bundle.GapTimes) {
		return false
	}
	for gap, list := range needs {
		if manifest.Unknown(gap) && among(list, m.ID) {
			return false
		}
	}
	return true
}

func among(list []Metric, id string) bool {
	return slices.ContainsFunc(list, func(m Metric) bool { return m.ID == id })
}

// dropUnknown takes away what rests on something that the source does not report:
// such rows hold zeros and not knowledge.
func (e *Estimates) dropUnknown(manifest bundle.Manifest, p plan.Plan) {
	if manifest.Source == nil {
		return
	}
	known, open := map[string]bool{}, map[string]bool{}
	for _, m := range All {
		known[m.ID], open[m.ID] = m.KnownIn(manifest), m.Only(OpenLoop)
	}
	e.Rows = slices.DeleteFunc(e.Rows, func(r Row) bool {
		point, _ := p.PointByIndex(r.Point)
		return !known[r.Metric] || open[r.Metric] && !point.Open()
	})
	if manifest.Unknown(bundle.GapDueTimes) {
		for i := range e.Rows {
			if among(fromDue, e.Rows[i].Metric) {
				e.Rows[i].Warnings = append(e.Rows[i].Warnings, fromSend)
			}
		}
	}
}

// knowsClient reports whether anything about the client can be read: with neither
// its samples nor the times at which requests were due, lags are zeros.
func knowsClient(manifest bundle.Manifest) bool {
	return !manifest.Unknown(bundle.GapClient) || !manifest.Unknown(bundle.GapDueTimes)
}
