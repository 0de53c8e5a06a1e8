package foreign

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"assay/bundle"
	"assay/record"
)

// A layout puts the points of a launch one after the other on the launch's clock.
type layout struct {
	out   *bundle.Launch
	sends bool // whether it is known when requests were sent

	begin int64 // of the next point
	next  int64 // number of the next request
}

// point writes one point and the events that bound it.
func (l *layout) point(m Measured) error {
	at := int32(m.Point)
	opened := l.begin
	l.begin += m.Lead.Nanoseconds() // what was read before the window has its place on the clock
	begin, end := l.begin, l.begin+m.Duration.Nanoseconds()
	event := func(when int64, name, detail string) record.Event {
		return record.Event{At: when, Name: name, Point: at, Detail: detail}
	}
	events := []record.Event{event(opened, record.PointBegin, ""), event(begin, record.WindowBegin, ""), event(end, record.WindowEnd, "")}
	requests, chunks, err := l.shift(m)
	if err != nil {
		return err
	}
	last := end
	for _, r := range requests {
		last = max(last, r.Done)
	}
	events = append(events, event(last, record.PointEnd, ""))
	if l.sends && len(requests) > 0 {
		detail, err := balance(requests)
		if err != nil {
			return err
		}
		events = append(events, event(last, record.PointBalance, detail))
	}
	for i := range m.Samples {
		m.Samples[i].At += begin
		last = max(last, m.Samples[i].At)
	}
	for i := range m.Collectives {
		m.Collectives[i].Point = at
		m.Collectives[i].Start += begin
		m.Collectives[i].End += begin
		last = max(last, m.Collectives[i].End)
	}
	l.begin = last
	for _, err := range []error{
		l.out.Requests.Append(requests...), l.out.Chunks.Append(chunks...), l.out.Samples.Append(m.Samples...),
		l.out.Collectives.Append(m.Collectives...), l.out.Events.Append(events...),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// shift moves the times of a point to its place on the launch's clock and gives
// its requests numbers that no other point has.
func (l *layout) shift(m Measured) ([]record.Request, []record.Chunk, error) {
	numbers := make(map[int64]int64, len(m.Requests))
	chunksOf := make(map[int64]int32, len(m.Requests))
	requests, chunks := slices.Clone(m.Requests), slices.Clone(m.Chunks)
	for i := range chunks {
		chunksOf[chunks[i].Request]++
	}
	for i := range requests {
		r := &requests[i]
		if _, twice := numbers[r.ID]; twice {
			return nil, nil, fmt.Errorf("two requests have the number %d", r.ID)
		}
		if r.Sent < 0 || r.Done < r.Sent {
			return nil, nil, fmt.Errorf("request %d was sent at %d ns of its window and done at %d ns", r.ID, r.Sent, r.Done)
		}
		numbers[r.ID] = l.next
		r.Point, r.Chunks = int32(m.Point), chunksOf[r.ID]
		r.ID, l.next = l.next, l.next+1
		r.Due, r.Sent, r.Done = r.Due+l.begin, r.Sent+l.begin, r.Done+l.begin
		r.Wrote, r.First = moved(r.Wrote, l.begin), moved(r.First, l.begin)
		if r.Phase == "" {
			r.Phase = record.Measure
		}
	}
	for i := range chunks {
		number, ok := numbers[chunks[i].Request]
		if !ok {
			return nil, nil, fmt.Errorf("part of an answer to request %d, which there is not", chunks[i].Request)
		}
		chunks[i].Request = number
		chunks[i].At += l.begin
	}
	return requests, chunks, nil
}

func moved(at *int64, by int64) *int64 {
	if at == nil {
		return nil
	}
	sum := *at + by
	return &sum
}

// balance is what became of the requests, and the most of them in flight.
func balance(requests []record.Request) (string, error) {
	type edge struct {
		at   int64
		step int
	}
	counts := struct {
		Begun        int `json:"begun"`
		Completed    int `json:"completed"`
		Failed       int `json:"failed"`
		Dropped      int `json:"dropped"`
		Cancelled    int `json:"cancelled"`
		Cut          int `json:"cut"`
		MostInFlight int `json:"mostInFlight"`
	}{Begun: len(requests)}
	var edges []edge
	for _, r := range requests {
		switch r.Result {
		case record.OK:
			counts.Completed++
		case record.Dropped:
			counts.Dropped++
			continue // never sent
		case record.Cancelled:
			counts.Cancelled++
		case record.Cut:
			counts.Cut++
		default:
			counts.Failed++
		}
		edges = append(edges, edge{r.Sent, 1}, edge{r.Done, -1})
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.step, b.step)) })
	flying := 0
	for _, e := range edges {
		flying += e.step
		counts.MostInFlight = max(counts.MostInFlight, flying)
	}
	data, err := json.Marshal(counts)
	return string(data), err
}
