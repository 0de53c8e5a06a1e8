package telemetry

import (
	"context"
	"path"
)

// RAPL reads the energy counters of the processor packages, scoped by zone.
var RAPL = Source{
	ID: "rapl", Name: "host", Doc: "processor energy, from /sys/class/powercap",
	Gauges: []Gauge{
		{"rapl.energy.total", "J", "energy used by a zone, such as package-0 or dram"},
	},
	Open: func(h Host, _ Options) Reader {
		r := &raplReader{host: h, zones: map[string]zone{}}
		return func(context.Context) ([]Reading, error) { return r.read() }
	},
}

// raplReader unrolls the counters, which start again at zero every few minutes
// under load.
type raplReader struct {
	host  Host
	zones map[string]zone
}

// A zone is the last raw count and what earlier rounds add, in microjoules.
type zone struct{ last, rounds int64 }

func (r *raplReader) read() ([]Reading, error) {
	folders, err := r.host.glob("sys/class/powercap/*:*")
	if err != nil {
		return nil, err
	}
	var out []Reading
	for _, f := range folders {
		name, err := r.host.text(f + "/name")
		if err != nil {
			name = "zone"
		}
		// Two packages each have a zone called dram; the folder tells them apart.
		out = append(out, r.readZone(f, name+" ("+path.Base(f)+")"))
	}
	return out, nil
}

func (r *raplReader) readZone(folder, scope string) Reading {
	out := Reading{Name: "rapl.energy.total", Scope: scope}
	now, err := r.host.integer(folder + "/energy_uj")
	if err != nil {
		out.Missing = err.Error() // only root may read it since CVE-2020-8694
		return out
	}
	z := r.zones[folder]
	if now < z.last {
		most, err := r.host.integer(folder + "/max_energy_range_uj")
		if err != nil {
			out.Missing = "the counter went round and " + err.Error()
			return out
		}
		z.rounds += most
	}
	z.last = now
	r.zones[folder] = z
	out.Value = float64(z.rounds+now) / 1e6
	return out
}
