package lint

import (
	"fmt"
	"math"

	"assay/finding"
)

// Quantised fires when times are rounded to steps that show in the figures.
var Quantised = Check{
	ID: "quantised-times", Code: "L-27", Severity: finding.Note, About: finding.Speed,
	Doc:     "A coarse clock or histogram rounds what is reported.",
	When:    "all stamps are multiples of more than 1 % of the shortest median",
	Applies: serves,
	Run:     quantised,
}

const (
	// quantumShare is the step, as a share of the smallest median, that shows in
	// figures of three digits.
	quantumShare = .01
	// fewestStamps is from how many requests on a common divisor is no accident.
	fewestStamps = 20
)

func quantised(f *Facts) Answer {
	quantum, requests := int64(0), 0
	for _, t := range f.Tally.Points {
		quantum = divisor(quantum, t.Quantum)
		requests += t.Measured
	}
	shortest := shortestLatency(f)
	if requests < fewestStamps || math.IsInf(shortest, 1) {
		return missing(fmt.Sprintf("the stamps of %d requests and their latencies", fewestStamps))
	}
	if step := float64(quantum) / 1e9; step > quantumShare*shortest {
		return found(finding.Finding{
			Severity: finding.Note,
			Message:  fmt.Sprintf("all times are multiples of %s, which is %.2g %% of the smallest median latency (%s)", duration(step), 100*step/shortest, duration(shortest)),
			Why:      "differences below that step cannot be seen",
			Fix:      "stamp with a finer clock, or state figures to that step alone",
		})
	}
	return found()
}
