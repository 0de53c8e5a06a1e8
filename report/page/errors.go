package page

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/report"
)

// errors counts how requests ended, point by point.
func (x exhibit) errors() part {
	p := part{ID: "errors", Title: "Errors"}
	kinds := map[record.Outcome]bool{}
	failed, all := 0, 0
	for _, o := range x.Estimates.Outcomes {
		for outcome, n := range o.Counts {
			kinds[outcome] = true
			all += n
			if outcome != record.OK {
				failed += n
			}
		}
	}
	if all == 0 {
		p.Lines = []string{"The bundle counts no outcomes of requests."}
		return p
	}
	p.Lines = []string{fmt.Sprintf("%d of %d measured requests did not succeed (%.3g %%). They count against the system and are in every rate; latencies are those of the others.",
		failed, all, 100*float64(failed)/float64(all))}
	if failed == 0 {
		p.Lines = []string{fmt.Sprintf("None: all %d measured requests succeeded.", all)}
		return p
	}
	columns := slices.Sorted(maps.Keys(kinds))
	p.Head = []string{"point"}
	for _, outcome := range columns {
		p.Head = append(p.Head, string(outcome))
	}
	p.Head = append(p.Head, "not successful")
	for _, o := range x.Estimates.Outcomes {
		row := []string{beside(x.PointName(o.Point), o.Side)}
		sum, bad := 0, 0
		for _, outcome := range columns {
			n := o.Counts[outcome]
			row = append(row, fmt.Sprint(n))
			sum += n
			if outcome != record.OK {
				bad += n
			}
		}
		p.Rows = append(p.Rows, append(row, fmt.Sprintf("%.3g %%", 100*float64(bad)/float64(max(1, sum)))))
	}
	return p
}

// economics shows what rests on declared prices and measured energy.
func (x exhibit) economics() part {
	p := part{ID: "economics", Title: "Cost and energy"}
	s := x.Plan.Decided()
	measured := slices.ContainsFunc(x.Estimates.Rows, func(row metric.Row) bool { return row.Metric == metric.GPUEnergy.ID })
	if s.Cost != nil || s.Bounds != nil {
		p.Lines = []string{"As declared: " + strings.Join(append(report.CostText(s.Cost, measured), report.BoundsText(s.Bounds)...), ", ") + "."}
	}
	shown := slices.Clone(energies)
	for _, m := range metric.All {
		if m.Only(metric.Declarations) && x.Shown(m) {
			shown = append(shown, m)
		}
	}
	for _, side := range x.SideNames() {
		table := x.byPoint(shown, side)
		table.Title = side
		p.add(table)
	}
	if len(p.Parts) == 0 && len(p.Lines) == 0 {
		p.Lines = []string{"Neither: the spec declares no prices (spec.cost), and no counter of energy was read beside the load."}
	}
	return p
}

var energies = []metric.Metric{
	metric.GPUPower, metric.GPUEnergy, metric.GPUUtilisation, metric.HostEnergy, metric.EnergyPerOutputToken, metric.EnergyPerRequest,
}

// byPoint is a table of points over the metrics that any of them has.
func (x exhibit) byPoint(metrics []metric.Metric, side string) part {
	metrics = slices.DeleteFunc(metrics[:len(metrics):len(metrics)], func(m metric.Metric) bool {
		return !slices.ContainsFunc(x.Plan.Points, func(p plan.Point) bool { _, ok := x.find(m, "value", side, p.Index); return ok })
	})
	t := part{Head: []string{"point"}}
	for _, m := range metrics {
		t.Head = append(t.Head, m.Name)
	}
	for _, point := range x.measuredPoints() {
		row := []string{point.Name}
		for _, m := range metrics {
			text := "–"
			if one, ok := x.find(m, "value", side, point.Index); ok {
				text = rowText(one)
			}
			row = append(row, text)
		}
		if len(metrics) > 0 {
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}
