package hardware

import (
	"strings"

	"assay/plan"
)

// roofTypes are the products whose rate is a device's roof: what it is bought for.
// Faster types of fewer digits have roofs of their own, which their rows tell.
var roofTypes = map[string]string{"cuda": "bfloat16", "auto": "float64", "cpu": "float64"}

// roofline makes the roofs of what was measured at the most threads: arithmetic in
// the device's usual type, and the fastest kernel of memory. Nil when either is
// missing.
func roofline(all []*series, p plan.Plan) *Roofline {
	device := func(s *series) string {
		point, _ := p.PointByIndex(int(s.Point))
		if point.Micro == nil {
			return ""
		}
		return point.Micro.Device
	}
	var found *Roofline
	for _, name := range []string{"cuda", "auto", "cpu"} {
		r := Roofline{Device: name + ", " + roofTypes[name]}
		var points []*series
		for _, s := range all {
			if device(s) != name || len(s.pooled()) == 0 {
				continue
			}
			switch {
			case s.Probe == "roofline" && s.Variant == "peak", s.Probe == "matmul" && typeOf(s.Variant) == roofTypes[name]:
				r.Peak = max(r.Peak, s.middle())
			case s.Probe == "roofline":
				points = append(points, s)
				if s.flop > 0 {
					r.Memory = max(r.Memory, s.middle()/s.flop)
				}
			case s.Probe == "memory" && s.What == Bandwidth:
				r.Memory = max(r.Memory, s.middle())
			}
		}
		if r.Peak == 0 || r.Memory == 0 {
			continue
		}
		r.Ridge = r.Peak / r.Memory
		for _, s := range widest(points) {
			r.Points = append(r.Points, RoofPoint{s.Variant, s.flop, s.middle(), min(r.Peak, s.flop*r.Memory)})
		}
		if found == nil || len(r.Points) > len(found.Points) {
			found = &r
		}
	}
	return found
}

// typeOf is the type of a product's numbers: the first word of its name.
func typeOf(variant string) string {
	name, _, _ := strings.Cut(variant, " ")
	return name
}

// widest are the series of the most threads.
func widest(list []*series) (kept []*series) {
	var most int32
	for _, s := range list {
		most = max(most, s.Threads)
	}
	for _, s := range list {
		if s.Threads == most {
			kept = append(kept, s)
		}
	}
	return kept
}
