package lint

import (
	"math"

	"assay/finding"
)

// ForeignLengths fires when prompts or answers of an import have other lengths
// than were asked for.
var ForeignLengths = Check{
	ID: "foreign-lengths", Severity: finding.Caution,
	Doc:     "Prompts or answers have other lengths than the tool was asked for: the workload is not the one that the results name.",
	When:    "the mean number of input or output tokens is more than 10 % off the requested one",
	Applies: isImport,
	Run:     foreignLengths,
}

// lengthOff is by how much of the asked length the mean may be off: chat templates
// and uniform draws that never reach their maximum stay below it.
const lengthOff = .1

func foreignLengths(f *Facts) Answer {
	stated := false
	other := oddity{
		severity: finding.Caution,
		why:      "latency and throughput follow the lengths that were served, and not the scenario's name",
		fix:      "name the lengths that were seen, and compare only with runs that saw the same",
	}
	for _, t := range f.Foreign {
		for _, side := range []struct {
			name  string
			asked float64
			seen  Average
		}{{"input", t.Stated.AskedInput, t.Input}, {"output", t.Stated.AskedOutput, t.Output}} {
			if side.asked <= 0 || side.seen.N == 0 {
				continue
			}
			stated = true
			mean := side.seen.Mean()
			if off := mean/side.asked - 1; math.Abs(off) > lengthOff {
				other.add(math.Abs(off), "%s: %.4g %s tokens were asked for, and requests have %.4g on average (%+.0f %%)", t.place(f), side.asked, side.name, mean, 100*off)
			}
		}
	}
	if !stated {
		return missing("lengths that were asked for, and token counts of requests")
	}
	return f.oddities(other)
}
