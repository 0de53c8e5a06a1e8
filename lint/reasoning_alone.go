package lint

import (
	"fmt"

	"assay/finding"
)

// ReasoningAlone fires when answers end before they begin.
var ReasoningAlone = Check{
	ID: "reasoning-alone", Severity: finding.Caution, About: finding.Speed,
	Doc:     "Answers hold reasoning and nothing else: nobody was answered.",
	When:    "more than half of the answers, of at least 10 of which every event was looked at, show reasoning and no answer",
	Applies: answersText,
	Run: func(f *Facts) Answer {
		return eachShown(f, func(p placeTally, s Shown) (finding.Finding, bool) {
			return finding.Finding{
				Severity: finding.Caution,
				Message:  fmt.Sprintf("%s: %d of %d answers hold reasoning and no answer", p.name, s.Only, s.Streams),
				Why:      "TTFT, TPOT and tokens per second are those of reasoning; when the answer comes is not known",
				Fix:      "ask for more tokens, and report answer_ttft_visible.v1",
			}, s.Streams >= fewestShown && 2*s.Only > s.Streams
		})
	},
}
