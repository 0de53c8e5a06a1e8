package claim

import (
	"fmt"

	"assay/plan"
	"assay/spec"
	"assay/unit"
)

// rankConditions lists what a number of ranks or of a probe holds under.
func rankConditions(e Evidence, p plan.Point) []Condition {
	list := []Condition{{"point", p.Name}}
	add := func(name, format string, args ...any) {
		list = append(list, Condition{name, fmt.Sprintf(format, args...)})
	}
	switch p.Kind() {
	case plan.KindSteps:
		s := p.Steps
		add("model", "%s of %d layers, width %d, sequence length %d", s.Shape.Family, s.Shape.Layers, s.Shape.Hidden, s.Shape.SequenceLength)
		add("precision", "precision %s", s.Precision)
		add("world", "%s over %d ranks by %s", s.Parallelism, p.Ranks, s.Backend)
		held := "strong scaling: the batch of the world is held"
		if s.Scaling == spec.ScalingWeak {
			held = "weak scaling: the batch of a rank is held"
		}
		add("batch", "global batch %d (%s), %d micro-batches", s.GlobalBatch, held, s.Accumulation)
	case plan.KindCollective, plan.KindPairs:
		c := p.Collective
		add("collective", "%s of %s, %s, by %s (%s) over %d ranks", c.Op, unit.Format(float64(c.Bytes), unit.Byte), c.DataType, c.Backend, c.Algorithm, p.Ranks)
	case plan.KindProbe:
		add("probe", "probe %s on %s", p.Micro.Probe, p.Micro.Device)
	}
	add("hardware", "%s", hardwareOf(e.Manifest.Environment))
	return list
}
