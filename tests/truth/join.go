package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"assay/bundle"
	"assay/record"
)

// A comparison is one launch beside the truth. Errors are what the client says less what
// the server logged, of requests that were measured and answered.
type comparison struct {
	requests int
	missing  int // requests without an answer in the log, and events on one side alone

	ttft       sample // as the report counts it, less the truth
	ttftDue    sample // the same counted from when the request was due
	turnaround sample // last event of an answer written, to the receipt of the user's next request
	late       sample // the server's own: event written after it was due
	stamp      sample // of an event
	gap        sample // between two events, where the report counts it
	everyGap   sample // also where events shared a read
	ownGap     sample // the client's gaps themselves, where the report counts them
	trueGap    sample // the server's of the same events

	dueWritten  sample // open loop: due to the last byte handed to the kernel
	dueReceived sample // open loop: due to the server's receipt

	outputs, shared int // events, and those that came in one read with the one before
	collections     int64
	reading         record.Reading
}

// A seen is one request with the stamps of its output.
type seen struct {
	record.Request
	output []record.Chunk
}

// compare joins one launch with the truth.
func (m *measured) compare(launch bundle.LaunchInfo) (c column, err error) {
	c = column{name: fmt.Sprintf("launch %d", launch.Index+1), own: true, cpu: m.health.CPUSeconds / float64(len(m.bundle.Launches()))}
	requests, err := m.requests(launch, &c)
	if err != nil {
		return c, err
	}
	for event, err := range bundle.Rows[record.Event](m.bundle, launch.Index, bundle.Events) {
		if err == nil {
			err = c.take(event)
		}
		if err != nil {
			return c, err
		}
	}
	for _, r := range requests {
		if r.Phase == record.Measure && r.Result == record.OK {
			m.compareRequest(r, launch.EpochNS, &c.comparison)
		}
	}
	m.turnarounds(requests, &c.comparison)
	if c.requests == 0 {
		return c, errors.New("no measured request was answered")
	}
	return c, nil
}

// take notes what an event says about the client.
func (c *column) take(event record.Event) error {
	switch event.Name {
	case record.WindowCollector:
		var ran record.Collector
		if err := json.Unmarshal([]byte(event.Detail), &ran); err != nil {
			return err
		}
		c.collections += ran.Collections
	case record.ClientReading:
		return json.Unmarshal([]byte(event.Detail), &c.reading)
	}
	return nil
}

// requests reads the requests of a launch with their output, and counts its reads.
func (m *measured) requests(launch bundle.LaunchInfo, c *column) ([]*seen, error) {
	var list []*seen
	byID := map[int64]*seen{}
	for r, err := range bundle.Rows[record.Request](m.bundle, launch.Index, bundle.Requests) {
		if err != nil {
			return nil, err
		}
		list = append(list, &seen{Request: r})
		byID[r.ID] = list[len(list)-1]
	}
	err := m.bundle.Pieces(launch.Index, 1, func(_ int, p bundle.Piece) error {
		r := byID[p.Rows[0].Request]
		if r == nil {
			return fmt.Errorf("chunks of request %d, which is not recorded", p.Rows[0].Request)
		}
		last := int64(-1)
		for _, chunk := range p.Rows {
			if chunk.At != last {
				c.reads++
				last = chunk.At
			}
			if chunk.Kind.Output() {
				c.events++
				r.output = append(r.output, chunk)
			}
		}
		return nil
	})
	for _, r := range list { // a request may lie in two pieces, read in no order
		slices.SortFunc(r.output, func(a, b record.Chunk) int { return cmp.Compare(a.Seq, b.Seq) })
	}
	return list, err
}

// compareRequest adds what one request says. Epoch makes its stamps those of the host.
func (m *measured) compareRequest(r *seen, epoch int64, c *comparison) {
	truth, answered := m.truth[r.ServerID]
	if !answered || len(r.output) == 0 || len(truth.events) != len(r.output) {
		c.missing++
		return
	}
	c.requests++
	c.ttft = append(c.ttft, r.output[0].At-r.Origin()-truth.ttft())
	c.ttftDue = append(c.ttftDue, r.output[0].At-r.Due-truth.ttft())
	if r.User < 0 && r.Wrote != nil {
		c.dueWritten = append(c.dueWritten, *r.Wrote-r.Due)
		c.dueReceived = append(c.dueReceived, truth.received-epoch-r.Due)
	}
	for i, chunk := range r.output {
		c.outputs++
		c.stamp = append(c.stamp, chunk.At+epoch-truth.events[i].written)
		c.late = append(c.late, truth.events[i].written-truth.events[i].due)
		if i > 0 {
			c.compareGap(r.output, truth.events, i)
		}
	}
}

// compareGap adds the gap before event i. The stamp of an event that one read took
// together with the next is that of the next, so that the gaps on both its sides are not
// known, and the report leaves them out.
func (c *comparison) compareGap(output []record.Chunk, events []event, i int) {
	own, truth := output[i].At-output[i-1].At, events[i].written-events[i-1].written
	c.everyGap = append(c.everyGap, own-truth)
	if output[i].Shared {
		c.shared++
	}
	if output[i].Shared || i+1 < len(output) && output[i+1].Shared {
		return
	}
	c.gap, c.ownGap, c.trueGap = append(c.gap, own-truth), append(c.ownGap, own), append(c.trueGap, truth)
}

// turnarounds adds how long users of a closed loop were without a request, as the server
// saw it: the way to the client, the client, and the way back.
func (m *measured) turnarounds(requests []*seen, c *comparison) {
	users := map[int32][]*seen{}
	for _, r := range requests {
		if r.User >= 0 {
			users[r.User] = append(users[r.User], r)
		}
	}
	for _, list := range users {
		slices.SortFunc(list, func(a, b *seen) int { return cmp.Compare(a.Sent, b.Sent) })
		for i, r := range list[1:] {
			before, now := m.truth[list[i].ServerID], m.truth[r.ServerID]
			if r.Phase != record.Measure || list[i].Result != record.OK || len(before.events) == 0 || now.received == 0 {
				continue
			}
			c.turnaround = append(c.turnaround, now.received-before.events[len(before.events)-1].written)
		}
	}
}
