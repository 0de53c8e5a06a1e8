package bottleneck

import (
	"fmt"
	"slices"
	"strings"

	"assay/analysis/breakdown"
	"assay/analysis/overlap"
)

// Training says what limits a point of training steps: by where the time of the mean
// step went, unless the others wait for one rank. Then that rank's trouble is the
// limit, although on the others it looks like communication.
func Training(p overlap.Point, s Signs) Diagnosis {
	if p.RanOut() {
		return Diagnosis{Point: p.Name, Class: Undetermined, How: "it did not fit into memory, so that no step was measured", Inspect: "memory: a smaller model or batch, recomputed activations, or more ranks that share the model"}
	}
	b, ok := breakdown.Training(p)
	if !ok {
		b = breakdown.Breakdown{}
	}
	s.OnCPU = p.OnCPU
	d := Judge(p.Name, b, s)
	d.Verdict, d.Evidence = p.Verdict.Text, p.Verdict.How
	if class := standsOut(p.Verdict); class != "" {
		d.lean(class, "the steps show why")
	}
	if len(s.Fabric) > 0 {
		d.lean(breakdown.Communication, strings.Join(s.Fabric, "; "))
	}
	if d.Class == breakdown.Communication && p.Ranks > 1 {
		d.fabric(s)
	}
	if class, held := heldBy(p.Verdict); held {
		d.Class, d.Rank, d.How = class, p.Verdict.Rank, fmt.Sprintf("rank %d holds the others up", *p.Verdict.Rank)
		d.Inspect = fmt.Sprintf("rank %d: %s", *p.Verdict.Rank, inspectRank[p.Verdict.Limit])
	}
	return d
}

// fabric says what is known of the links by themselves: whether it is they that are slow,
// or what is sent over them that is too much.
func (d *Diagnosis) fabric(s Signs) {
	switch {
	case !s.Exchange:
		d.Missing = append(d.Missing, "all-gathers and the stability of exchanges over the same links: assay comm --ops all_gather,all_reduce --stability 200, then assay diagnose --collectives")
	case len(s.Fabric) == 0:
		d.Because = append(d.Because, "all-gathers and repeated exchanges over the same links show nothing unusual: it is how much is sent, and when, rather than the links")
	}
}

// lean names a class that the time alone does not single out, where it has as much of it
// as any other and something else speaks for it.
func (d *Diagnosis) lean(class breakdown.Class, why string) {
	if d.Class != Undetermined || d.Shares[class] < leads {
		return
	}
	d.Class, d.How = class, fmt.Sprintf("likely: it has %.1f %% of the time, as much as any other, and %s", 100*d.Shares[class], why)
	d.Inspect, d.Alternatives = inspect[class], slices.DeleteFunc(d.Alternatives, func(name string) bool { return causeClass(name) == class })
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
