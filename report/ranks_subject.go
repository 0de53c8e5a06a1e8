package report

import (
	"fmt"
	"slices"
	"strings"

	"assay/plan"
	"assay/spec"
	"assay/unit"
)

// rankSubject says in a few words what ranks and probes measured; RankQuestion has the
// rest.
func (r Report) rankSubject() (parts []string) {
	s := r.Plan.Decided()
	if t, points := s.Train, r.pointsOf(plan.KindSteps); t != nil && len(points) > 0 {
		own := points[0].Steps
		total, _ := plan.Count(own.Shape)
		parts = append(parts, "Training", fmt.Sprintf("%s of %s parameters, %s", own.Shape.Family, thousands(total), own.Precision),
			fmt.Sprintf("%s (%s)", ways(r.Plan), own.Backend), r.rankDevice(own.Device, t.Launch), ranksListed(t.Ranks)+", "+own.Scaling+" scaling")
	}
	if c := s.Collectives; c != nil && r.Plan.Has(plan.KindCollective, plan.KindPairs) {
		device := c.Device
		if c.Backend == "native" {
			device = "cpu" // its buffers are nowhere else
		}
		parts = append(parts, "Collectives", spoken(c.Operations), c.Backend, r.rankDevice(device, c.Launch), ranksListed(c.Ranks), sizesListed(c.Sizes))
	}
	if p := s.Probe; p != nil && r.Plan.Has(plan.KindProbe) {
		parts = append(parts, "Hardware probes", spoken(p.Probes), r.rankDevice(p.Device, nil))
	}
	return parts
}

// rankDevice is what computes: the accelerators or the processor of this host, or
// what was asked for where ranks are elsewhere.
func (r Report) rankDevice(device string, l *spec.Launcher) string {
	if l != nil && l.Kind != "local" {
		if device == "auto" {
			return ""
		}
		return device
	}
	if gpus := r.Device(); gpus != "" && device != "cpu" {
		return gpus
	}
	if model, ok := r.Manifest.Environment["cpu.model"].Value.(string); ok && (device == "cpu" || device == "auto") {
		return model
	}
	return ""
}

func ranksListed(ranks []int) string {
	if len(ranks) == 1 {
		return ranksText(ranks[0])
	}
	return listed(ranks) + " ranks"
}

func sizesListed(sizes []unit.Bytes) string {
	if len(sizes) == 1 {
		return sizes[0].String()
	}
	return fmt.Sprintf("%v to %v", slices.Min(sizes), slices.Max(sizes))
}

// spoken is names of the records as people read them.
func spoken(names []string) string {
	return strings.Join(each(names, Words), ", ")
}
