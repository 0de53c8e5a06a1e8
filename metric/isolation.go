package metric

// Isolation is what else happened on the host while requests were measured: in the
// windows of a launch alone, or in the whole launch where it has none, as that of a
// training run. A null was not recorded.
type Isolation struct {
	Seconds     float64  `json:"seconds"`     // measured
	Processors  *float64 `json:"processors"`  // of the host
	CPUPressure *float64 `json:"cpuPressure"` // share of the time in which some task of the host waited for a processor
	Steal       *float64 `json:"steal"`       // share of the machine's time given to other machines
	RunQueue    *float64 `json:"runQueue"`    // seconds that the client's threads were runnable and not running, per second
	Own         *float64 `json:"own"`         // processors that the client and the programs it started used
	Others      *float64 `json:"others"`      // processors that everybody else used, without interrupts, which belong to nobody
}

// A span is a stretch of a launch's time, in nanoseconds.
type span struct{ begin, end int64 }

// isolationOf reads the host's accounts over the windows of a launch.
func isolationOf(g gauges, windows []span) (i Isolation) {
	if list := g[clientUser]; len(windows) == 0 && len(list) > 1 {
		windows = []span{{list[0].at, list[len(list)-1].at}}
	}
	for _, w := range windows {
		i.Seconds += seconds(w.end - w.begin)
	}
	within := func(name string) *float64 { return g.within(name, windows) }
	i.CPUPressure = over(within("host cpu.psi.some.total"), i.Seconds)
	i.RunQueue = over(within("client threads.runqueue.total"), i.Seconds)
	busy := sum(within("host cpu.user.total"), within("host cpu.system.total"))
	stolen := within(hostSteal)
	if all := sum(busy, within(hostIdle), within("host cpu.iowait.total"), stolen); all != nil {
		i.Processors, i.Steal = over(all, i.Seconds), over(stolen, *all)
	}
	own := sum(within(clientUser), within(clientSystem), within("started cpu.total"))
	i.Own = over(own, i.Seconds)
	if interrupts := within("host cpu.interrupts.total"); own != nil && busy != nil && interrupts != nil {
		others := max(0, *busy-*interrupts-*own)
		i.Others = over(&others, i.Seconds)
	}
	return i
}

// within is how much a counter grew in the windows, along straight lines between its
// readings; nil where they do not hold nearly all of the time.
func (g gauges) within(name string, windows []span) *float64 {
	list := g[name]
	if len(list) < 2 {
		return nil
	}
	var total float64
	var asked, covered int64
	for _, w := range windows {
		asked += w.end - w.begin
		for i := 1; i < len(list); i++ {
			from, to := max(w.begin, list[i-1].at), min(w.end, list[i].at)
			if from >= to {
				continue
			}
			covered += to - from
			total += float64(to-from) / float64(list[i].at-list[i-1].at) * (list[i].value - list[i-1].value)
		}
	}
	if asked == 0 || float64(covered) < leastCovered*float64(asked) {
		return nil
	}
	return &total
}
