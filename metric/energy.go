package metric

import (
	"strings"

	"assay/unit"
)

// gpuMean is a gauge's mean over time on every accelerator of the host.
func (p *Point) gpuMean(name string) ([]window, bool) { return p.windows(gpuSource, name, all) }

// GPUPower is what the accelerators drew.
var GPUPower = Metric{
	ID: "gpu_power.v1", Name: "GPU power", Unit: unit.Watt, Better: Lower, Scope: only(Telemetry),
	Doc: "Power of all accelerators of the host together, averaged over the time of the measured window.",
	Of: Whole(func(p *Point) (float64, bool) {
		list, ok := p.gpuMean("power")
		return sumOf(list, mean), ok
	}),
}

// GPUEnergy is what the accelerators used.
var GPUEnergy = Metric{
	ID: "gpu_energy.v1", Name: "GPU energy", Unit: unit.Joule, Better: Lower, Scope: only(Telemetry),
	Doc: "Energy of all accelerators of the host together in the measured window: the growth of the driver's counter, or where there is none the integral of the power along straight lines between readings.",
	Of:  Whole((*Point).gpuEnergy),
}

func (p *Point) gpuEnergy() (float64, bool) {
	if list, ok := p.windows(gpuSource, "energy.total", all); ok {
		return sumOf(list, increase), true
	}
	watts, ok := GPUPower.Whole(p)
	return watts * p.Seconds(), ok
}

// GPUUtilisation is how much of the time the accelerators did anything.
var GPUUtilisation = Metric{
	ID: "gpu_utilisation.v1", Name: "GPU busy", Unit: unit.Share, Better: Higher, Scope: only(Telemetry),
	Doc: "Share of time in which any kernel ran, averaged over the measured window and over the accelerators of the host. It says nothing about how full they were.",
	Of: Whole(func(p *Point) (float64, bool) {
		list, ok := p.gpuMean("utilisation")
		return sumOf(list, mean) / float64(max(1, len(list))), ok
	}),
}

// GPUMemory is the memory in use on the accelerators.
var GPUMemory = Metric{
	ID: "gpu_memory.v1", Name: "GPU memory", Unit: unit.Byte, Better: Lower, Scope: only(Telemetry),
	Doc: "Device memory in use on all accelerators of the host together, averaged over the time of the measured window. Engines reserve their KV cache at the start, whatever they use of it.",
	Of: Whole(func(p *Point) (float64, bool) {
		list, ok := p.gpuMean("memory.used")
		return sumOf(list, mean), ok
	}),
}

// HostEnergy is what the processors used.
var HostEnergy = Metric{
	ID: "host_energy.v1", Name: "processor energy", Unit: unit.Joule, Better: Lower, Scope: only(Telemetry),
	Doc: "Growth of the RAPL counters of processor packages and of their memory in the measured window. Zones inside a package are part of it and not added again.",
	Of: Whole(func(p *Point) (float64, bool) {
		list, ok := p.windows(hostSource, "rapl.energy.total", func(scope string) bool {
			return strings.HasPrefix(scope, "package") || strings.HasPrefix(scope, "dram")
		})
		return sumOf(list, increase), ok
	}),
}

// EnergyPerOutputToken is what a token costs in energy.
var EnergyPerOutputToken = Metric{
	ID: "energy_per_output_token.v1", Name: "GPU energy per output token", Unit: unit.Joule, Better: Lower, Scope: only(Telemetry),
	Doc: "gpu_energy.v1 divided by the output tokens that arrived in the same window, counted as output_throughput.v1 counts them.",
	Of: Whole(func(p *Point) (float64, bool) {
		return p.energyPer(OutputThroughput)
	}),
}

// EnergyPerRequest is what a request costs in energy.
var EnergyPerRequest = Metric{
	ID: "energy_per_request.v1", Name: "GPU energy per request", Unit: unit.Joule, Better: Lower, Scope: only(Telemetry),
	Doc: "gpu_energy.v1 divided by the successful requests of the same window, counted as request_throughput.v2 counts them.",
	Of: Whole(func(p *Point) (float64, bool) {
		return p.energyPer(RequestThroughput)
	}),
}

// energyPer divides the energy of the window by the work done in it.
func (p *Point) energyPer(work Metric) (float64, bool) {
	joules, known := p.gpuEnergy()
	rate, counted := work.Whole(p)
	done := rate * p.Seconds()
	return joules / done, known && counted && done > 0
}
