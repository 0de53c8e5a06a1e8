package main

import (
	"fmt"
	"testing"

	"assay/record"
)

// Two requests of one user, the second with an event that one read took together with
// the next: its gaps are left out, as in the report.
func TestCompare(t *testing.T) {
	t.Parallel()
	const epoch = 1000
	m := &measured{truth: answers{
		"a": {received: epoch + 20, events: []event{{100 + epoch, 100 + epoch}, {200 + epoch, 201 + epoch}}},
		"b": {received: epoch + 240, events: []event{{300 + epoch, 300 + epoch}, {400 + epoch, 400 + epoch}, {500 + epoch, 500 + epoch}, {600 + epoch, 600 + epoch}}},
	}}
	output := func(shared int, at ...int64) (list []record.Chunk) {
		for i, stamp := range at {
			list = append(list, record.Chunk{Seq: int32(i), At: stamp, Kind: record.Content, Shared: i == shared})
		}
		return list
	}
	requests := []*seen{
		{record.Request{ServerID: "a", Phase: record.Measure, Result: record.OK, Due: 0, Sent: 15}, output(-1, 103, 206)},
		{record.Request{ServerID: "b", Phase: record.Measure, Result: record.OK, Due: 206, Sent: 230}, output(2, 302, 507, 507, 604)},
		{record.Request{ServerID: "gone", Phase: record.Measure, Result: record.OK, User: 7}, output(-1, 1)},
	}
	var c comparison
	for _, r := range requests {
		m.compareRequest(r, epoch, &c)
	}
	m.turnarounds(requests, &c)
	f := func(name, want string, got ...any) {
		t.Helper()
		if text := fmt.Sprint(got...); text != want {
			t.Errorf("%s: got %s, want %s", name, text, want)
		}
	}
	f("requests and missing", "2 1", c.requests, c.missing)
	f("TTFT", "[8 12]", c.ttft)              // 103−15−80, 302−230−60
	f("TTFT from due", "[23 36]", c.ttftDue) // the turnaround counts
	f("turnaround", "[39]", c.turnaround)    // 240−201
	f("stamps", "[3 5 2 107 7 4]", c.stamp)  // the shared one is a gap late
	f("gaps", "[2 -3]", c.gap)               // 103−101, 97−100
	f("every gap", "[2 105 -100 -3]", c.everyGap)
	f("shared", "1 6", c.shared, c.outputs)
	f("server's delay", "[0 1 0 0 0 0]", c.late)
}
