package plot

import (
	"fmt"
	"slices"

	"assay/analysis/scaling"
	"assay/finding"
	"assay/report"
	"assay/stats"
	"assay/unit"
)

// scalingPlots are the curves of scaling, which are studies and no fields of points.
var scalingPlots = Layout{named: "scaling", curves: true, Layout: Grid{Rows: 1, Cols: 2, Size: []float64{16, 7}}}

// wideGrowth is how many times the smallest size the largest must be for axes of
// powers: on plain ones small sizes would lie on top of each other.
const wideGrowth = 16

// The looks of what a scaling chart shows; laws follow.
const (
	measuredLook = iota
	idealLook
	lawLook
)

// Scaling draws a study: speed-up beside the ideal, and efficiency beside the one asked
// for, each with the intervals of the sizes and the laws that were fitted to them.
func Scaling(name string, r scaling.Result) Figure {
	f := Figure{File: "scaling", Rows: 1, Cols: 2, Width: 16, Height: 7, Notes: []string{report.ScalingTitle(r)}}
	if name != "" {
		f.File += "_" + fileName(name)
		f.Notes[0] = name + ": " + f.Notes[0]
	}
	if r.Held != "" {
		f.Notes = append(f.Notes, "held: "+r.Held)
	}
	if r.Window != "" {
		f.Notes = append(f.Notes, "measured: "+r.Window)
	}
	for _, one := range r.Findings {
		if one.Severity == finding.Void && f.alarm == "" {
			f.alarm = "VOID, not to be quoted: " + one.Check
		}
	}
	f.Charts = []Chart{speedupChart(r), efficiencyChart(r)}
	for i := range f.Charts {
		f.Charts[i].Col = i
		f.Charts[i].File = f.File + "_" + fileName(f.Charts[i].Y.name)
		f.Charts[i].fit("")
	}
	f.keys = []plotKey{{label: "measured", look: lookOf(measuredLook), dotted: true}, {label: "ideal", look: lookOf(idealLook)}}
	for i, law := range r.Fits {
		f.keys = append(f.keys, plotKey{label: law.Law, look: lookOf(lawLook + i)})
	}
	return f
}

func speedupChart(r scaling.Result) Chart {
	wide := wideOf(r)
	c := Chart{Title: "Speed-up by number of workers", X: workersAxis(wide), Y: Axis{name: "speed-up", unit: unit.Ratio, Log: wide, factor: 1}}
	base := r.Rows[0]
	ideal := Series{Label: "ideal", Field: "ideal", look: lookOf(idealLook), interval: "none", joined: true}
	for _, row := range r.Rows {
		ideal.Marks = append(ideal.Marks, Mark{X: exactly(float64(row.Workers)), Y: exactly(base.Speedup.Value * float64(row.Workers) / float64(base.Workers))})
	}
	c.Series = append(c.Series, sizes(r, "speed-up", func(row scaling.Row) stats.Estimate { return row.Speedup }), ideal)
	c.Series = append(c.Series, lawSeries(r, func(_, speedup float64) float64 { return speedup })...)
	return c
}

func efficiencyChart(r scaling.Result) Chart {
	c := Chart{
		Title: "Efficiency by number of workers", X: workersAxis(wideOf(r)), Y: Axis{name: "efficiency", unit: unit.Share, factor: 1},
		Limits: []Limit{{fmt.Sprintf("%.3g %%", 100*r.Threshold), r.Threshold}},
	}
	base := r.Rows[0].Efficiency.Value / r.Rows[0].Speedup.Value * float64(r.Rows[0].Workers)
	ideal := Series{Label: "ideal", Field: "ideal", look: lookOf(idealLook), interval: "none", joined: true}
	for _, row := range []scaling.Row{r.Rows[0], r.Rows[len(r.Rows)-1]} {
		ideal.Marks = append(ideal.Marks, Mark{X: exactly(float64(row.Workers)), Y: exactly(1)})
	}
	c.Series = append(c.Series, sizes(r, "efficiency", func(row scaling.Row) stats.Estimate { return row.Efficiency }), ideal)
	c.Series = append(c.Series, lawSeries(r, func(workers, speedup float64) float64 { return speedup * base / workers })...)
	return c
}

func wideOf(r scaling.Result) bool {
	return r.Rows[len(r.Rows)-1].Workers >= wideGrowth*r.Rows[0].Workers
}

func workersAxis(log bool) Axis {
	return Axis{name: "workers", unit: unit.Ratio, Log: log, factor: 1}
}

// sizes are the measured sizes with their intervals.
func sizes(r scaling.Result, field string, of func(scaling.Row) stats.Estimate) Series {
	s := Series{Label: "measured", Field: field, look: lookOf(measuredLook), interval: "bars", joined: true, dotted: true}
	for _, row := range r.Rows {
		e := of(row)
		s.Marks = append(s.Marks, Mark{X: exactly(float64(row.Workers)), Y: Value{e.Value, e.Interval}, Label: fmt.Sprint(row.Workers)})
	}
	return s
}

// lawSeries are the fitted laws along the measured sizes.
func lawSeries(r scaling.Result, value func(workers, speedup float64) float64) (list []Series) {
	for i, law := range r.Fits {
		s := Series{Label: law.Law, Field: law.Law, look: lookOf(lawLook + i), interval: "none", joined: true}
		for _, at := range law.Curve {
			s.Marks = append(s.Marks, Mark{X: exactly(at[0]), Y: exactly(value(at[0], at[1]))})
		}
		list = append(list, s)
	}
	return list
}

// scalingFigures are the curves of every report that has some.
func scalingFigures(reports []report.Report) ([]Figure, error) {
	var list []Figure
	for _, r := range reports {
		if r.Scaling == nil {
			continue
		}
		for _, study := range r.Scaling.Studies {
			if study.Result == nil {
				continue
			}
			name := study.Name
			if len(reports) > 1 {
				name = r.RunID + " " + name
			}
			f := Scaling(name, *study.Result)
			f.Notes = slices.Concat([]string{r.RunID + ", " + r.Signature}, f.Notes)
			f.NotVerified = r.Alarm()
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no bundle has a curve of scaling: want training at two world sizes or more, as assay scale run measures it")
	}
	return list, nil
}
