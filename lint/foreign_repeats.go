package lint

import (
	"fmt"

	"assay/bundle"
	"assay/finding"
)

// ForeignRepeats fires when requests of an import repeat each other.
var ForeignRepeats = Check{
	ID: "foreign-repeats", Severity: finding.Void,
	Doc:     "Rows of the results are copies of others, or several workers of the tool drew the same lengths: the sample is smaller than its n.",
	Applies: isImport,
	Run:     foreignRepeats,
}

func foreignRepeats(f *Facts) Answer {
	if f.Manifest.Unknown(bundle.GapRequests) {
		return missing("single requests")
	}
	var copied, drawn []fault
	for _, r := range f.Estimates.Repeats {
		where := ForeignPoint{Launch: r.Launch, Point: r.Point}.place(f)
		share := float64(r.Rows-r.Effective) / float64(max(1, r.Rows))
		if r.Identical > 0 {
			copied = append(copied, fault{share, fmt.Sprintf("%s: %d of %d requests have the lengths and latencies of another one to the nanosecond", where, r.Identical, r.Rows)})
			continue
		}
		near := "the one before them"
		if r.Within > 1 {
			near = fmt.Sprintf("one of the %d before them", r.Within)
		}
		drawn = append(drawn, fault{share, fmt.Sprintf("%s: %d of %d requests have the lengths of %s, where chance gives %.0f: the sample tells as much as %d requests", where, r.Alike, r.Rows, near, r.Chance, r.Effective)})
	}
	var list []finding.Finding
	if len(copied) > 0 {
		list = append(list, finding.Finding{
			Severity: finding.Void, Message: f.Manifest.Source.Tool + ": " + worst(copied),
			Why: "a request was written down twice: rates count it twice, and no interval that rests on n holds",
			Fix: "remove the copied rows, or measure again",
		})
	}
	if len(drawn) > 0 {
		list = append(list, finding.Finding{
			Severity: finding.Caution, Message: f.Manifest.Source.Tool + ": " + worst(drawn),
			Why: "workers that share the state of a random generator draw every length once each, and a sorted data set repeats itself; percentiles are certified by the smaller number",
			Fix: "run the tool with one worker, give each worker a seed of its own, or shuffle the data set",
		})
	}
	return found(list...)
}
