package telemetry

import "context"

// Load reads how many tasks want to run.
var Load = Source{
	ID: "load", Name: "host", Doc: "load averages, from /proc/loadavg",
	Gauges: []Gauge{
		{"load.avg1", "1", "tasks running or waiting, over one minute"},
		{"load.avg5", "1", "tasks running or waiting, over five minutes"},
	},
	Open: func(h Host, _ Options) Reader {
		return func(context.Context) ([]Reading, error) { return readLoad(h) }
	},
}

func readLoad(h Host) ([]Reading, error) {
	text, err := h.text("proc/loadavg")
	if err != nil {
		return nil, err
	}
	var out []Reading
	for i, name := range []string{"load.avg1", "load.avg5"} {
		v, err := field(i)(text)
		if err != nil {
			return nil, err
		}
		out = append(out, Reading{Name: name, Value: v.(float64)})
	}
	return out, nil
}
