package lint

import (
	"cmp"
	"fmt"
	"slices"

	"assay/finding"
)

// A fault is what is odd about one point of an import, and by how much.
type fault struct {
	size float64
	text string
}

// An oddity is one thing that can be odd about the points of an import: where it
// is, and what a reader is told about it.
type oddity struct {
	severity finding.Severity
	why, fix string
	faults   []fault
}

func (o *oddity) add(size float64, format string, args ...any) {
	o.faults = append(o.faults, fault{size, fmt.Sprintf(format, args...)})
}

// oddities answers with a finding for each oddity that some point has: a sweep of
// fifty levels has one, not fifty.
func (f *Facts) oddities(list ...oddity) Answer {
	var findings []finding.Finding
	for _, o := range list {
		if len(o.faults) > 0 {
			findings = append(findings, finding.Finding{
				Severity: o.severity, Message: f.Manifest.Source.Tool + ": " + worst(o.faults), Why: o.why, Fix: o.fix,
			})
		}
	}
	return found(findings...)
}

// worst is the sentence about the greatest fault, and at how many points there is
// another.
func worst(faults []fault) string {
	at := slices.MaxFunc(faults, func(a, b fault) int { return cmp.Compare(a.size, b.size) })
	switch n := len(faults) - 1; n {
	case 0:
		return at.text
	case 1:
		return at.text + " (and at 1 other point)"
	default:
		return fmt.Sprintf("%s (and at %d other points)", at.text, n)
	}
}
