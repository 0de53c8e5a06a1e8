package watch

import (
	"slices"
	"strings"

	"assay/record"
	"assay/stats"
)

// ClientNow is the client's health in the launch so far, as far as it has been
// read; nil means not yet.
type ClientNow struct {
	Requests, Dropped int64    // of measured windows
	LagP99            *float64 // seconds, from due to sent
	CPUShare          *float64 // of the client's processors, between the last two readings
	CPUShareMax       *float64 // the same in the busiest interval
	GCPauseMax        *float64 // seconds
	Throttled         *float64 // seconds held back by the control group
	Pressure          *float64 // share of the time in which some task waited for a processor
	Steal             *float64 // share of processor time taken by other machines
	RunQueue          *float64 // share of the time that the client's threads waited
	Pruned            *float64 // received data squeezed or dropped
	HostPower         *float64 // W of the processor packages
}

// A GPU is what was last read of one device; nil means that it could not be read.
type GPU struct {
	ID                              string
	Utilisation, Power, Temperature *float64 // share, W, °C
}

// A ServerGauge is what was last read of a figure of the server, over all of its
// series.
type ServerGauge struct {
	What      string
	Sum, Mean float64
}

// A serverGauge is the same while it is read.
type serverGauge struct {
	rank   int
	series map[string]float64
}

// mostSeries bounds the series of a server's figure that are kept.
const mostSeries = 1024

// health is what Live keeps of the client.
type health struct {
	requests, dropped int64
	lag               *stats.Sketch
	gauges            map[string]*gaugeReadings
	busyAt            int64 // when the processor time below was read
	busy              float64
	share, shareMax   *float64
}

func (h *health) reset() {
	*h = health{lag: stats.NewSketch(liveError), gauges: map[string]*gaugeReadings{}}
	for _, name := range healthGauges {
		h.gauges[name] = &gaugeReadings{}
	}
}

// ended takes in a request of the measured window.
func (h *health) ended(r *record.Request) {
	if r.Result == record.Dropped {
		h.dropped++
		return
	}
	h.requests++
	h.lag.Add(seconds(r.Sent - r.Due))
}

// A gaugeReadings is the first and the last reading of a gauge, scopes summed up.
type gaugeReadings struct {
	readings           int
	firstAt, at        int64
	first, value, most float64
}

func (g *gaugeReadings) add(at int64, v float64) {
	if g.readings > 0 && g.at == at { // another scope of one reading
		v += g.value
	} else {
		g.readings++
	}
	g.at, g.value = at, v
	if g.readings == 1 {
		g.firstAt, g.first = at, v
	}
	g.most = max(g.most, v)
}

// grown is how much a counter grew; nil without two readings.
func (g *gaugeReadings) grown() *float64 {
	if g.readings < 2 {
		return nil
	}
	v := g.value - g.first
	return &v
}

// The samples that the client's health rests on, as package metric reads them from
// a sealed bundle.
const (
	clientUser   = "client cpu.user.total"
	clientSystem = "client cpu.system.total"
	clientProcs  = "client gomaxprocs"
	gcPause      = "client gc.pause.max"
	throttled    = "client cgroup.throttled.total"
	runQueue     = "client threads.runqueue.total"
	pressure     = "host cpu.psi.some.total"
	steal        = "host cpu.steal.total"
	pruned       = "host tcp.receive_pruned.total"
	hostEnergy   = "host rapl.energy.total"
)

var hostTimes = []string{"host cpu.user.total", "host cpu.system.total", "host cpu.idle.total", "host cpu.iowait.total", steal}

var healthGauges = append([]string{clientUser, clientSystem, clientProcs, gcPause, throttled, runQueue, pressure, pruned, hostEnergy}, hostTimes...)

// Sampled takes in what was read beside the run.
func (v *Live) Sampled(rows []record.Sample) {
	if v == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for i := range rows {
		s := &rows[i]
		if s.Value == nil {
			continue
		}
		switch s.Source {
		case "client", "host":
			name := s.Source + " " + s.Name
			if name == hostEnergy && !strings.HasPrefix(s.Scope, "package") {
				continue // zones within a package are counted in it
			}
			if g := v.health.gauges[name]; g != nil {
				g.add(s.At, *s.Value)
			}
		case "gpu":
			v.sampledGPU(s)
		case "server":
			v.sampledServer(s)
		}
	}
	v.health.useOfProcessors()
}

