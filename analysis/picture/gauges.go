package picture

import "assay/unit"

// A gauge is one series that is drawn of the samples beside a launch, of which a
// bundle holds hundreds.
type gauge struct {
	source string
	name   string // of the series
	unit   unit.Unit

	of    []string // names of the samples; several are added
	per   []string // what is divided by; nil means nothing
	total bool     // the samples only grow: their growth per second is shown
}

// Units that no metric has.
const (
	cores     unit.Unit = "cores"
	celsius   unit.Unit = "°C"
	megahertz unit.Unit = "MHz"
)

// gauges lists what is drawn of the client, its host and the accelerators. Those of
// the target's own page have many names: see metric.ServerLevel.
var gauges = []gauge{
	{Client, "client CPU", cores, []string{"cpu.user.total", "cpu.system.total"}, nil, true},
	{Client, "client memory", unit.Byte, []string{"memory.resident"}, nil, false},
	{Client, "client scheduling delay p99", unit.Second, []string{"sched.latency.p99"}, nil, false},
	{
		Host, "host CPU busy", unit.Share, []string{"cpu.user.total", "cpu.system.total", "cpu.steal.total"},
		[]string{"cpu.user.total", "cpu.system.total", "cpu.steal.total", "cpu.idle.total", "cpu.iowait.total"}, true,
	},
	{Host, "host CPU pressure", unit.Share, []string{"cpu.psi.some.total"}, nil, true},
	{Host, "host memory available", unit.Byte, []string{"memory.available"}, nil, false},
	{GPU, "GPU power", unit.Watt, []string{"power"}, nil, false},
	{GPU, "GPU utilisation", unit.Share, []string{"utilisation"}, nil, false},
	{GPU, "GPU memory", unit.Byte, []string{"memory.used"}, nil, false},
	{GPU, "GPU temperature", celsius, []string{"temperature"}, nil, false},
	{GPU, "GPU clock", megahertz, []string{"clock.sm"}, nil, false},
}

// wanted are the samples that gauges are made of.
var wanted = func() map[string]bool {
	set := map[string]bool{}
	for _, g := range gauges {
		for _, name := range append(append([]string{}, g.of...), g.per...) {
			set[g.source+" "+name] = true
		}
	}
	return set
}()
