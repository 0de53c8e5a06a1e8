package page

import (
	"fmt"
	"slices"
	"strings"

	"assay/metric"
	"assay/plan"
	"assay/report"
	"assay/spec"
	"assay/unit"
)

// A tile is one number that a reader takes away.
type tile struct {
	Name, Value, Interval string
	Of                    string // the point that it is of
}

// summary is the first screen: tiles, one table over all points and the curve of
// latency over throughput.
func (x exhibit) summary(curves *part) part {
	p := part{ID: "summary", Title: "Summary", Tiles: x.tiles()}
	if table := x.PointTable(true); len(table.Rows) > 0 {
		p.Head, p.Rows, p.Table = table.Head, table.Rows, "wide"
	}
	p.Lines = append(p.Lines, x.Knees()...)
	if text := x.PercentileAdvice(); text != "" {
		p.Lines = append(p.Lines, "A dash stands for too few requests: "+text+".")
	}
	if len(curves.Charts) > 0 {
		p.Charts, curves.Charts = curves.Charts[:1], curves.Charts[1:]
	}
	return p
}

// tiles are the figures of the point with the highest throughput, and latency where
// nobody waits.
func (x exhibit) tiles() (list []tile) {
	points := x.measuredPoints()
	if len(points) == 0 {
		return nil
	}
	side := x.SideNames()[0]
	peak := x.peak(points, side)
	for _, one := range []struct {
		name, statistic string
		metric          metric.Metric
		point           plan.Point
	}{
		{"output throughput", "value", metric.OutputThroughput, peak},
		{"requests", "value", metric.RequestThroughput, peak},
		{"TTFT p50", "p50", metric.TTFT, peak},
		{"TPOT p50", "p50", metric.TPOT, peak},
		{"E2E p50", "p50", metric.E2E, peak},
		{"TTFT p50, lowest load", "p50", metric.TTFT, points[0]},
	} {
		row, ok := x.find(one.metric, one.statistic, side, one.point.Index)
		if !ok || !report.Certified(row) || one.name == "TTFT p50, lowest load" && len(points) == 1 {
			continue
		}
		list = append(list, tileOf(one.name, row, beside(one.point.Name, side)))
	}
	return x.headlineFirst(list)
}

// headlineFirst puts a latency in front where the spec chose it before the run, of the
// point that may be quoted for it.
func (x exhibit) headlineFirst(list []tile) []tile {
	if x.Plan.Run.Spec.Intent.Headline != spec.HeadlineLatency {
		return list
	}
	quoted := ""
	if x.Claims != nil {
		if head := report.HeadClaim(x.Claims.Claims); head != nil && head.Headline {
			quoted = beside(head.Point, head.Side)
		}
	}
	lead := -1
	for i, t := range list {
		if strings.HasPrefix(t.Name, metric.TTFT.Name) && (lead < 0 || t.Of == quoted) {
			lead = i
		}
	}
	if lead <= 0 {
		return list
	}
	return slices.Insert(slices.Delete(slices.Clone(list), lead, lead+1), 0, list[lead])
}

func tileOf(name string, row metric.Row, of string) tile {
	t := tile{Name: name, Value: unit.Format(row.Value, row.Unit), Of: of}
	if row.Interval.Bounded() {
		t.Interval = splitCell(report.Value(row))[1]
	}
	return t
}

// peak is the point with the highest throughput.
func (x exhibit) peak(points []plan.Point, side string) plan.Point {
	best, most := points[0], 0.
	for _, p := range points {
		for _, m := range []metric.Metric{metric.OutputThroughput, metric.RequestThroughput} {
			if row, ok := x.find(m, "value", side, p.Index); ok {
				if row.Value > most {
					best, most = p, row.Value
				}
				break
			}
		}
	}
	return best
}

// groupPart is what one check found, wherever it found it.
func groupPart(g report.FindingGroup) part {
	one := findingPart(g.Finding)
	if g.Where == "" {
		return one
	}
	one.Title += ", " + g.Where
	one.Parts = nil // the evidence is of the first alone
	rest := part{Fold: fmt.Sprintf("All %d", len(g.All))}
	for _, f := range g.All {
		rest.Points = append(rest.Points, f.Message)
	}
	one.add(rest)
	return one
}
