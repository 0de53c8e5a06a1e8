package lint

import (
	"fmt"
	"slices"

	"assay/bundle"
	"assay/metric"
	"assay/plan"
	"assay/record"
)

// A ForeignPoint is one point of one launch of an import: what the files say about
// it, and what their single requests are.
type ForeignPoint struct {
	Launch, Point int
	Stated        bundle.Stated // zero where the files say nothing

	Rows      int // single requests, whatever became of them; 0 where none are given
	Completed int // of them successful
	Untimed   int // of them without a latency: genai-bench gives none to a failure

	Input, Output Average // tokens of the successful ones

	Window      float64 // seconds
	First, Last float64 // first send and last end, in seconds of the window
	Busy        float64 // time in flight of all, in seconds
}

// An Average is a mean as it is gathered.
type Average struct {
	N   int
	Sum float64
}

// Mean is the mean; 0 of nothing.
func (a Average) Mean() float64 { return a.Sum / float64(max(1, a.N)) }

func (a *Average) add(n *int32) {
	if n != nil {
		a.N++
		a.Sum += float64(*n)
	}
}

// A foreignWatch tallies the requests of an import while others read them; nothing of
// other bundles.
type foreignWatch struct {
	bundle *bundle.Bundle
	plan   plan.Plan
	list   []ForeignPoint
}

func (w *foreignWatch) see(launch metric.WatchedLaunch) error {
	source := w.bundle.Manifest.Source
	if source == nil || launch.Info.Outcome != bundle.LaunchCompleted {
		return nil
	}
	points, err := foreignLaunch(w.bundle, launch)
	if err != nil {
		return err
	}
	for _, point := range w.plan.Points {
		at := points[int32(point.Index)]
		if at == nil {
			continue
		}
		at.Launch, at.Point = launch.Info.Index, point.Index
		i := slices.IndexFunc(source.Stated, func(s bundle.Stated) bool { return s.Launch == at.Launch && s.Point == at.Point })
		if i >= 0 {
			at.Stated = source.Stated[i]
		}
		w.list = append(w.list, *at)
	}
	return nil
}

func foreignLaunch(b *bundle.Bundle, launch metric.WatchedLaunch) (map[int32]*ForeignPoint, error) {
	points, begins := map[int32]*ForeignPoint{}, map[int32]int64{}
	for e, err := range bundle.Rows[record.Event](b, launch.Info.Index, bundle.Events) {
		switch {
		case err != nil:
			return nil, err
		case e.Name == record.WindowBegin:
			points[e.Point], begins[e.Point] = &ForeignPoint{}, e.At
		case e.Name == record.WindowEnd && points[e.Point] != nil:
			points[e.Point].Window = float64(e.At-begins[e.Point]) / 1e9
		}
	}
	for _, t := range launch.Requests {
		if at := points[t.Point]; at != nil {
			at.add(&t.Request, begins[t.Point])
		}
	}
	return points, nil
}

func (t *ForeignPoint) add(r *record.Request, begin int64) {
	sent, done := float64(r.Sent-begin)/1e9, float64(r.Done-begin)/1e9
	if t.Rows == 0 {
		t.First = sent
	}
	t.First, t.Last = min(t.First, sent), max(t.Last, done)
	t.Rows++
	t.Busy += done - sent
	if r.Sent == r.Done {
		t.Untimed++
	}
	if r.Result != record.OK {
		return
	}
	t.Completed++
	t.Input.add(r.UsageInput)
	if r.UsageOutput != nil {
		t.Output.add(r.UsageOutput)
	} else {
		t.Output.add(r.TokenizerOutput)
	}
}

// isImport reports whether the bundle repeats another tool.
func isImport(f *Facts) bool { return f.Manifest.Source != nil }

// place names a point of an import, with its launch where there are several.
func (t ForeignPoint) place(f *Facts) string {
	name := pointName(f, t.Point)
	if len(f.Plan.Launches) > 1 {
		name = fmt.Sprintf("%s, launch %d", name, t.Launch+1)
	}
	return name
}
