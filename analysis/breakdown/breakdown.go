// Package breakdown splits a time into its parts, launch by launch: an answer's
// into client, network, queue, prefill and decode, a training step's into input,
// computation, communication and the rest, a training job's into its start, its steps and
// its checkpoints. Parts sum to the whole; what nobody measured is called unexplained and
// shown.
package breakdown

import (
	"slices"

	"gonum.org/v1/gonum/stat"

	"assay/metric"
)

// A Class is the kind of resource that a part of the time is spent on.
type Class string

// The classes. The client and the unexplained rest are never blamed on the system.
const (
	Compute       Class = "compute"
	Communication Class = "communication"
	Input         Class = "input"
	Storage       Class = "storage"       // saving what was computed
	ControlPlane  Class = "control_plane" // waiting to be taken up: queues, schedulers, starts
	Client        Class = "client"
	Unexplained   Class = "unexplained"
)

// A Kind is one of the four things that a change of speed is put down to, or what is put
// down to none of them.
type Kind string

// Kinds lists them in the order in which they are shown.
var Kinds = []Kind{"compute", "communication", "storage", "orchestration", "client", "unexplained"}

// Kind is the one that a class belongs to: input comes from storage, and whoever waits to
// be taken up waits for orchestration.
func (c Class) Kind() Kind {
	switch c {
	case Input, Storage:
		return "storage"
	case ControlPlane:
		return "orchestration"
	}
	return Kind(c)
}

// A Part is one piece of the time, in seconds, with one value for each launch.
type Part struct {
	Name   string    `json:"name"`
	Class  Class     `json:"class"`
	Values []float64 `json:"values"`
	Source string    `json:"source"` // the metrics or columns it comes from

	fold string // the part that holds it where it was not recorded by itself
}

// A Breakdown is a time and its parts over the launches that have them all.
type Breakdown struct {
	Of       string    `json:"of"` // E2E, step or job
	Launches []int     `json:"launches"`
	Whole    []float64 `json:"whole"`
	Parts    []Part    `json:"parts"`
	Missing  []string  `json:"missing,omitempty"` // what would split it further
}

// Mean is the mean of a part over launches, and its share of the whole.
func (b Breakdown) Mean(p Part) (seconds, share float64) {
	return stat.Mean(p.Values, nil), stat.Mean(p.Values, nil) / stat.Mean(b.Whole, nil)
}

// Serving splits the mean E2E of the requests of a point. Without the server's own
// counters only the client's part, the time to the first token and what follows
// can be told apart.
func Serving(e metric.Estimates, point int) (Breakdown, bool) { return serving(e, point, queueSeen) }

// ServingAlike splits a point of two runs as finely as both of them can be.
func ServingAlike(a metric.Estimates, pointA int, b metric.Estimates, pointB int) (before, after Breakdown, ok bool) {
	for depth := queueSeen; depth >= clientOnly; depth-- {
		x, okX := serving(a, pointA, depth)
		y, okY := serving(b, pointB, depth)
		same := slices.EqualFunc(x.Parts, y.Parts, func(p, q Part) bool { return p.Name == q.Name })
		if okX && okY && same {
			return x, y, true
		}
	}
	return Breakdown{}, Breakdown{}, false
}

// How far into a server an answer can be followed.
const (
	clientOnly = iota // by the client's own stamps
	firstSeen         // by the server's time to first token
	queueSeen         // and its queue time
)

// serving splits the mean E2E by no more of the server's counters than depth says.
func serving(e metric.Estimates, point, depth int) (Breakdown, bool) {
	get := func(m metric.Metric, statistic string) map[int]float64 {
		row, ok := e.Find(m.ID, statistic, point)
		if !ok {
			return nil
		}
		values := map[int]float64{}
		for _, v := range row.PerLaunch {
			values[v.Launch] = v.Value
		}
		return values
	}
	whole, ttft, lag := get(metric.E2E, "mean"), get(metric.TTFT, "mean"), get(metric.Lag, "mean")
	if len(whole) == 0 || len(ttft) == 0 {
		return Breakdown{}, false
	}
	out := Breakdown{Of: "E2E"}
	queue, server := get(metric.ServerQueueTime, "value"), get(metric.ServerTTFT, "value")
	for launch := range whole {
		if _, ok := ttft[launch]; ok {
			out.Launches = append(out.Launches, launch)
		}
	}
	slices.Sort(out.Launches)
	inside := depth >= firstSeen && every(out.Launches, server)
	queued := depth >= queueSeen && inside && every(out.Launches, queue)
	add := func(name string, class Class, source string, value func(launch int) float64) {
		part := Part{Name: name, Class: class, Source: source}
		for _, launch := range out.Launches {
			part.Values = append(part.Values, value(launch))
		}
		out.Parts = append(out.Parts, part)
	}
	for _, launch := range out.Launches {
		out.Whole = append(out.Whole, whole[launch])
	}
	if len(lag) > 0 { // else a closed loop, whose latency begins with the send
		add("client", Client, "lag.v1", func(l int) float64 { return lag[l] })
	}
	switch {
	case queued:
		add("network and front end", Communication, "ttft.v2 − server_ttft.v1 − lag.v1", func(l int) float64 { return ttft[l] - server[l] - lag[l] })
		add("server queue", ControlPlane, "server_queue_time.v1", func(l int) float64 { return queue[l] })
		add("prefill", Compute, "server_ttft.v1 − server_queue_time.v1", func(l int) float64 { return server[l] - queue[l] })
	case inside:
		add("network and front end", Communication, "ttft.v2 − server_ttft.v1 − lag.v1", func(l int) float64 { return ttft[l] - server[l] - lag[l] })
		add("queue and prefill", Unexplained, "server_ttft.v1", func(l int) float64 { return server[l] })
		out.Missing = append(out.Missing, "the server's queue time (server_queue_time.v1): prefill and queue cannot be distinguished")
	default:
		add("network, queue and prefill", Unexplained, "ttft.v2 − lag.v1", func(l int) float64 { return ttft[l] - lag[l] })
		out.Missing = append(out.Missing, "the server's own time to first token (server_ttft.v1; set target.metrics): network, queue and prefill cannot be distinguished")
	}
	add("decode", Compute, "e2e.v2 − ttft.v2", func(l int) float64 { return whole[l] - ttft[l] })
	return out, true
}

func every(launches []int, values map[int]float64) bool {
	return len(launches) > 0 && !slices.ContainsFunc(launches, func(l int) bool { _, ok := values[l]; return !ok })
}
