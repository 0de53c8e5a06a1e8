package lint

import (
	"fmt"

	"assay/finding"
)

// ProgramClock fires when a program's own stamps cannot be true.
var ProgramClock = Check{
	ID: "program-clock", Severity: finding.Caution, About: finding.Speed,
	Doc:     "The stamps of a measured program contradict the client's: its clock runs otherwise, or it makes them up.",
	When:    "stamps of a command that lie outside of the request, go back, or lie 20 ms and a tenth of the answer before our reads, in more than 1 % of answers and in at least 5; ours are used for those",
	Applies: serves,
	Run: func(f *Facts) Answer {
		return eachShown(f, func(p placeTally, s Shown) (finding.Finding, bool) {
			return finding.Finding{
				Severity: finding.Caution,
				Message:  fmt.Sprintf("%s: the program's stamps of %d of %d answers contradict ours, which were used for them", p.name, s.Clocks, s.Answers),
				Why:      "a clock that runs slow makes every latency shorter than it was",
				Fix:      "have the program stamp its lines with CLOCK_MONOTONIC, or leave the stamps out",
			}, s.Clocks >= fewestSpoiled && float64(s.Clocks) > spoiledShare*float64(s.Answers)
		})
	},
}