// leastDistance of two readings that a share of processor time is taken over: it
// comes in hundredths of a second.
const leastDistance = int64(5e8)

func (h *health) useOfProcessors() {
	user, system, procs := h.gauges[clientUser], h.gauges[clientSystem], h.gauges[clientProcs]
	if user.readings == 0 || system.at != user.at || procs.most == 0 {
		return
	}
	used, apart := user.value+system.value, user.at-h.busyAt
	if h.busyAt == 0 {
		h.busyAt, h.busy = user.at, used
		return
	}
	if apart < leastDistance {
		return
	}
	share := (used - h.busy) / seconds(apart) / procs.most
	h.busyAt, h.busy, h.share = user.at, used, &share
	if h.shareMax == nil || share > *h.shareMax {
		h.shareMax = &share
	}
}

// now is the health so far.
func (h *health) now() ClientNow {
	c := ClientNow{Requests: h.requests, Dropped: h.dropped, CPUShare: h.share, CPUShareMax: h.shareMax}
	if h.lag.Count() > 0 {
		p99 := h.lag.Quantile(.99)
		c.LagP99 = &p99
	}
	if g := h.gauges[gcPause]; g.readings > 0 {
		most := g.most // a snapshot shares nothing with what goes on
		c.GCPauseMax = &most
	}
	c.Throttled, c.Pruned = h.gauges[throttled].grown(), h.gauges[pruned].grown()
	c.Pressure, c.RunQueue, c.HostPower = h.perSecond(pressure), h.perSecond(runQueue), h.perSecond(hostEnergy)
	all := 0.0
	for _, name := range hostTimes {
		if v := h.gauges[name].grown(); v != nil {
			all += *v
		}
	}
	if taken := h.gauges[steal].grown(); taken != nil && all > 0 {
		share := *taken / all
		c.Steal = &share
	}
	return c
}

// perSecond is how fast a counter grew; nil without two readings.
func (h *health) perSecond(name string) *float64 {
	g := h.gauges[name]
	grown := g.grown()
	if grown == nil || g.at <= g.firstAt {
		return nil
	}
	v := *grown / seconds(g.at-g.firstAt)
	return &v
}

func (v *Live) sampledGPU(s *record.Sample) {
	g := v.gpus[s.Scope]
	if g == nil {
		g = &GPU{ID: s.Scope}
		v.gpus[s.Scope] = g
	}
	value := *s.Value // rows are the sampler's
	switch s.Name {
	case "utilisation":
		g.Utilisation = &value
	case "power":
		g.Power = &value
	case "temperature":
		g.Temperature = &value
	}
}

func (v *Live) sampledServer(s *record.Sample) {
	if v.Gauge == nil {
		return
	}
	what, rank, ok := v.Gauge(s.Name, s.Scope)
	if !ok {
		return
	}
	g := v.server[what]
	if g == nil || rank < g.rank {
		g = &serverGauge{rank: rank, series: map[string]float64{}}
		v.server[what] = g
	}
	_, known := g.series[s.Scope]
	if rank == g.rank && (known || len(g.series) < mostSeries) {
		g.series[s.Scope] = *s.Value
	}
}

// devices are the GPUs in the order of their names.
func (v *Live) devices() []GPU {
	var list []GPU
	for _, g := range v.gpus {
		list = append(list, *g)
	}
	slices.SortFunc(list, func(a, b GPU) int { return strings.Compare(a.ID, b.ID) })
	return list
}

// serverGauges are the figures of the server in the order of their names.
func (v *Live) serverGauges() []ServerGauge {
	var list []ServerGauge
	for what, g := range v.server {
		one := ServerGauge{What: what}
		for _, value := range g.series {
			one.Sum += value
		}
		one.Mean = one.Sum / float64(len(g.series))
		list = append(list, one)
	}
	slices.SortFunc(list, func(a, b ServerGauge) int { return strings.Compare(a.What, b.What) })
	return list
}
