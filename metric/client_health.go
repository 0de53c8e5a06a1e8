package metric

import (
	"encoding/json"
	"fmt"
	"slices"

	"assay/bundle"
	"assay/record"
	"assay/stats"
)

// lateAfter is when a call counts as late: well above what a pacer misses by on
// a quiet host, well below any latency worth reporting.
const lateAfter = 1e6 // ns

// healthOf derives the client-health block of one launch.
func healthOf(b *bundle.Bundle, r *launchReader, seen []clientTrace) (ClientHealth, error) {
	h := ClientHealth{Launch: r.launch.Index}
	h.fromRequests(r.requests)
	h.fromTraces(seen)
	if err := h.readEvents(b); err != nil {
		return h, err
	}
	gauges := gauges{}
	for s, err := range bundle.Rows[record.Sample](b, h.Launch, bundle.Samples) {
		if err != nil {
			return h, err
		}
		gauges.add(s)
	}
	var windows []span
	for _, p := range r.launch.Points {
		if p.End > p.Begin {
			windows = append(windows, span{p.Begin, p.End})
		}
	}
	h.fromSamples(gauges, windows)
	h.Isolation = isolationOf(gauges, windows)
	return h, nil
}

func (h *ClientHealth) fromRequests(requests []*Timeline) {
	var lags []float64
	late := 0
	for _, t := range requests {
		switch {
		case t.Phase != record.Measure:
			continue
		case t.Result == record.Dropped:
			h.Dropped++
			continue
		}
		h.Requests++
		lag := t.Sent - t.Due
		lags = append(lags, seconds(lag))
		if lag > lateAfter {
			late++
		}
	}
	if len(lags) == 0 {
		return
	}
	slices.Sort(lags)
	at := func(q float64) *float64 {
		v := stats.OfRank(lags, q)
		return &v
	}
	most, share := lags[len(lags)-1], float64(late)/float64(len(lags))
	h.LagP50, h.LagP99, h.LagMax, h.LateShare = at(.5), at(.99), &most, &share
}

// A clientTrace is what the events of the measured requests say about the client. A
// client that keeps up with one-event writes reads them one by one.
type clientTrace struct {
	shared, followers int               // output events that shared a read, of those that come after another
	streamed, leftOut int64             // time from the first to the last output, and in gaps that ITL leaves out
	first             map[int][]ownPart // by point
	_                 [24]byte          // each worker counts in a cache line of its own
}

func (s *clientTrace) see(t *Timeline) {
	if t.Phase != record.Measure || t.Result == record.Dropped {
		return
	}
	for i := 1; i < len(t.Events); i++ {
		if t.Events[i].Kind.Output() && t.Events[i-1].Kind.Output() {
			s.followers++
			if readLater(&t.Events[i]) {
				s.shared++
			}
		}
	}
	if first, last, ok := t.OutputSpan(); ok {
		s.streamed += last - first
		s.leftOut += last - first
		for _, gap := range t.gaps() {
			s.leftOut -= gap
		}
	}
	at, answered := t.firstOutput()
	if answered && t.Result == record.OK && !t.NewConn { // else the network's handshakes are in it
		if s.first == nil {
			s.first = map[int][]ownPart{}
		}
		one := ownPart{float32(seconds(at - t.Origin())), float32(t.ownTTFT())}
		s.first[int(t.Point)] = append(s.first[int(t.Point)], one)
	}
}

// fromTraces leaves out what nothing was seen of.
func (h *ClientHealth) fromTraces(seen []clientTrace) {
	shared, followers := 0, 0
	var streamed, leftOut int64
	first := map[int][]ownPart{}
	for _, s := range seen {
		shared, followers = shared+s.shared, followers+s.followers
		for point, list := range s.first {
			first[point] = append(first[point], list...)
		}
		streamed, leftOut = streamed+s.streamed, leftOut+s.leftOut
	}
	if streamed > 0 {
		share := float64(leftOut) / float64(streamed)
		h.GapsLeftOut = &share
	}
	if followers > 0 {
		share := float64(shared) / float64(followers)
		h.SharedRead = &share
	}
	h.Moved = movedOf(first)
}

func (h *ClientHealth) readEvents(b *bundle.Bundle) error {
	for e, err := range bundle.Rows[record.Event](b, h.Launch, bundle.Events) {
		if err != nil {
			return err
		}
		if e.Name != record.PointBalance {
			continue
		}
		var balance struct{ MostInFlight int64 }
		if err := json.Unmarshal([]byte(e.Detail), &balance); err != nil {
			return fmt.Errorf("event %s: %w", e.Name, err)
		}
		h.MostInFlight = max(h.MostInFlight, balance.MostInFlight)
	}
	return nil
}

// gauges are the samples of a launch by source and name, scopes summed up.
type gauges map[string][]gaugeSample

type gaugeSample struct {
	at    int64
	value float64
}

