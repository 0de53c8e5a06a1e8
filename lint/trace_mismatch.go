package lint

import (
	"encoding/hex"
	"fmt"

	"assay/bundle"
	"assay/finding"
	"assay/metric"
	"assay/record"
)

// TraceMismatch fires when records carry the marks of another launch or run.
var TraceMismatch = Check{
	ID: "trace-mismatch", Severity: finding.Void,
	Doc: "The requests of a launch carry the trace ids of another launch, or of another run: the records are not those of this launch.",
	When: "more than 1 % of the requests of a completed launch that carry a trace id have one that does not follow from the run's id " +
		"and the launch's number. Of launches that were carried over from another run its id counts",
	Applies: func(f *Facts) bool { return f.Manifest.Source == nil },
	Run:     traceMismatch,
}

// mostStrays is the share of requests with an id from elsewhere that is left alone.
const mostStrays = .01

// LaunchTraces counts the requests of a launch that carry the id of a trace.
type LaunchTraces struct {
	Launch int
	Traced int
	Strays int // of them: with that of another launch
}

func tracesOf(m bundle.Manifest, launch metric.WatchedLaunch) LaunchTraces {
	run := m.RunID
	if launch.Info.From != "" {
		run = launch.Info.From
	}
	own := record.LaunchTrace(run, launch.Info.Index)
	t := LaunchTraces{Launch: launch.Info.Index}
	for of, n := range launch.Launch.Traces {
		t.Traced += n
		if of != hex.EncodeToString(own[:]) {
			t.Strays += n
		}
	}
	return t
}

func traceMismatch(f *Facts) Answer {
	var list []string
	for _, t := range f.Tally.Traces {
		if float64(t.Strays) > mostStrays*float64(t.Traced) {
			list = append(list, fmt.Sprintf("launch %d: %d of %d requests", t.Launch+1, t.Strays, t.Traced))
		}
	}
	if len(list) == 0 {
		return found()
	}
	return found(finding.Finding{
		Severity: finding.Void,
		Message:  "requests carry the trace ids of another launch or run: " + summary(list),
		Why:      "the ids follow from the run's id and the launch's number, and were sent with the requests: these were measured elsewhere, or renumbered",
		Fix:      "ask whoever made the bundle for the one that was measured, or measure again",
		Evidence: list,
	})
}
