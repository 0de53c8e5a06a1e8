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
}

// ReadLaunch gathers the requests and events of one launch. A point whose window
// was never closed, because the launch died in it, is left out: what was
// recorded of it stays in the bundle, but nothing can be said per second.
func ReadLaunch(b *bundle.Bundle, index int) (Launch, error) {
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
		}
	}
	byID := map[int64]*Timeline{}
	for r, err := range bundle.Rows[record.Request](b, index, bundle.Requests) {
		if err != nil {
			return Launch{}, fmt.Errorf("launch %d: %w", index, err)
		}
		if p := points[r.Point]; p != nil && ended[r.Point] {
			t := &Timeline{Request: r, Events: make([]record.Chunk, 0, r.Chunks)}
			if r.Phase == record.Probe {
				p.Probes = append(p.Probes, t)
			} else {
				p.Requests = append(p.Requests, t)
			}
			byID[r.ID] = t
		}
	}
	for c, err := range bundle.Rows[record.Chunk](b, index, bundle.Chunks) {
		if err != nil {
			return Launch{}, fmt.Errorf("launch %d: %w", index, err)
		}
		if t := byID[c.Request]; t != nil {
			t.Events = append(t.Events, c)
		}
	}
	launch := Launch{Index: index}
	for index, p := range points {
		if ended[index] {
			launch.Points = append(launch.Points, p)
		}
	}
	slices.SortFunc(launch.Points, func(a, b *Point) int { return cmp.Compare(a.Index, b.Index) })
	return launch, nil
}
