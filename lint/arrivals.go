package lint

import (
	"fmt"

	"assay/finding"
	"assay/plan"
	"assay/spec"

	"gonum.org/v1/gonum/stat/distuv"
)

// ArrivalProcess fires when requests arrive otherwise than was declared.
var ArrivalProcess = Check{
	ID: "arrival-process", Code: "L-12", Severity: finding.Caution, About: finding.Speed,
	Doc: "Queues depend on how evenly requests arrive as much as on how many.",
	When: "the index of dispersion of counts (bins of ten arrivals) is off the declared process by more " +
		"than a factor of 3 and by more than chance (chi-squared, 0.01 % on each side); above 0.1 for " +
		"constant",
	Applies: func(f *Facts) bool {
		if !serves(f) || f.Plan.Workload().Session != nil {
			return false
		}
		for _, p := range f.Plan.Points {
			if _, ok := declaredDispersion(p); ok {
				return true
			}
		}
		return false
	},
	Run: arrivalProcess,
}

const (
	// dispersionChance is how often a Poisson point may lie beyond the limits on
	// each side: a run has dozens of points.
	dispersionChance = 1e-4
	// dispersionFactor is how far the index must be from what is declared. In
	// bins of ten arrivals bursts are cut, and the index of very bursty arrivals
	// is well below its limit.
	dispersionFactor = 3
	// pacedMost is the largest index of arrivals that are called constant: bins
	// of exactly ten have one of 0.025 at most.
	pacedMost = .1
)

// declaredDispersion is the index of dispersion of counts that a point's
// arrivals have in the long run; false for points without a steady process.
func declaredDispersion(p plan.Point) (float64, bool) {
	if p.Rate == 0 || len(p.Stages) > 0 || p.Query != nil {
		return 0, false
	}
	switch p.Arrival {
	case spec.ArrivalConstant:
		return 0, true
	case spec.ArrivalPoisson:
		return 1, true
	case spec.ArrivalGamma:
		return 1 / p.Burstiness, p.Burstiness > 0
	}
	return 0, false
}

func arrivalProcess(f *Facts) Answer {
	var answer Answer
	looked := false
	for _, p := range f.places() {
		want, ok := declaredDispersion(p.point)
		if !ok {
			continue
		}
		for _, t := range p.launches {
			for _, of := range []struct {
				what string
				Arrivals
			}{{"were due", t.Due}, {"were sent", t.Sent}} {
				index, ok := of.Dispersion()
				if !ok {
					answer.Missing = fmt.Sprintf("arrivals at %s: want at least %d in a window", p.name, perBin*leastArrivalBins)
					continue
				}
				looked = true
				if !misfits(index, want, len(of.counts)) {
					continue
				}
				answer.Findings = append(answer.Findings, finding.Finding{
					Severity: finding.Caution,
					Message: fmt.Sprintf("%s, launch %d: arrivals are declared %s, whose counts have an index of dispersion of %.3g; the times at which requests %s have %.3g%s",
						p.name, t.Launch+1, p.point.Arrival, want, of.what, index, nature(index)),
					Why: "a queue that is fed evenly is short, and one that is fed in bursts is long, at the same rate",
					Fix: "see client-limit and the send lag where requests left late; otherwise declare the process that was used",
				})
				break // what was due otherwise is sent otherwise
			}
		}
	}
	if looked {
		answer.Missing = ""
	}
	return answer
}

// misfits reports whether the index of so many bins is neither near what is
// declared nor within what chance makes of it: for Poisson counts, index times
// degrees of freedom is chi-squared.
func misfits(index, want float64, bins int) bool {
	if want == 0 {
		return index > pacedMost
	}
	chance := distuv.ChiSquared{K: float64(bins - 1)}
	low, high := chance.Quantile(dispersionChance)/chance.K, chance.Quantile(1-dispersionChance)/chance.K
	return index < want*min(1./dispersionFactor, low) || index > want*max(dispersionFactor, high)
}

// nature says what an index looks like.
func nature(index float64) string {
	switch {
	case index < .5:
		return " (paced)"
	case index > 2:
		return " (in bursts)"
	}
	return ""
}
