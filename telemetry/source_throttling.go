package telemetry

import (
	"context"
	"path"
)

// Throttling reads how long the own control group was held back by its CPU
// limit.
var Throttling = Source{
	ID: "throttling", Name: "client", Doc: "time lost to the control group's CPU limit, from its cpu.stat",
	Gauges: []Gauge{
		{"cgroup.throttled.total", "s", "time runnable threads were held back"},
		{"cgroup.throttled_periods.total", "1", "periods in which they were"},
	},
	Open: func(h Host, _ Options) Reader {
		return func(context.Context) ([]Reading, error) { return readThrottling(h) }
	},
}

func readThrottling(h Host) ([]Reading, error) {
	groups, err := ownGroups(h)
	if err != nil {
		return nil, err
	}
	g, ok := groups["cpu"]
	key, factor := "throttled_time", 1e-9 // version 1 counts nanoseconds
	if !ok {
		g, key, factor = groups[""], "throttled_usec", 1e-6
	}
	file := path.Join(g.mount, g.path, "cpu.stat")
	if !h.exists(file) {
		file = path.Join(g.mount, "cpu.stat") // a path of another namespace
	}
	text, err := h.text(file)
	if err != nil {
		return nil, err
	}
	values := keyValues(text, " ")
	return []Reading{
		numbered("cgroup.throttled.total", "/"+file, values, key, factor),
		numbered("cgroup.throttled_periods.total", "/"+file, values, "nr_throttled", 1),
	}, nil
}
