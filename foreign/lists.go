package foreign

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// A lists holds what vLLM and its offspring write about single requests: a list
// for each fact, with an entry for each request. Times are seconds.
type lists struct {
	inputs, outputs []float64
	ttfts           []float64
	gaps            [][]float64
	latencies       []float64 // of versions that write them
	starts          []float64 // on the client's own clock, of versions that write them
	queues          []float64 // wait for a place among those in flight, of versions that write it
	errors          []string
}

// take reads the field when it is one of the lists.
func (l *lists) take(key string, from *json.Decoder) (bool, error) {
	switch key {
	case "input_lens":
		return true, values(from, &l.inputs)
	case "output_lens":
		return true, values(from, &l.outputs)
	case "ttfts":
		return true, values(from, &l.ttfts)
	case "itls":
		return true, values(from, &l.gaps)
	case "latencies":
		return true, values(from, &l.latencies)
	case "start_times":
		return true, values(from, &l.starts)
	case "queue_times":
		return true, values(from, &l.queues)
	case "errors":
		return true, values(from, &l.errors)
	}
	return false, nil
}

// detailed reports whether single requests are told.
func (l *lists) detailed() bool { return len(l.ttfts) > 0 }

// arrivals reports whether it is told when a request began to wait for a place.
func (l *lists) arrivals() bool { return len(l.starts) > 0 && len(l.queues) > 0 }

// check wants an entry for each request in every list that there is.
func (l *lists) check() error {
	n := len(l.ttfts)
	for _, each := range []struct {
		name string
		got  int
		must bool
	}{
		{"itls", len(l.gaps), true}, {"output_lens", len(l.outputs), true}, {"input_lens", len(l.inputs), true},
		{"errors", len(l.errors), false}, {"latencies", len(l.latencies), false},
		{"start_times", len(l.starts), false}, {"queue_times", len(l.queues), false},
	} {
		if each.got != n && (each.must || each.got > 0) {
			return fmt.Errorf("ttfts has %d entries and %s %d, want one of each for every request", n, each.name, each.got)
		}
	}
	return nil
}

// fill adds the requests. Of an open loop the wait for a place counts: there a
// request was due before it got one.
func (l *lists) fill(m *Measured, open bool) error {
	if err := l.check(); err != nil {
		return err
	}
	chunks := len(l.ttfts)
	for _, gaps := range l.gaps {
		chunks += len(gaps)
	}
	m.room(len(l.ttfts), chunks)
	begin := l.begin(open)
	for i := range l.ttfts {
		a := answer{first: &l.ttfts[i], gaps: l.gaps[i], input: &l.inputs[i], output: &l.outputs[i]}
		if len(l.errors) > 0 {
			a.failed = l.errors[i]
		}
		if len(l.starts) > 0 {
			a.sent = l.starts[i] - begin
		}
		if open && l.arrivals() {
			due := l.starts[i] - l.queues[i] - begin
			a.due = &due
		}
		if len(l.latencies) > 0 {
			a.end = l.latencies[i]
		}
		if a.failed == "" && l.outputs[i] == 0 && l.ttfts[i] == 0 {
			a.failed = "no token came, and the tool names no error"
		}
		if err := m.add(a); err != nil {
			return fmt.Errorf("request %d: %w", i, err)
		}
		l.gaps[i] = nil // they are chunks now
	}
	return nil
}

// begin is the first moment of the run on the client's clock.
func (l *lists) begin(open bool) float64 {
	if len(l.starts) == 0 {
		return 0
	}
	begin := slices.Min(l.starts)
	if open && len(l.queues) == len(l.starts) {
		for i, at := range l.starts {
			begin = min(begin, at-max(0, l.queues[i]))
		}
	}
	if math.IsNaN(begin) {
		return 0
	}
	return begin
}
