package lint

import (
	"fmt"
	"math"

	"assay/finding"
	"assay/metric"
)

// StreamBursts fires when the events of a stream are not its tokens.
var StreamBursts = Check{
	ID: "stream-granularity", Code: "L-13", Severity: finding.Caution, About: finding.Speed,
	Doc: "Gaps between events say nothing about tokens where events come in bursts or hold several.",
	When: "a median gap between events below a tenth of the median TPOT; a mean gap more than 25 % off " +
		"the mean TPOT",
	Applies: func(f *Facts) bool {
		stream := f.Plan.Load()
		return answersText(f) && (stream.Stream == nil || *stream.Stream)
	},
	Run: streamBursts,
}

const (
	// burstShare is the median gap, as a share of the median time per token,
	// below which most events come at once with the one before.
	burstShare = .1
	// packedShare is by how much the mean gap may differ from the mean time per
	// token: answers of different lengths weigh differently in the two.
	packedShare = .25
)

func streamBursts(f *Facts) Answer {
	var answer Answer
	looked := false
	for _, p := range f.places() {
		gap, hasGap := find(f, metric.ITL.ID, "p50", p)
		pace, hasPace := find(f, metric.TPOT.ID, "p50", p)
		meanGap, _ := find(f, metric.ITL.ID, "mean", p)
		meanPace, _ := find(f, metric.TPOT.ID, "mean", p)
		if !hasGap || !hasPace || meanPace.Value <= 0 {
			answer.Missing = "gaps between events and usage of the answers at " + p.name
			continue
		}
		looked = true
		one := finding.Finding{Severity: finding.Caution, Fix: "report TPOT (tpot.v1), and not gaps between events, as the pace of tokens"}
		switch ratio := meanGap.Value / meanPace.Value; {
		case gap.Value < burstShare*pace.Value:
			one.Message = fmt.Sprintf("%s: the median gap between events is %s and the median time per token %s: events come in bursts", p.name, duration(gap.Value), duration(pace.Value))
			one.Why = "the server, a proxy or the client gathers events, and gaps between them are mostly zero"
		case math.Abs(ratio-1) > packedShare:
			one.Message = fmt.Sprintf("%s: the mean gap between events is %s and the mean time per token %s: an event holds about %.2g tokens", p.name, duration(meanGap.Value), duration(meanPace.Value), ratio)
			one.Why = "a gap between events is not one between tokens"
		default:
			continue
		}
		answer.Findings = append(answer.Findings, one)
	}
	if looked {
		answer.Missing = ""
	}
	return answer
}
