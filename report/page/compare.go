package page

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"assay/accuracy/changes"
	"assay/accuracy/parity"
	"assay/analysis/compare"
	"assay/analysis/gate"
	"assay/metric"
	"assay/report"
	"assay/stats"
	"assay/stats/items"
)

// CompareHTML writes a comparison as a page: verdicts, ratios with their intervals
// drawn beside the margin, what differs, and every table; and the answers whose mark
// differs, of those that were held against each other.
func CompareHTML(w io.Writer, r compare.Report, all bool, answers ...changes.Report) error {
	p := document{Title: report.CompareTitle(r), Kind: "Comparison", Badges: compareBadges(r)}
	ratios := part{ID: "ratios", Title: "Ratios", Lines: []string{forestText(r.Margin)}}
	for _, c := range r.Comparisons {
		ratios.Charts = append(ratios.Charts, forests(c, r.Margin, all)...)
	}
	quality := part{ID: "quality", Title: "Quality", Charts: qualityForests(r)}
	p.Parts = comparedParts(report.ComparisonOutline(r, all), ratios, quality, flipPart(answers))
	for i := range p.Parts { // the verdict and whether it counts are the answer, and answers that are worse
		p.Parts[i].Folded = i > 1 && !(p.Parts[i].ID == quality.ID && answersLost(r))
	}
	return p.write(w)
}

// answersLost reports whether the answers of a candidate are worse.
func answersLost(r compare.Report) bool {
	return slices.ContainsFunc(r.Comparisons, func(c compare.Comparison) bool {
		return c.Quality != nil && slices.ContainsFunc(c.Quality.Rows, func(row parity.Row) bool { return row.Verdict == items.Worse })
	})
}

// GateHTML writes what a gate says as a page.
func GateHTML(w io.Writer, r gate.Result) error {
	verdict := badge{Name: "gate " + r.Policy, Value: report.GateVerdict(r), Class: "bad"}
	if r.Passed && !r.Advisory {
		verdict.Class = "good"
	}
	p := document{Title: r.Candidate.Label + " beside " + r.Baseline.Label, Kind: "Gate", Badges: []badge{verdict}}
	ratios := part{ID: "ratios", Title: "Ratios"}
	f := newForest("Ratios of the gated metrics", 0)
	for _, d := range r.Metrics {
		if d.Ratio != nil {
			f.add(d.Key+arrow(d.Better), string(d.Verdict), *d.Ratio)
		}
	}
	if len(f.Rows) > 0 {
		ratios.Charts = append(ratios.Charts, f.chart)
		ratios.Lines = []string{"Candidate ÷ baseline over launches. Each metric has a margin of its own, which the table names. ↓ lower is better, ↑ higher is better."}
	}
	p.Parts = comparedParts(report.GateOutline(r), ratios, part{}, part{})
	return p.write(w)
}

func compareBadges(r compare.Report) []badge {
	var list []badge
	for _, c := range r.Comparisons {
		b := badge{Name: c.Candidate.Label, Value: "exploratory", Class: "bad"}
		if c.Controlled {
			b.Value, b.Class = "controlled", "good"
		}
		list = append(list, b)
	}
	return append(list, badge{Name: "margin", Value: fmt.Sprintf("%.3g %%", 100*r.Margin)}, badge{Name: "baseline", Value: r.Baseline.Label})
}

// comparedParts lays the blocks of a page out: whether it may be believed, the
// drawings, what differs, and the rest. Flips come after quality, which they are behind.
func comparedParts(p report.Outline, ratios, quality, flips part) []part {
	verdict := part{ID: "verdict", Title: "Verdict"}
	standing := part{ID: "standing", Title: "Validity"}
	differs := part{ID: "differs", Title: "What differs"}
	change := part{ID: "change", Title: "Where the change comes from"}
	figures := part{ID: "figures", Title: "Figures"}
	reading := part{ID: "reading", Title: "How to read it"}
	for _, b := range p.Blocks {
		one := part{Title: b.Title, Lines: b.Lines, Points: b.Points, Head: b.Head, Rows: b.Rows}
		switch {
		case b.Title == "verdict":
			verdict.Lines, verdict.Head, verdict.Rows = b.Lines, b.Head, b.Rows
		case b.Title == "":
			standing.Lines = append(standing.Lines, b.Lines...)
		case b.Title == "why not", strings.HasSuffix(b.Title, "findings"):
			standing.add(one)
		case strings.Contains(b.Title, report.ShiftTitle):
			change.add(one)
		case strings.HasSuffix(b.Title, "what differs"):
			differs.add(one)
		case strings.HasSuffix(b.Title, ": quality"), strings.HasSuffix(b.Title, ": quality notes"), strings.HasSuffix(b.Title, ": answers that changed"):
			quality.add(one)
		case b.Title == "how to read it":
			reading.Points = b.Lines
		default:
			figures.add(one)
		}
	}
	if differs.empty() {
		differs.Lines = []string{"Nothing: plans and environments agree in everything that they tell."}
	}
	var list []part
	for _, one := range []part{verdict, standing, ratios, change, quality, flips, differs, figures, reading} {
		if !one.empty() {
			list = append(list, one)
		}
	}
	return list
}

