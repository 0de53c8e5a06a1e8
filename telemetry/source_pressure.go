package telemetry

import "context"

// Pressure reads the kernel's account of time lost waiting for processor,
// memory and disk.
var Pressure = Source{
	ID: "pressure", Name: "host", Doc: "pressure stall information, from /proc/pressure",
	Gauges: pressureGauges(),
	Open: func(h Host, _ Options) Reader {
		return func(context.Context) ([]Reading, error) { return readPressureGauges(h), nil }
	},
}

func pressureGauges() []Gauge {
	var out []Gauge
	for _, r := range resources {
		out = append(out,
			Gauge{r + ".psi.some.avg10", "1", "share of the last 10 s in which some task waited for " + r},
			Gauge{r + ".psi.full.avg10", "1", "share of the last 10 s in which every task waited for " + r},
			Gauge{r + ".psi.some.total", "s", "time in which some task waited for " + r},
			Gauge{r + ".psi.full.total", "s", "time in which every task waited for " + r},
		)
	}
	return out
}

// readPressureGauges turns the kernel's percent into a share and its
// microseconds into seconds.
func readPressureGauges(h Host) []Reading {
	var out []Reading
	for _, resource := range resources {
		values, err := pressure(h, resource)
		for _, g := range []struct {
			key    string
			factor float64
		}{{"some.avg10", 0.01}, {"full.avg10", 0.01}, {"some.total", 1e-6}, {"full.total", 1e-6}} {
			r := Reading{Name: resource + ".psi." + g.key}
			v, ok := values[g.key]
			switch {
			case err != nil:
				r.Missing = err.Error()
			case !ok:
				r.Missing = "/proc/pressure/" + resource + ": no " + g.key
			default:
				r.Value = v * g.factor
			}
			out = append(out, r)
		}
	}
	return out
}
