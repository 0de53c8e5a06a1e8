package lint

import (
	"fmt"

	"assay/finding"
)

// CopiedAnswers fires when answers are in the records twice.
var CopiedAnswers = Check{
	ID: "copied-answers", Severity: finding.Void,
	Doc: "Answers took exactly as long as others before them: rows or launches were copied.",
	When: "more than 1 % of the answers of a launch have the same time to the first byte and to the " +
		"end, to the nanosecond, as an earlier one of the run",
	Applies: func(f *Facts) bool { return serves(f) && f.Manifest.Source == nil },
	Run:     copiedAnswers,
}

const (
	// copiedShare is the share of answers with a twin from which on it is no accident.
	// Of two times in nanoseconds there are so many that one twin in a million
	// answers would be.
	copiedShare = .01
	// fineStamps is the coarsest clock, in nanoseconds, on which twins are no accident.
	fineStamps = 1000
)

func copiedAnswers(f *Facts) Answer {
	looked := 0
	var list []finding.Finding
	for _, t := range f.Tally.Points {
		if t.Quantum > fineStamps {
			return missing("stamps finer than a microsecond")
		}
		looked += t.Copies.Looked
		if float64(t.Copies.Known) <= copiedShare*float64(t.Copies.Looked) {
			continue
		}
		list = append(list, finding.Finding{
			Severity: finding.Void,
			Message: fmt.Sprintf("%s, launch %d: %d of %d answers took as long, to the nanosecond, as one that is there already", placeName(pointName(f, t.Point), t.Side),
				t.Launch+1, t.Copies.Known, t.Copies.Looked),
			Why: "a copy is no replicate: the spread between launches, and every interval, is too small",
			Fix: "measure again, with every launch made",
		})
	}
	if looked == 0 && len(list) == 0 {
		return missing("stamps of answers and of their first bytes")
	}
	return found(list...)
}