func forestText(margin float64) string {
	return fmt.Sprintf("Candidate ÷ baseline over launches, with intervals. Shaded: a difference within the margin of %.3g %%, which does not matter. Marks tell verdicts apart; a hollow one has no interval. ↓ lower is better, ↑ higher is better.", 100*margin)
}

// forests draws the ratios of a comparison, a chart for each point.
func forests(c compare.Comparison, margin float64, all bool) []chart {
	var list []forest
	var points []string
	for _, primary := range []bool{true, false} {
		for _, row := range c.Rows {
			if row.Primary != primary || row.Ratio == nil || !primary && !all && !report.ComparedStatistics[row.Statistic] {
				continue
			}
			i := 0
			for i < len(points) && points[i] != row.Point {
				i++
			}
			if i == len(points) {
				points = append(points, row.Point)
				list = append(list, newForest(c.Candidate.Label+" at "+pointOrLaunch(row.Point), margin))
			}
			list[i].add(forestRow(row), string(row.Verdict), *row.Ratio)
		}
	}
	var charts []chart
	for _, f := range list {
		charts = append(charts, f.chart)
	}
	return charts
}

func pointOrLaunch(point string) string {
	if point == "" {
		return "the launch as a whole"
	}
	return point
}

// forestRow names a row, what is better, and whether it was declared to matter.
func forestRow(row compare.Row) string {
	name := row.Name
	if row.Statistic != "value" {
		name += " " + row.Statistic
	}
	if row.Primary {
		name += ", primary"
	}
	return name + arrow(row.Better)
}

// arrow points to where better is.
func arrow(better metric.Direction) string {
	if better == metric.Higher {
		return " ↑"
	}
	return " ↓"
}

// A forest is a forest plot while it grows: a series for each verdict, so that
// marks and legend tell them apart.
type forest struct {
	chart
	of string // what the estimates are made of
}

func newForest(title string, margin float64) forest {
	f := forest{chart{
		Kind: forestChart, Title: title, X: []axis{{Label: "candidate ÷ baseline"}},
		Limits: []limit{{At: 1, Along: true, Label: "no difference"}}, Static: true,
	}, "launches"}
	if margin > 0 {
		f.Spans = []span{{num(1 / (1 + margin)), num(1 + margin), "measure", ""}}
	}
	return f
}

// verdictStyles fix the mark of each verdict, whatever verdicts a chart has.
var verdictStyles = map[string]int{
	string(compare.Better): 2, string(compare.Worse): 1, string(compare.Equivalent): 0, string(compare.Inconclusive): 6,
	string(gate.Regressed): 1, string(gate.NotWorse): 0, string(items.NotInferior): 3, string(items.Undecided): 6,
}

func (f *forest) add(row, verdict string, ratio stats.Estimate) {
	f.Rows = append(f.Rows, row)
	i := 0
	for i < len(f.Series) && f.Series[i].Name != verdict {
		i++
	}
	if i == len(f.Series) {
		f.Series = append(f.Series, line{Name: verdict, X: []nums{nil}, Style: verdictStyles[verdict]})
	}
	s := &f.Series[i]
	lo, hi := ratio.Interval.Lo, ratio.Interval.Hi
	if math.IsInf(hi, 1) {
		lo, hi = math.NaN(), math.NaN()
	}
	s.X[0], s.Y = append(s.X[0], ratio.Value), append(s.Y, float64(len(f.Rows)-1))
	s.Lo, s.Hi = append(s.Lo, lo), append(s.Hi, hi)
	s.Notes = append(s.Notes, fmt.Sprintf("%s, n = %d %s", verdict, ratio.N, f.of))
}
