package metric

import (
	"fmt"

	"assay/record"
	"assay/unit"
)

// once adds the rows of the metrics that belong to launches as a whole.
func (e *Estimates) once(side string, launches []judgedLaunch) error {
	for i, m := range All {
		if _, ok := m.Of.(Once); !ok {
			continue
		}
		var values []LaunchValue
		for _, l := range launches {
			if one := l.once[i]; one.known {
				values = append(values, LaunchValue{l.index, one.value, 1})
			}
		}
		row, ok, err := m.row(LaunchPoint, "value", values, e.Confidence)
		if err != nil {
			return fmt.Errorf("%s: %w", m.ID, err)
		}
		if ok {
			row.Side = side
			e.Rows = append(e.Rows, row)
		}
	}
	return nil
}

// sinceStart is the time from the start of the server's process to when.
func sinceStart(when func(l *Launch) (int64, bool)) func(*Launch) (float64, bool) {
	return func(l *Launch) (float64, bool) {
		start, started := l.Stages[record.ServerStart]
		at, ok := when(l)
		return seconds(at - start), started && ok
	}
}

func stage(name string) func(*Launch) (int64, bool) {
	return func(l *Launch) (int64, bool) {
		at, ok := l.Stages[name]
		return at, ok
	}
}

// ofFirst asks the first request that a fresh server got; one that failed has
// nothing to say.
func ofFirst(what func(t *Timeline) (int64, bool)) func(*Launch) (int64, bool) {
	return func(l *Launch) (int64, bool) {
		cold := l.Apart[record.Cold]
		if len(cold) == 0 || cold[0].Result != record.OK {
			return 0, false
		}
		return what(cold[0])
	}
}

// ColdListening is how long a server takes to open its port.
var ColdListening = Metric{
	ID: "cold_listening.v1", Name: "port open", Unit: unit.Second, Better: Lower, Scope: only(Telemetry),
	Doc: "From the start of the server's process to the first TCP connection that it took.",
	Of:  Once(sinceStart(stage(record.ServerListening))),
}

// ColdReady is how long a server takes to say that it is ready.
var ColdReady = Metric{
	ID: "cold_ready.v1", Name: "ready", Unit: unit.Second, Better: Lower, Scope: only(Telemetry),
	Doc: "From the start of the server's process to the first 200 of its readiness page, late by at most target.server.ready.interval.",
	Of:  Once(sinceStart(stage(record.ServerReady))),
}

// ColdFirstRequest is when the first request was sent.
var ColdFirstRequest = Metric{
	ID: "cold_first_request.v1", Name: "first request sent", Unit: unit.Second, Better: Lower, Scope: only(Telemetry),
	Doc: "From the start of the server's process to the sending of the first request. What it exceeds cold_ready.v1 by is assay's own.",
	Of:  Once(sinceStart(ofFirst(func(t *Timeline) (int64, bool) { return t.Sent, true }))),
}

// ColdFirstToken is how long it takes from nothing to a first token.
var ColdFirstToken = Metric{
	ID: "cold_first_token.v1", Name: "first token", Unit: unit.Second, Better: Lower, Scope: only(Telemetry),
	Doc: "From the start of the server's process to the first output of its first request.",
	Of:  Once(sinceStart(ofFirst((*Timeline).firstOutput))),
}

// ColdEnd is how long it takes from nothing to a whole answer.
var ColdEnd = Metric{
	ID: "cold_end.v1", Name: "first answer complete", Unit: unit.Second, Better: Lower, Scope: only(Telemetry),
	Doc: "From the start of the server's process to the end of its first answer.",
	Of:  Once(sinceStart(ofFirst(func(t *Timeline) (int64, bool) { return t.Done, true }))),
}

// ColdGPUEnergy is what a start costs in energy.
var ColdGPUEnergy = Metric{
	ID: "cold_gpu_energy.v1", Name: "GPU energy until then", Unit: unit.Joule, Better: Lower, Scope: only(Telemetry),
	Doc: "gpu_energy.v1 from the start of the server's process to the end of its first answer.",
	Of: Once(func(l *Launch) (float64, bool) {
		start, started := l.Stages[record.ServerStart]
		end, ok := ofFirst(func(t *Timeline) (int64, bool) { return t.Done, true })(l)
		if !started || !ok {
			return 0, false
		}
		return (&Point{Begin: start, End: end, Samples: l.Samples}).gpuEnergy()
	}),
}

// meanOver is the mean of m over the successful requests of a phase.
func meanOver(m Metric, phase record.Phase) func(*Launch) (float64, bool) {
	return func(l *Launch) (float64, bool) {
		sum, n := 0.0, 0
		for _, t := range l.Apart[phase] {
			if t.Result != record.OK {
				continue
			}
			for _, v := range m.Each(t) {
				sum, n = sum+v, n+1
			}
		}
		return sum / float64(n), n > 0
	}
}

// less is the difference of two values of a launch.
func less(a, b func(*Launch) (float64, bool)) func(*Launch) (float64, bool) {
	return func(l *Launch) (float64, bool) {
		x, ok := a(l)
		y, also := b(l)
		return x - y, ok && also
	}
}

// ColdTTFT is the time to first token of cold requests.
var ColdTTFT = Metric{
	ID: "cold_ttft.v1", Name: "TTFT, cold", Unit: unit.Second, Better: Lower, Scope: only(Telemetry),
	Doc: "Mean TTFT of the first requests after the start, sent one at a time before any load.",
	Of:  Once(meanOver(TTFT, record.Cold)),
}

// WarmTTFT is what cold requests are compared with.
var WarmTTFT = Metric{
	ID: "cold_warm_ttft.v1", Name: "TTFT, warm", Unit: unit.Second, Better: Lower, Scope: only(Telemetry),
	Doc: "Mean TTFT of the requests after the cold ones, as long as they and sent alike, no prompt beginning like another.",
	Of:  Once(meanOver(TTFT, record.Warm)),
}

// ColdOverheadTTFT is what coldness adds to the first token.
var ColdOverheadTTFT = Metric{
	ID: "cold_overhead_ttft.v1", Name: "cold overhead, TTFT", Unit: unit.Second, Better: Lower, Scope: only(Telemetry), Signed: true,
	Doc: "cold_ttft.v1 minus cold_warm_ttft.v1 of the same launch.",
	Of:  Once(less(meanOver(TTFT, record.Cold), meanOver(TTFT, record.Warm))),
}

// ColdOverheadE2E is what coldness adds to the whole answer.
var ColdOverheadE2E = Metric{
	ID: "cold_overhead_e2e.v1", Name: "cold overhead, E2E", Unit: unit.Second, Better: Lower, Scope: only(Telemetry), Signed: true,
	Doc: "Mean e2e.v2 of the cold requests minus that of the warm ones of the same launch.",
	Of:  Once(less(meanOver(E2E, record.Cold), meanOver(E2E, record.Warm))),
}
