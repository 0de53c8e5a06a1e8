package metric

import (
	"cmp"
	"fmt"
	"slices"

	"assay/bundle"
	"assay/record"
)

// A Launch is the records of one launch, by point.
type Launch struct {
	Index  int
	Points []*Point
	Beside *Beside

	// Apart are the requests outside of every point, in the order they were sent.
	Apart map[record.Phase][]*Timeline

	// Stages is when a server that was started in this launch got how far, by
	// event.
	Stages map[string]int64
}

// ReadLaunch gathers the requests and events of one launch. A point whose window
// was never closed, because the launch died in it, is left out: what was
// recorded of it stays in the bundle, but nothing can be said per second.
func ReadLaunch(b *bundle.Bundle, index int) (Launch, error) {
	launch := Launch{Index: index, Apart: map[record.Phase][]*Timeline{}, Stages: map[string]int64{}}
	points := map[int32]*Point{}
	ended := map[int32]bool{}
	for e, err := range bundle.Rows[record.Event](b, index, bundle.Events) {
		if err != nil {
			return Launch{}, fmt.Errorf("launch %d: %w", index, err)
		}
		switch e.Name {
		case record.WindowBegin:
			points[e.Point] = &Point{Index: int(e.Point), Begin: e.At}
		case record.WindowEnd:
			if p := points[e.Point]; p != nil {
				p.End, ended[e.Point] = e.At, true
			}
		case record.ServerStart, record.ServerListening, record.ServerReady:
			launch.Stages[e.Name] = e.At
		}
	}
	byID := map[int64]*Timeline{}
	for r, err := range bundle.Rows[record.Request](b, index, bundle.Requests) {
		if err != nil {
			return Launch{}, fmt.Errorf("launch %d: %w", index, err)
		}
		t := &Timeline{Request: r, Events: make([]record.Chunk, 0, r.Chunks)}
		switch p := points[r.Point]; {
		case r.Point == LaunchPoint:
			launch.Apart[r.Phase] = append(launch.Apart[r.Phase], t)
		case p == nil || !ended[r.Point]:
			continue
		case r.Phase == record.Probe:
			p.Probes = append(p.Probes, t)
		default:
			p.Requests = append(p.Requests, t)
		}
		byID[r.ID] = t
	}
	for c, err := range bundle.Rows[record.Chunk](b, index, bundle.Chunks) {
		if err != nil {
			return Launch{}, fmt.Errorf("launch %d: %w", index, err)
		}
		if t := byID[c.Request]; t != nil {
			t.Events = append(t.Events, c)
		}
	}
	if err := readSessions(b, index, points, byID); err != nil {
		return Launch{}, fmt.Errorf("launch %d: %w", index, err)
	}
	var err error
	if launch.Beside, err = readBeside(b, index); err != nil {
		return Launch{}, err
	}
	for index, p := range points {
		if ended[index] {
			p.Beside = launch.Beside
			launch.Points = append(launch.Points, p)
		}
	}
	slices.SortFunc(launch.Points, func(a, b *Point) int { return cmp.Compare(a.Index, b.Index) })
	return launch, nil
}
