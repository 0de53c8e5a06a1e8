package lint

import (
	"fmt"
	"slices"

	"assay/finding"
	"assay/plan"
)

// OpeningWave fires when the measured window begins with the burst of a start.
var OpeningWave = Check{
	ID: "opening-wave", Code: "L-09", Severity: finding.Void, About: finding.Speed,
	Doc: "All users begin at once, and their first requests wait for each other.",
	When: "in most launches the median time to the first byte of the first requests (as many as users, " +
		"32 in an open loop) is more than twice that of all; a caution where the host was busy in most launches (waiting above 25 %, steal above 5 %)",
	Applies: func(f *Facts) bool { return serves(f) && slices.ContainsFunc(f.Plan.Points, steadyPoint(f)) },
	Run:     openingWave,
}

// steadyPoint holds for points whose load is the same from the beginning of the
// window to its end: ramps, replays and the batches of MLPerf begin as they do on
// purpose, and a search throws its first levels away.
func steadyPoint(f *Facts) func(plan.Point) bool {
	return func(p plan.Point) bool {
		return f.Plan.Search == nil && len(p.Stages) == 0 && p.TraceRef == "" && p.Query == nil
	}
}

const (
	// waveFactor is how much longer the first requests must wait than the middle
	// one: less is the luck of a queue.
	waveFactor = 2
	// leastWaves is how many openings a launch must hold, or its median is the
	// opening's.
	leastWaves = 4
)

func openingWave(f *Facts) Answer {
	var answer Answer
	looked := false
	for _, p := range f.places() {
		if !steadyPoint(f)(p.point) {
			continue
		}
		var ratios []float64
		carried, slow := 0, 0
		for _, t := range p.launches {
			o := t.Opening
			if len(o.First) < o.Wave || o.All.Count() < int64(leastWaves*o.Wave) {
				continue
			}
			ratio := medianWait(o.First) / o.All.Quantile(.5)
			ratios = append(ratios, ratio)
			carried += t.Carried
			if ratio > waveFactor {
				slow++
			}
		}
		if len(ratios) == 0 {
			answer.Missing = fmt.Sprintf("requests at %s: want %d times those of the opening in a launch", p.name, leastWaves)
			continue
		}
		looked = true
		if slow*2 <= len(ratios) {
			continue // what most launches do not show is the luck of one
		}
		slices.Sort(ratios)
		message := fmt.Sprintf("%s: the first %d requests of the window wait %.1f times as long for their first byte as the middle one, in %d of %d launches",
			p.name, p.launches[0].Opening.Wave, ratios[len(ratios)/2], slow, len(ratios))
		if carried == 0 {
			message += "; nothing was in flight when it began"
		}
		answer.Findings = append(answer.Findings, f.onBusyHost(finding.Finding{
			Severity: finding.Void, Scope: p.scope(), Message: message,
			Why: "the figures hold the burst of a start, which is no part of steady work",
			Fix: "give load.warmup more time, and let it hand over to the window without draining",
		}))
	}
	if !looked && answer.Missing == "" {
		answer.Missing = "requests of a measured window"
	}
	return answer
}

func medianWait(first dueHeap) float64 {
	waits := make([]float64, len(first))
	for i, one := range first {
		waits[i] = one.wait
	}
	slices.Sort(waits)
	return waits[(len(waits)-1)/2]
}
