package lint

import (
	"fmt"

	"assay/bundle"
	"assay/finding"
	"assay/record"
)

// GeneratorLost fires when a load generator did not last to the end of its launch.
var GeneratorLost = Check{
	ID: "generator-lost", Severity: finding.Void,
	Doc:     "A load generator died, hung, was cut off or could not go on.",
	When:    "the table generators has one that is lost or failed. Its launch has failed with it and counts for nothing",
	Applies: sentByOthers,
	Run:     generatorLost,
}

// A Sender is one load generator of a launch as its leader described it.
type Sender struct {
	Launch int
	record.Generator
}

// name is the generator in words.
func (s Sender) name() string {
	return fmt.Sprintf("launch %d: load generator %d on %s", s.Launch+1, s.Generator.Generator, s.Host)
}

// readSenders lists the load generators of all launches, those that failed among them.
func readSenders(b *bundle.Bundle) (list []Sender, err error) {
	for _, info := range b.Launches() {
		for row, err := range bundle.Rows[record.Generator](b, info.Index, bundle.Generators) {
			if err != nil {
				return nil, fmt.Errorf("launch %d: %w", info.Index+1, err)
			}
			list = append(list, Sender{info.Index, row})
		}
	}
	return list, nil
}

func sentByOthers(f *Facts) bool { return len(f.Senders) > 0 }

func generatorLost(f *Facts) Answer {
	var answer Answer
	for _, s := range f.Senders {
		if s.Verdict != record.GeneratorLost && s.Verdict != record.GeneratorFailed {
			continue
		}
		answer.Findings = append(answer.Findings, finding.Finding{
			Severity: finding.Void,
			Message:  fmt.Sprintf("launch %d: %s", s.Launch+1, s.Error),
			Why:      "the others offered less than the plan from then on, so the point was cut short and the launch counts for nothing",
			Fix:      fmt.Sprintf("look at raw/launch-%02d/logs/generator-%05d.log and at its host, and run again", s.Launch, s.Generator.Generator),
		})
	}
	return answer
}
