package telemetry

import "context"

// GPU reads every device, scoped by UUID.
var GPU = Source{
	ID: "gpu", Name: "gpu", Doc: "accelerators, through NVML or nvidia-smi",
	Gauges: gpuGauges(),
	Open: func(h Host, _ Options) Reader {
		return func(ctx context.Context) ([]Reading, error) {
			if h.GPUs == nil {
				return nil, errNotAsked
			}
			return h.GPUs.Gauges(ctx)
		}
	},
}

func gpuGauges() []Gauge {
	out := []Gauge{
		{"utilisation", "1", "share of time in which any kernel ran; says nothing about how full the device was"},
		{"memory.utilisation", "1", "share of time in which device memory was read or written"},
		{"memory.used", "B", "device memory in use"},
		{"clock.sm", "MHz", "clock of the processors"},
		{"clock.memory", "MHz", "clock of the memory"},
		{"power", "W", "power drawn"},
		{"energy.total", "J", "energy used since the driver was loaded"},
		{"temperature", "C", "temperature of the chip"},
		{"temperature.memory", "C", "temperature of the memory"},
		{"ecc.uncorrected.total", "1", "memory errors that could not be corrected, since the driver was loaded"},
		{"throttle.mask", "1", "the driver's bit set of reasons for the present clock"},
		{"throttle", "1", "1 while any reason below holds, else 0"},
	}
	for _, r := range throttleReasons {
		if r.hurt {
			out = append(out, Gauge{"throttle." + r.name, "1", "1 while this reason lowers the clock, else 0"})
		}
	}
	return out
}

// maskReadings spells the driver's bit set out, so that nobody has to know the
// bits to find a throttled window.
func maskReadings(uuid string, mask uint64) []Reading {
	out := []Reading{{Name: "throttle.mask", Scope: uuid, Value: float64(mask)}}
	anyHurt := 0.0
	for _, r := range throttleReasons {
		if !r.hurt {
			continue
		}
		on := 0.0
		if mask&r.bit != 0 {
			on, anyHurt = 1, 1
		}
		out = append(out, Reading{Name: "throttle." + r.name, Scope: uuid, Value: on})
	}
	return append(out, Reading{Name: "throttle", Scope: uuid, Value: anyHurt})
}

func missingThrottle(uuid, reason string) []Reading {
	out := maskReadings(uuid, 0)
	for i := range out {
		out[i].Missing = reason
	}
	return out
}
