package lint

import (
	"fmt"

	"assay/finding"
)

// EchoedPrompt fires when answers say what was asked.
var EchoedPrompt = Check{
	ID: "echoed-prompt", Severity: finding.Caution, About: finding.Speed,
	Doc:     "Answers begin with words of their prompt, which nobody had to generate.",
	When:    "more than half of the answers, of at least 10, begin with 40 bytes of their prompt, or with up to eight words and then those",
	Applies: answersText,
	Run: func(f *Facts) Answer {
		return eachShown(f, func(p placeTally, s Shown) (finding.Finding, bool) {
			return finding.Finding{
				Severity: finding.Caution,
				Message:  fmt.Sprintf("%s: %d of %d answers begin with words of their prompt", p.name, s.Echoes, s.Answers),
				Why:      "an echo comes at once and costs nothing: TTFT and tokens per second are those of a copy",
				Fix:      "switch the echo off (echo, return_full_text), or report time to the first word that is new",
			}, s.Answers >= fewestShown && 2*s.Echoes > s.Answers
		})
	},
}
