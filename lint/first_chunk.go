package lint

import (
	"fmt"

	"assay/finding"
	"assay/metric"
)

// FirstChunk fires when the first output of most answers is there to be early.
var FirstChunk = Check{
	ID: "first-chunk-filler", Severity: finding.Void, About: finding.Speed,
	Doc: "The first output of the answers is a filler: TTFT is that of something else than the answer.",
	When: "in more than half of the answers, of at least 10 of which every event was looked at: nobody sees the first output (white " +
		"space, characters without width, punctuation of reasoning alone) nor anything in five median gaps after it, or in four where they are a third of the time to the first word that is seen; or a wait among the first three gaps is longer than 10 times the median " +
		"gap of the answer, twice every other one, and half of TTFT. It forbids TTFT, what a limit on it decides, and times per token, which begin with that output, at that point",
	Applies: answersText,
	Run:     firstChunk,
}

// fewestShown is how many answers must be known before most of them say something.
const fewestShown = 10

// fromFirstOutput are the metrics that end or begin with the first output, and those that a limit on
// it decides.
var fromFirstOutput = []string{
	metric.TTFT.ID, metric.TTFTDue.ID, metric.TTFTContent.ID, metric.TTFTReasoning.ID, metric.AnswerTTFT.ID, metric.TTFTService.ID,
	metric.TTST.ID, metric.PrefillSpeed.ID, metric.Goodput.ID, metric.Attainment.ID,
	metric.TPOT.ID, metric.TPOTCounted.ID, metric.ITL.ID, metric.TPOTRequest.ID, metric.TPOTDone.ID, metric.UserSpeed.ID, metric.UserSpeedCounted.ID, metric.LongestGap.ID,
}

func firstChunk(f *Facts) Answer {
	return eachShown(f, func(p placeTally, s Shown) (finding.Finding, bool) {
		one := finding.Finding{
			Severity: finding.Void,
			Scope:    finding.Scope{Points: []string{p.point.Name}, Side: p.side, Metrics: fromFirstOutput},
			Why:      "TTFT ends with that first output, and the person who asked still waits",
			Fix:      "report ttft_visible.v1, or time to the last token, and have the server send no output before the answer begins",
		}
		switch {
		case s.Streams < fewestShown:
			return one, false
		case 2*s.Hidden > s.Streams:
			one.Message = fmt.Sprintf("%s: nobody sees the first output of %d of %d answers", p.name, s.Hidden, s.Streams)
			return one, true
		}
		one.Message = fmt.Sprintf("%s: in %d of %d answers the first output is followed by a wait, at once or after a word or two, that is more than ten times the median gap and half of TTFT", p.name, s.Stalls, s.Streams)
		return one, 2*s.Stalls > s.Streams
	})
}
