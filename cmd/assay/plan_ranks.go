package main

import (
	"fmt"

	"assay/plan"
	"assay/spec"
	"assay/unit"
)

// rankPoint is what a point of ranks or of a probe will do, in words.
func rankPoint(p plan.Point) string {
	switch p.Kind() {
	case plan.KindSteps:
		s := p.Steps
		held := fmt.Sprintf("%d samples a step over all ranks", s.GlobalBatch)
		if s.Scaling == spec.ScalingWeak {
			held = fmt.Sprintf("%d samples a step of each rank", s.RankBatch)
		}
		return fmt.Sprintf("warm-up %d steps\tmeasured %d steps\t%s, %s, %s on %s\t%s", s.Warmup, s.Steps, s.Shape.Family, s.Parallelism, s.Backend, s.Device, held)
	case plan.KindCollective, plan.KindPairs:
		c := p.Collective
		return fmt.Sprintf("warm-up %d calls\tmeasured %d calls\t%s, %s\t%d ranks", c.Warmup, c.Iterations, c.Backend, c.Asked(), p.Ranks)
	}
	m := p.Micro
	return fmt.Sprintf("%d replicates\tof %s in all for each variant\ton %s\t", m.Replicates, unit.Format(m.Duration.Seconds(), unit.Second), m.Device)
}
