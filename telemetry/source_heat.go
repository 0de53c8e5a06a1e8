package telemetry

import "context"

// Heat reads how warm and how fast the host's processors are. Virtual machines say
// neither.
var Heat = Source{
	ID: "heat", Name: "host", Doc: "temperature, clock and thermal throttling of the processors, from /sys",
	Gauges: []Gauge{
		{"cpu.temperature", "C", "the hottest sensor of the machine"},
		{"cpu.clock", "MHz", "mean clock of up to eight processors"},
		{"cpu.heat_throttles.total", "1", "times that heat slowed a processor"},
	},
	Open: func(h Host, _ Options) Reader {
		return func(context.Context) ([]Reading, error) {
			return []Reading{
				readingOf("cpu.temperature", h.hottest),
				readingOf("cpu.clock", h.meanClock),
				readingOf("cpu.heat_throttles.total", h.heatThrottles),
			}, nil
		}
	},
}

func readingOf(name string, read func() (float64, error)) Reading {
	value, err := read()
	if err != nil {
		return Reading{Name: name, Missing: err.Error()}
	}
	return Reading{Name: name, Value: value}
}

// hottest is the temperature of the warmest sensor that answers, in degrees Celsius.
func (h Host) hottest() (float64, error) {
	zones, err := h.glob("sys/class/thermal/thermal_zone*/temp")
	if err != nil {
		return 0, err
	}
	hottest, read := 0.0, false
	for _, z := range zones {
		milli, zoneErr := h.integer(z)
		if zoneErr != nil {
			err = zoneErr // sensors that are off answer with an error
			continue
		}
		if c := float64(milli) / 1000; !read || c > hottest {
			hottest, read = c, true
		}
	}
	if !read {
		return 0, err
	}
	return hottest, nil
}

// mostClocks is how many processors are asked for their clock: older kernels interrupt
// each one that they ask.
const mostClocks = 8

// meanClock is what processors run at, in MHz, spread evenly over the machine.
func (h Host) meanClock() (float64, error) {
	files, err := h.glob("sys/devices/system/cpu/cpufreq/policy*/scaling_cur_freq")
	if err != nil {
		return 0, err
	}
	sum, asked := 0.0, min(mostClocks, len(files))
	for i := range asked {
		kilohertz, err := h.integer(files[i*len(files)/asked])
		if err != nil {
			return 0, err
		}
		sum += float64(kilohertz) / 1000
	}
	return sum / float64(asked), nil
}

// heatThrottles is how often heat has slowed a processor since the machine was started.
func (h Host) heatThrottles() (float64, error) {
	files, err := h.glob("sys/devices/system/cpu/cpu[0-9]*/thermal_throttle/core_throttle_count")
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for _, f := range files {
		n, err := h.integer(f)
		if err != nil {
			return 0, err
		}
		sum += float64(n)
	}
	return sum, nil
}
