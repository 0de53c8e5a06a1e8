package run

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"time"

	"assay/plan"
	"assay/record"
	"assay/secret"
	"assay/spec"
	"assay/target"
)

// A demand is what a point asks of the client.
type demand struct {
	point   string
	index   int     // of the point in the plan
	streams int     // closed loop
	rate    float64 // open loop, requests per second

	together bool // its users begin all at once
}

// assumedStreams stands in for points whose load only the run finds out, such as
// a replayed trace.
const assumedStreams = 64

// demandOf is the point that asks most of the client, in this part of the plan.
func demandOf(p plan.Plan) demand {
	var all []demand
	for _, point := range p.Points {
		d := demand{point: point.Name, index: point.Index, streams: point.Concurrency, together: point.Start == spec.StartTogether}
		if point.Open() {
			d.rate = fastest(point) / float64(p.Share().Count)
		}
		if d.streams == 0 && d.rate == 0 {
			d.streams = assumedStreams
			if point.MaxInFlight > 0 {
				d.streams = min(d.streams, point.MaxInFlight)
			}
		}
		all = append(all, d)
	}
	if len(all) == 0 {
		return demand{streams: 1}
	}
	return slices.MaxFunc(all, func(a, b demand) int { return cmp.Compare(a.size(), b.size()) })
}

// size is how many events a second the demand would mean at full speed.
func (d demand) size() float64 {
	if d.streams > 0 {
		return float64(d.streams) / knownITL.Seconds()
	}
	return d.rate * longAnswer
}

const (
	// knownTTFT and knownITL are the known stream: faster than most servers, so
	// that the client is asked for more than the run will ask of it.
	knownTTFT = 50 * time.Millisecond
	knownITL  = 10 * time.Millisecond

	// longAnswer is the most tokens of a known answer.
	longAnswer = 25

	// mostEvents is what one processor of the simulator sends on time in a
	// second (docs/evidence/fidelity.md); beyond it the simulator would be
	// judged in place of the client.
	mostEvents = 50_000
)

// truth is the stream that the client is measured with. Few streams get short
// answers, or a second would hold too few of them to say anything; many get long
// pauses, so that the simulator, which sends from so many processors, keeps its schedule.
func (d demand) truth(senders int) record.KnownStream {
	most := mostEvents * max(1, senders)
	t := record.KnownStream{TTFTNS: int64(knownTTFT), ITLNS: int64(knownITL)}
	if d.streams > 0 {
		t.Tokens = min(longAnswer, max(10, d.streams))
		t.ITLNS = max(t.ITLNS, int64(d.streams)*int64(time.Second)/int64(most))
		return t
	}
	t.Tokens = int(min(longAnswer, max(2, float64(most)/d.rate)))
	return t
}

// answerTime is how long one known answer takes.
func answerTime(t record.KnownStream) time.Duration {
	return time.Duration(t.TTFTNS + int64(t.Tokens-1)*t.ITLNS)
}

// calibration is the demand in the words of a bundle.
func (d demand) calibration(senders int) record.Calibration {
	loop := "closed"
	if d.streams == 0 {
		loop = "open"
	}
	return record.Calibration{
		Version: record.CalibrationVersion, Point: d.point, Loop: loop,
		Streams: d.streams, Rate: d.rate, Truth: d.truth(senders),
	}
}

// notCovered says how the path to the target differs from that to the simulator,
// which is openai-chat, streamed, over loopback.
func notCovered(s spec.RunSpec, cfg target.Config) []string {
	var list []string
	remote := false
	for _, raw := range cfg.URLs {
		u, err := url.Parse(raw)
		if err != nil {
			continue // refused elsewhere
		}
		remote = remote || !secret.Loopback(u.Hostname())
	}
	if cfg.Proxy != nil {
		list = append(list, "the proxy: the known stream came without one")
	}
	if remote {
		list = append(list, "the network and its card: the known stream came over loopback")
	} else {
		list = append(list, "the target's own use of this host: the simulator stood in its place")
	}
	if s.Target.API != knownAPI {
		list = append(list, fmt.Sprintf("the framing of %s: the known stream was %s", s.Target.API, knownAPI))
	}
	if s.Load.Stream != nil && !*s.Load.Stream {
		list = append(list, "answers that are not streamed: the known one was")
	}
	return list
}

// knownAPI is the dialect of the known stream.
const knownAPI = "openai-chat"
