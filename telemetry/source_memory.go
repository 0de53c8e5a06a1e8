package telemetry

import "context"

// Memory reads how full the machine is, and whether it swaps.
var Memory = Source{
	ID: "memory", Name: "host", Doc: "memory of the whole machine, from /proc/meminfo and /proc/vmstat",
	Gauges: []Gauge{
		{"memory.available", "B", "memory a program could still take"},
		{"memory.swap.used", "B", "swap in use"},
		{"memory.swap.in.total", "1", "pages read back from swap"},
		{"memory.swap.out.total", "1", "pages written to swap"},
		{"memory.major_faults.total", "1", "page faults that waited for a disk"},
	},
	Open: func(h Host, _ Options) Reader {
		return func(context.Context) ([]Reading, error) { return readMemoryGauges(h) }
	},
}

func readMemoryGauges(h Host) ([]Reading, error) {
	m, err := readMeminfo(h)
	if err != nil {
		return nil, err
	}
	out := []Reading{{Name: "memory.swap.used", Value: float64(m["SwapTotal"] - m["SwapFree"])}}
	if v, ok := m["MemAvailable"]; ok {
		out = append(out, Reading{Name: "memory.available", Value: float64(v)})
	} else {
		out = append(out, Reading{Name: "memory.available", Missing: "/proc/meminfo: no MemAvailable"})
	}
	text, err := h.text("proc/vmstat")
	values := valuesOf(text, " ", "pswpin", "pswpout", "pgmajfault")
	for _, g := range []struct{ name, key string }{
		{"memory.swap.in.total", "pswpin"}, {"memory.swap.out.total", "pswpout"}, {"memory.major_faults.total", "pgmajfault"},
	} {
		r := numbered(g.name, "/proc/vmstat", values, g.key, 1)
		if err != nil {
			r.Missing = err.Error()
		}
		out = append(out, r)
	}
	return out, nil
}
