package hardware

import (
	"fmt"

	"assay/bundle"
	"assay/plan"
	"assay/record"
)

// Read judges the records of the completed launches of b.
func Read(b *bundle.Bundle, p plan.Plan) (Report, error) {
	r := Report{Version: Version, Rows: []Row{}}
	if !p.Has(plan.KindProbe) {
		return r, nil
	}
	all := &ladder{seen: map[key]*series{}}
	traffic := &traffic{faces: map[string]*Interface{}}
	launches := 0
	for _, info := range b.Launches() {
		if info.Outcome != bundle.LaunchCompleted {
			continue
		}
		for row, err := range bundle.Rows[record.Trial](b, info.Index, bundle.Trials) {
			if err != nil {
				return r, fmt.Errorf("launch %d: %w", info.Index+1, err)
			}
			all.add(launches, row)
		}
		if err := traffic.read(b, info.Index); err != nil {
			return r, fmt.Errorf("launch %d: %w", info.Index+1, err)
		}
		launches++
	}
	confidence := p.Trials().ConfidenceLevel
	hosts := probed(b, p)
	for _, s := range all.order {
		if int(s.Device) < len(hosts) {
			s.host = hosts[s.Device].Name
		}
		row, err := s.row(confidence)
		if err != nil {
			return r, fmt.Errorf("%s %s: %w", s.Probe, s.Variant, err)
		}
		r.Rows = append(r.Rows, row)
	}
	env := b.Manifest.Environment
	if len(hosts) == 0 { // several hosts have as many ladders and roofs
		r.Levels = levels(r.Rows, statedCaches(env))
		r.Roofline = roofline(all.order, p)
		hosts = []bundle.Node{{Environment: env}}
	}
	r.Network = traffic.list(env)
	r.Devices = devices(r.Rows)
	r.Findings = findings(r, all.order, hosts)
	return r, nil
}

// probed are the hosts that ranks have measured, by rank; none where the program
// measured its own.
func probed(b *bundle.Bundle, p plan.Plan) []bundle.Node {
	if s := p.Decided().Probe; s == nil || s.Launch == nil {
		return nil
	}
	return b.Manifest.Nodes
}
