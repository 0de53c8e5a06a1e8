package picture

import (
	"cmp"
	"slices"

	"assay/analysis/steady"
	"assay/bundle"
	"assay/record"
	"assay/stats"
)

func seconds(ns int64) float64 { return float64(ns) / 1e9 }

// readWindows reads when the points of a launch went on. One without an end lasted
// as long as the launch, which ended at the given second.
func readWindows(b *bundle.Bundle, launch int, end float64) ([]Window, error) {
	byPoint := map[int32]*Window{}
	for e, err := range bundle.Rows[record.Event](b, launch, bundle.Events) {
		if err != nil {
			return nil, err
		}
		at, w := rounded(seconds(e.At)), byPoint[e.Point]
		switch e.Name {
		case record.PointBegin, record.WindowBegin:
			if w == nil {
				w = &Window{Point: int(e.Point), Begin: at, MeasureEnd: end, End: end}
				byPoint[e.Point] = w
			}
			w.Measure = at
		case record.WindowEnd:
			if w != nil {
				w.MeasureEnd, w.End = at, at
			}
		case record.PointEnd:
			if w != nil {
				w.End = at
			}
		}
	}
	list := []Window{}
	for _, w := range byPoint {
		list = append(list, *w)
	}
	slices.SortFunc(list, func(a, b Window) int {
		return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(a.Point, b.Point))
	})
	return list, nil
}

// mark says which part of each window was steady.
func mark(l *Launch, judged steady.Report) {
	for i := range l.Windows {
		w := &l.Windows[i]
		for _, p := range judged.Points {
			if p.Launch == l.Launch && p.Point == w.Point {
				w.Verdict = verdict(p)
				w.SteadyBegin, w.SteadyEnd = steadyPart(p)
			}
		}
	}
}

// verdict says in a few words what steady state was found.
func verdict(p steady.Point) string {
	if p.Skipped != "" {
		return "not judged: " + p.Skipped
	}
	short := 0
	for _, s := range p.Series {
		switch {
		case s.State.Shape == stats.TooShort:
			short++
		case !s.State.Steady():
			return "not steady: " + s.Name + " " + string(s.State.Shape)
		}
	}
	if short == len(p.Series) {
		return "too short to tell"
	}
	return "steady"
}

// steadyPart is where every series that has a steady part is in it; nil where there
// is no such time, and where one never settled.
func steadyPart(p steady.Point) (begin, end *float64) {
	if p.Skipped != "" || !p.Steady() {
		return nil, nil
	}
	for _, s := range p.Series {
		if s.Span == nil {
			continue
		}
		from, to := rounded(s.Span.Begin), rounded(s.Span.End)
		if begin == nil || from > *begin {
			begin = &from
		}
		if end == nil || to < *end {
			end = &to
		}
	}
	if begin == nil || *begin >= *end {
		return nil, nil
	}
	return begin, end
}
