package lint

import (
	"fmt"
	"math"

	"assay/finding"
)

// ForeignCounts fires when an import holds another number of requests than was
// asked for, or than the tool says that it made.
var ForeignCounts = Check{
	ID: "foreign-counts", Severity: finding.Caution,
	Doc:     "The results hold another number of requests than was asked for, or than the tool's own rates count.",
	Applies: isImport,
	Run:     foreignCounts,
}

func foreignCounts(f *Facts) Answer {
	told := false
	var fewer, more, other []fault
	for _, t := range f.Foreign {
		s := t.Stated
		made := float64(t.Rows)
		if t.Rows == 0 {
			made = s.Completed
		}
		told = told || s.AskedRequests > 0 && made > 0 || s.Completed > 0 && t.Rows > 0
		if asked := s.AskedRequests; asked > 0 && made > 0 && made != asked {
			one := fault{math.Abs(made/asked - 1), fmt.Sprintf("%s: %.0f requests were asked for, and %.0f are in the results", t.place(f), asked, made)}
			if made < asked {
				fewer = append(fewer, one)
			} else {
				more = append(more, one)
			}
		}
		if counted := s.Completed; counted > 0 && t.Rows > 0 && math.Abs(counted-float64(t.Completed)) > .5 {
			other = append(other, fault{math.Abs(counted - float64(t.Completed)), fmt.Sprintf("%s: %s counts %.0f successful requests and holds %d", t.place(f), s.File, counted, t.Completed)})
		}
	}
	if !told {
		return missing("a number of requests that was asked for, or that the tool counts")
	}
	tool := f.Manifest.Source.Tool + ": "
	var list []finding.Finding
	if len(fewer) > 0 {
		list = append(list, finding.Finding{
			Severity: finding.Caution, Message: tool + worst(fewer),
			Why: "what became of the others is not told: those that failed or took longest may be among them",
			Fix: "look into the tool's log, or give it more time, and measure again",
		})
	}
	if len(more) > 0 {
		list = append(list, finding.Finding{
			Severity: finding.Note, Message: tool + worst(more),
			Why: "the tool looks only now and then whether it is done, so the sample is of another size than planned",
			Fix: "state the number that was made",
		})
	}
	if len(other) > 0 {
		list = append(list, finding.Finding{
			Severity: finding.Caution, Message: tool + worst(other),
			Why: "the tool's own figures rest on other requests than those that can be read",
			Fix: "let the tool keep every request, and import the file as it was written",
		})
	}
	return found(list...)
}
