package doctor

import (
	"context"

	"assay/finding"
)

// Sandbox asks whether programs that models wrote can be run. Measuring speed does not
// need it, so a host without it is none the worse for that.
var Sandbox = Check{
	ID:    "sandbox",
	Asks:  "can generated programs be held in a sandbox",
	Worst: finding.Note,
	Why:   "evaluations that run generated code, HumanEval among them, are refused on this host; nothing else needs it",
	Fix:   "give the host what is missing, or grade on another one; see docs/guides/sandbox.md",
	Run: func(ctx context.Context, s Subject) Answer {
		if s.Host.HoldPrograms == nil {
			return Answer{NotRead: "only the host itself can try"}
		}
		if err := s.Host.HoldPrograms(ctx); err != nil {
			return found(finding.Note, "%v", err)
		}
		return passed
	},
}
