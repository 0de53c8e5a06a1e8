package collectives

import (
	"slices"
	"strings"

	"assay/plan"
)

// nvlinks are the published one-way rates of the links of accelerators, in bytes a
// second, the longest name first: H200 contains H20, GB200 contains B200.
var nvlinks = []struct {
	name string
	rate float64
}{{"GB300", 900e9}, {"GB200", 900e9}, {"B300", 900e9}, {"B200", 900e9}, {"H200", 450e9}, {"H100 80GB HBM3", 450e9}, {"A100-SXM", 300e9}}

// link is what bandwidth is held against: the declared rate, that of the interface
// that ranks were told to talk over, or the published one of accelerators on one
// host.
func (s study) link(rows []Row) *Link {
	c := s.plan.Collectives()
	if c == nil || !s.plan.Has(plan.KindCollective) {
		return nil
	}
	l := Link{Rate: float64(c.LinkRate), Source: "declared in spec.collectives.linkRate"}
	if l.Rate == 0 && c.Launch != nil && c.Launch.Interface != "" {
		fact := s.facts["net."+c.Launch.Interface+".speed_mbps"]
		switch v := fact.Value.(type) {
		case float64:
			l.Rate = v * 1e6 / 8
		case int64:
			l.Rate = float64(v) * 1e6 / 8
		}
		l.Source = "the speed that the kernel reports for " + c.Launch.Interface
	}
	if name := s.device(); l.Rate == 0 && c.Backend == "nccl" && name != "" {
		for _, one := range nvlinks {
			if l.Rate == 0 && strings.Contains(name, one.name) {
				l.Rate, l.Source = one.rate, "published of NVLink on "+name
			}
		}
	}
	alone := !slices.ContainsFunc(rows, func(r Row) bool { return r.BusBW != nil })
	if l.Rate <= 0 || alone { // a rank by itself uses no link
		return nil
	}
	for _, r := range rows {
		if r.BusBW != nil {
			l.Best = max(l.Best, r.BusBW.Value)
		}
	}
	l.Share = l.Best / l.Rate
	return &l
}

// device is the accelerator of all ranks, where they are on one host; empty
// otherwise.
func (s study) device() string {
	host, name := "", ""
	for _, l := range s.launches {
		for _, world := range l.worlds {
			for _, r := range world {
				if host != "" && r.Host != host || name != "" && r.Device != name {
					return ""
				}
				host, name = r.Host, r.Device
			}
		}
	}
	return name
}
