package bottleneck

import (
	"fmt"
	"slices"

	"assay/analysis/breakdown"
	"assay/analysis/overlap"
)

// Training says what limits a point of training steps: by where the time of the mean
// step went, unless the others wait for one rank. Then that rank's trouble is the
// limit, although on the others it looks like communication.
func Training(p overlap.Point, s Signs) Diagnosis {
	b, ok := breakdown.Training(p)
	if !ok {
		b = breakdown.Breakdown{}
	}
	d := Judge(p.Name, b, s)
	d.Verdict, d.Evidence = p.Verdict.Text, p.Verdict.How
	if class := standsOut(p.Verdict); d.Class == Undetermined && class != "" && d.Shares[class] >= leads {
		d.Class, d.How = class, fmt.Sprintf("likely: it has %.1f %% of the time, as much as any other, and the steps show why", 100*d.Shares[class])
		d.Inspect, d.Alternatives = inspect[class], slices.DeleteFunc(d.Alternatives, func(name string) bool { return causeClass(name) == class })
	}
	if class, held := heldBy(p.Verdict); held {
		d.Class, d.Rank, d.How = class, p.Verdict.Rank, fmt.Sprintf("rank %d holds the others up", *p.Verdict.Rank)
		d.Inspect = fmt.Sprintf("rank %d: %s", *p.Verdict.Rank, inspectRank[p.Verdict.Limit])
	}
	return d
}

// standsOut is the class of what the verdict on the steps names beside their
// computation; empty where it names nothing.
func standsOut(v overlap.Verdict) breakdown.Class {
	switch v.Limit {
	case overlap.LimitExposed, overlap.LimitSlowLink, overlap.LimitSlowDirection:
		return breakdown.Communication
	case overlap.LimitInput:
		return breakdown.Input
	}
	return ""
}

// causeClass is the class of a cause of waiting; empty for one that has none.
func causeClass(name string) breakdown.Class {
	return causes[slices.IndexFunc(causes, func(c cause) bool { return c.name == name })].class
}

// inspectRank is the first thing to look at on a rank that the others wait for.
var inspectRank = map[string]string{
	overlap.LimitLateStart:   "its data loading, and what else runs on its host",
	overlap.LimitSlowCompute: "its clocks, throttling, neighbours and share of the work",
}

// heldBy is the class of what a named rank is slow at; false where nobody waits for
// one.
func heldBy(v overlap.Verdict) (breakdown.Class, bool) {
	switch {
	case v.Rank == nil:
		return "", false
	case v.Limit == overlap.LimitSlowCompute:
		return breakdown.Compute, true
	case v.Limit == overlap.LimitLateStart && v.Input:
		return breakdown.Input, true
	case v.Limit == overlap.LimitLateStart:
		return breakdown.ControlPlane, true
	}
	return "", false
}
