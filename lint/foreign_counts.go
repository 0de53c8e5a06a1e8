package lint

import (
	"math"

	"assay/finding"
)

// ForeignCounts fires when an import holds another number of requests than was
// asked for, or than the tool says that it made.
var ForeignCounts = Check{
	ID: "foreign-counts", Severity: finding.Caution,
	Doc: "The results hold another number of requests than was asked for, or than the tool's own rates count.",
	When: "fewer requests than were asked for, or a different number of successful ones than the tool's " +
		"rates count (caution); more than were asked for (note)",
	Applies: isImport,
	Run:     foreignCounts,
}

func foreignCounts(f *Facts) Answer {
	stated := false
	fewer := oddity{
		severity: finding.Caution,
		why:      "what became of the others is not reported: those that failed or took longest may be among them",
		fix:      "look into the tool's log, or give it more time, and measure again",
	}
	more := oddity{
		severity: finding.Note,
		why:      "the tool looks only now and then whether it is done, so the sample is of another size than planned",
		fix:      "state the number that was made",
	}
	other := oddity{
		severity: finding.Caution,
		why:      "the tool's own results rest on other requests than those that can be read",
		fix:      "let the tool keep every request, and import the file as it was written",
	}
	for _, t := range f.Foreign {
		s := t.Stated
		made := float64(t.Rows)
		if t.Rows == 0 {
			made = s.Completed
		}
		stated = stated || s.AskedRequests > 0 && made > 0 || s.Completed > 0 && t.Rows > 0
		if asked := s.AskedRequests; asked > 0 && made > 0 && made != asked {
			odd := &fewer
			if made > asked {
				odd = &more
			}
			odd.add(math.Abs(made/asked-1), "%s: %.0f requests were asked for, and %.0f are in the results", t.place(f), asked, made)
		}
		if off := math.Abs(s.Completed - float64(t.Completed)); s.Completed > 0 && t.Rows > 0 && off > .5 {
			other.add(off, "%s: %s counts %.0f successful requests and holds %d", t.place(f), s.File, s.Completed, t.Completed)
		}
	}
	if !stated {
		return missing("a number of requests that was asked for, or that the tool counts")
	}
	return f.oddities(fewer, more, other)
}
