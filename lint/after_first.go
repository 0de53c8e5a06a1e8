package lint

import (
	"assay/finding"
	"assay/metric"
)

// afterFirst is the scope of what depends on how answers go on after their first token: how
// many tokens they have, when they end and what they cost. TTFT stands as it was measured.
var afterFirst = finding.Scope{Subject: finding.Speed, Except: []string{
	metric.TTFT.ID, metric.TTFTDue.ID, metric.TTFTContent.ID, metric.TTFTReasoning.ID, metric.AnswerTTFT.ID, metric.TTFTService.ID, metric.PrefillSpeed.ID,
}}

// afterFirstAt is that scope at one point of one side.
func afterFirstAt(point, side string) finding.Scope {
	s := afterFirst
	s.Points, s.Side = []string{point}, side
	return s
}
