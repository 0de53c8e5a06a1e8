package page

import (
	"fmt"
	"math"
	"strings"

	"assay/bundle"
	"assay/claim"
	"assay/metric"
	"assay/plan"
	"assay/report"
	"assay/unit"
)

// An exhibit is a report with its rows at hand: a sweep of many points asks for
// thousands of them.
type exhibit struct {
	report.Report
	rows map[rowKey]metric.Row
}

type rowKey struct {
	metric, statistic, side string
	point                   int
}

func newExhibit(r report.Report) exhibit {
	x := exhibit{Report: r, rows: map[rowKey]metric.Row{}}
	for _, row := range r.Estimates.Rows {
		x.rows[rowKey{row.Metric, row.Statistic, row.Side, row.Point}] = row
	}
	return x
}

func (x exhibit) find(m metric.Metric, statistic, side string, point int) (metric.Row, bool) {
	row, ok := x.rows[rowKey{m.ID, statistic, side, point}]
	return row, ok
}

// parts are the sections of the page: the answer, what speaks against it, what may be
// quoted, and then everything else, folded.
func (x exhibit) parts() []part {
	var curves, points part
	if x.Serves() {
		curves, points = x.curves(), x.points()
	}
	training, collectives, hardware, compared := x.training(), x.collectives(), x.hardware(), x.nodes()
	graded := x.accuracy()
	charted := []*part{&graded, &curves, &training, &collectives, &compared, &hardware}
	if x.Plan.AsksOnce() { // how fast it was is no measurement
		charted = charted[:1]
	}
	all := []part{x.summary(charted...), x.findings(), x.claims(), graded}
	open := len(all)
	all = append(all, training, x.scaling(), collectives, compared, hardware, curves, x.external(), points, x.question(), x.timeline())
	if x.Serves() {
		all = append(all, x.errors(), x.economics(), x.variance(), x.client())
	} else if beside := blockPart(x.BesideBlock()); len(beside.Rows) > 0 {
		beside.ID, beside.Title = "client", "Client health"
		all = append(all, beside)
	}
	var list []part
	for i, p := range append(all, x.environment(), x.reported(), x.provenance(), x.files()) {
		if !p.empty() {
			p.Folded = i >= open
			list = append(list, p)
		}
	}
	return list
}

func badges(r report.Report) []badge {
	list := []badge{{Name: "status", Value: string(r.Status)}}
	if r.Status != bundle.Completed {
		list[0].Class = "bad"
	}
	if r.Claims != nil {
		b := badge{Name: "grade", Value: string(r.Claims.Grade)}
		if r.Claims.Grade == claim.Publication {
			b.Class = "good"
		}
		list = append(list, b)
		if r.Claims.Division.Label != "" { // older claims do not say
			list = append(list, badge{Name: "division", Value: r.Claims.Division.Label})
		}
	}
	signature := badge{Name: "signature", Value: r.Signature}
	if report.Unvouched(r) {
		signature.Class = "bad"
	}
	list = append(list, signature, badge{Name: "launches", Value: fmt.Sprintf("%d of %d completed", report.Completed(r.Launches), len(r.Plan.Launches))})
	if r.Source != nil {
		list = append(list, badge{Name: "imported from", Value: strings.TrimSpace(r.Source.Tool + " " + r.Source.Version), Class: "bad"})
	}
	if !r.Manifest.Created.IsZero() {
		list = append(list, badge{Name: "made", Value: r.Manifest.Created.UTC().Format("2006-01-02 15:04 UTC")})
	}
	return list
}

// rowText shows one statistic, or why it cannot be shown.
func rowText(row metric.Row) string {
	if math.IsInf(row.Interval.Hi, 1) {
		return report.Marked(report.Unbounded(unit.Format(row.Value, row.Unit), row.Warnings), row.Void)
	}
	return report.Value(row)
}

// beside names a side after something else, where there are several.
func beside(text, side string) string {
	if side == "" {
		return text
	}
	return text + ", " + side
}

// measuredPoints are the points of requests that some launch measured, in the order of the
// plan.
func (x exhibit) measuredPoints() []plan.Point {
	seen := map[int]bool{}
	for _, row := range x.Estimates.Rows {
		seen[row.Point] = true
	}
	var list []plan.Point
	for _, p := range x.ServingPoints() {
		if seen[p.Index] {
			list = append(list, p)
		}
	}
	return list
}