func (g gauges) add(s record.Sample) {
	if s.Value == nil {
		return
	}
	key := s.Source + " " + s.Name
	list := g[key]
	if n := len(list); n > 0 && list[n-1].at == s.At { // another scope of one reading
		list[n-1].value += *s.Value
		return
	}
	g[key] = append(list, gaugeSample{s.At, *s.Value})
}

// grown is how much a counter grew; nil without two readings.
func (g gauges) grown(name string) *float64 {
	list := g[name]
	if len(list) < 2 {
		return nil
	}
	v := list[len(list)-1].value - list[0].value
	return &v
}

// most is the largest reading.
func (g gauges) most(name string) *float64 {
	var most *float64
	for i := range g[name] {
		if v := &g[name][i].value; most == nil || *v > *most {
			most = v
		}
	}
	return most
}

// mostSince is the largest reading of a gauge that tells what happened since the reading
// before, among those whose time lies within a window: the client collects its garbage
// between the points, where nobody measures.
func (g gauges) mostSince(name string, windows []span) *float64 {
	var most *float64
	list := g[name]
	for i := 1; i < len(list); i++ {
		inside := slices.ContainsFunc(windows, func(w span) bool { return w.begin <= list[i-1].at && list[i].at <= w.end })
		if v := &list[i].value; inside && (most == nil || *v > *most) {
			most = v
		}
	}
	return most
}

// sum is nil when one of the parts is.
func sum(parts ...*float64) *float64 {
	total := 0.0
	for _, p := range parts {
		if p == nil {
			return nil
		}
		total += *p
	}
	return &total
}

// over is a quotient, nil when a part is missing or zero.
func over(a *float64, b float64) *float64 {
	if a == nil || b <= 0 {
		return nil
	}
	v := *a / b
	return &v
}

const (
	clientUser, clientSystem = "client cpu.user.total", "client cpu.system.total"
	hostIdle, hostSteal      = "host cpu.idle.total", "host cpu.steal.total"
)

func (h *ClientHealth) fromSamples(g gauges, windows []span) {
	if list := g[clientUser]; len(list) > 1 {
		h.Seconds = seconds(list[len(list)-1].at - list[0].at)
	}
	cpu := sum(g.grown(clientUser), g.grown(clientSystem))
	if processors := g.most("client gomaxprocs"); processors != nil {
		h.CPUShare = over(cpu, h.Seconds**processors)
		h.CPUShareMax = g.busiest(*processors)
	}
	h.Throttled = g.grown("client cgroup.throttled.total")
	h.RunQueue = over(g.grown("client threads.runqueue.total"), h.Seconds)
	h.Involuntary = over(g.grown("client threads.involuntary.total"), h.Seconds)
	if all := sum(g.grown("host cpu.user.total"), g.grown("host cpu.system.total"), g.grown(hostIdle), g.grown("host cpu.iowait.total"), g.grown(hostSteal)); all != nil {
		h.Steal = over(g.grown(hostSteal), *all)
		if idle := over(sum(g.grown(hostIdle), g.grown("host cpu.iowait.total")), *all); idle != nil {
			busy := 1 - *idle
			h.HostBusy = &busy
		}
	}
	h.CPUPressure = over(g.grown("host cpu.psi.some.total"), h.Seconds)
	h.GCPauseMax, h.SchedP99Max = g.mostSince("client gc.pause.max", windows), g.most("client sched.latency.p99")
	if cpu != nil {
		h.GCShare = over(g.grown("client gc.cpu.total"), *cpu)
	}
	h.ResidentMax, h.OpenFilesMax = g.most("client memory.resident"), g.most("client files.open")
	h.Retransmits, h.TimeWaitMax = g.grown("host tcp.retransmits.total"), g.most("host tcp.time_wait")
	h.Pruned = g.grown("host tcp.receive_pruned.total")
	h.HeatThrottles, h.CelsiusMax = g.grown("host cpu.heat_throttles.total"), g.most("host cpu.temperature")
	h.DiskBusy = over(g.grown("host disk.busy.total"), h.Seconds)
	h.DiskRead, h.DiskWritten = over(g.grown("host disk.read.total"), h.Seconds), over(g.grown("host disk.written.total"), h.Seconds)
}

// shortest is the least distance of two samples that a share is taken over:
// processor time comes in hundredths of a second.
const shortest = int64(5e8)

// busiest is the largest share of the processors that the client used between
// two samples.
func (g gauges) busiest(processors float64) *float64 {
	user, system := g[clientUser], g[clientSystem]
	var most *float64
	for i, j := 0, 1; j < min(len(user), len(system)); j++ {
		if user[j].at-user[i].at < shortest {
			continue
		}
		used := user[j].value + system[j].value - user[i].value - system[i].value
		share := used / seconds(user[j].at-user[i].at) / processors
		if most == nil || share > *most {
			most = &share
		}
		i = j
	}
	return most
}
