package lint

import (
	"fmt"
	"slices"

	"assay/bundle"
	"assay/plan"
	"assay/record"
)

// A ForeignPoint is one point of one launch of an import: what the files say about
// it, and what their single requests are.
type ForeignPoint struct {
	Launch, Point int
	Stated        bundle.Stated // zero where the files say nothing

	Rows      int // single requests, whatever became of them; 0 where none are told
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

// foreignRow is what is read of a request.
type foreignRow struct {
	Point  int32          `parquet:"point,delta"`
	Phase  record.Phase   `parquet:"phase,dict"`
	Sent   int64          `parquet:"sent_ns,delta"`
	Done   int64          `parquet:"done_ns,delta"`
	Result record.Outcome `parquet:"outcome,dict"`
	Input  *int32         `parquet:"usage_input_tokens"`
	Usage  *int32         `parquet:"usage_output_tokens"`
	Count  *int32         `parquet:"tokenizer_output_tokens"`
}

// tallyForeign reads the requests of an import; nothing of other bundles.
func tallyForeign(b *bundle.Bundle, p plan.Plan) ([]ForeignPoint, error) {
	if b.Manifest.Source == nil {
		return nil, nil
	}
	var list []ForeignPoint
	for _, info := range b.Launches() {
		if info.Outcome != bundle.LaunchCompleted {
			continue
		}
		points, err := foreignLaunch(b, info.Index)
		if err != nil {
			return nil, fmt.Errorf("launch %d: %w", info.Index+1, err)
		}
		for _, point := range p.Points {
			at := points[int32(point.Index)]
			if at == nil {
				continue
			}
			at.Launch, at.Point = info.Index, point.Index
			i := slices.IndexFunc(b.Manifest.Source.Stated, func(s bundle.Stated) bool { return s.Launch == at.Launch && s.Point == at.Point })
			if i >= 0 {
				at.Stated = b.Manifest.Source.Stated[i]
			}
			list = append(list, *at)
		}
	}
	return list, nil
}

func foreignLaunch(b *bundle.Bundle, launch int) (map[int32]*ForeignPoint, error) {
	points, begins := map[int32]*ForeignPoint{}, map[int32]int64{}
	for e, err := range bundle.Rows[record.Event](b, launch, bundle.Events) {
		switch {
		case err != nil:
			return nil, err
		case e.Name == record.WindowBegin:
			points[e.Point], begins[e.Point] = &ForeignPoint{}, e.At
		case e.Name == record.WindowEnd && points[e.Point] != nil:
			points[e.Point].Window = float64(e.At-begins[e.Point]) / 1e9
		}
	}
	for r, err := range bundle.Rows[foreignRow](b, launch, bundle.Requests) {
		if err != nil {
			return nil, err
		}
		if at := points[r.Point]; at != nil {
			at.add(r, begins[r.Point])
		}
	}
	return points, nil
}

func (t *ForeignPoint) add(r foreignRow, begin int64) {
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
	t.Input.add(r.Input)
	if r.Usage == nil {
		r.Usage = r.Count
	}
	t.Output.add(r.Usage)
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
