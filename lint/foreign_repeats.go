package lint

import (
	"fmt"

	"assay/bundle"
	"assay/finding"
)

// ForeignRepeats fires when requests of an import repeat each other.
var ForeignRepeats = Check{
	ID: "foreign-repeats", Severity: finding.Void,
	Doc: "Rows of the results are copies of others, or several workers of the tool drew the same lengths: the sample is smaller than its n.",
	When: "copied rows: at least 3 and 1 % of the successful requests of a point have the token counts, " +
		"latency and TTFT of another one to the nanosecond, and 5 times as many as agree to a " +
		"microsecond but not to the nanosecond; not decided where all latencies are whole " +
		"microseconds (void). Lengths drawn twice: requests have the token counts of one of the 1, 2, " +
		"4 or 8 before them (in sending or file order) more often than in a random order, by 6 " +
		"standard deviations and a tenth of the rows; not decided where half would by chance " +
		"(caution)",
	Applies: isImport,
	Run:     foreignRepeats,
}

func foreignRepeats(f *Facts) Answer {
	if f.Manifest.Unknown(bundle.GapRequests) {
		return missing("single requests")
	}
	copied := oddity{
		severity: finding.Void,
		why:      "a request was written down twice: rates count it twice, and no interval that rests on n holds",
		fix:      "remove the copied rows, or measure again",
	}
	drawn := oddity{
		severity: finding.Caution,
		why:      "workers that share the state of a random generator draw every length once each, and a sorted data set repeats itself; percentiles are certified by the smaller number",
		fix:      "run the tool with one worker, give each worker a seed of its own, or shuffle the data set",
	}
	for _, r := range f.Estimates.Repeats {
		where := ForeignPoint{Launch: r.Launch, Point: r.Point}.place(f)
		share := float64(r.Rows-r.Effective) / float64(max(1, r.Rows))
		if r.Identical > 0 {
			copied.add(share, "%s: %d of %d requests have the lengths and latencies of another one to the nanosecond", where, r.Identical, r.Rows)
			continue
		}
		near := "the one before them"
		if r.Within > 1 {
			near = fmt.Sprintf("one of the %d before them", r.Within)
		}
		drawn.add(share, "%s: %d of %d requests have the lengths of %s, where chance gives %.0f: the sample is worth %d requests", where, r.Alike, r.Rows, near, r.Chance, r.Effective)
	}
	return f.oddities(copied, drawn)
}
