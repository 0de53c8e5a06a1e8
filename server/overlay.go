package server

import (
	"fmt"
	"html/template"
	"math"
	"net/http"
	"slices"
	"strings"

	"assay/analysis/compare"
	"assay/analysis/diff"
	"assay/analysis/picture"
	"assay/judge"
	"assay/report/page"
	"assay/stats"
	"assay/unit"
)

// overlaid are the latencies whose distributions are laid over each other.
var overlaid = []string{"TTFT", "TPOT", "E2E"}

func (s *Server) comparePage(c *Call) error {
	asked := slices.DeleteFunc(slices.Clone(c.R.URL.Query()["run"]), func(r string) bool { return strings.TrimSpace(r) == "" })
	shown := struct {
		frame
		Asked []string
		Parts template.HTML
	}{frame: frameOf(c, "Compare runs"), Asked: slices.Clone(asked)}
	for len(shown.Asked) < 2 || len(asked) > 1 && len(shown.Asked) < min(5, len(asked)+1) {
		shown.Asked = append(shown.Asked, "")
	}
	if len(asked) > 0 {
		r, err := s.compared(c, asked)
		if err != nil {
			return err
		}
		beside := struct {
			Shares []template.HTML
			Deltas []delta
		}{Deltas: deltas(r)}
		if beside.Shares, err = s.shares(c, asked); err != nil {
			return err
		}
		var b, parts strings.Builder
		if err := templates()["compare"].ExecuteTemplate(&b, "beside", beside); err != nil {
			return err
		}
		if err := page.CompareParts(&parts, r, template.HTML(b.String())); err != nil {
			return err
		}
		shown.Parts = template.HTML(parts.String()) // made by templates, which escape
	}
	return s.page(c, http.StatusOK, "compare", shown)
}

// shares are the distributions of several runs over each other, from their raw records: a
// chart for each metric and point that more than one of them has.
func (s *Server) shares(c *Call, runs []string) (list []template.HTML, err error) {
	var order []string
	charts := map[string]*page.Chart{}
	for i, run := range runs {
		dir, err := s.bundleOf(c, run)
		if err != nil {
			return nil, err
		}
		o := s.o.Judge
		o.Unverified = true // the comparison above has refused what does not verify
		j, err := judge.Open(dir, o)
		if err != nil {
			return nil, err
		}
		for _, d := range j.Pictures.Distributions {
			if !slices.Contains(overlaid, d.Name) {
				continue
			}
			point, _ := j.Plan.PointByIndex(d.Point)
			title := fmt.Sprintf("%s at %s: share of requests at or below", d.Name, point.Name)
			if charts[title] == nil {
				charts[title] = &page.Chart{Kind: page.ShareChart, Title: title, X: []page.Axis{{Label: d.Name, Unit: "ms"}}, Y: page.Axis{Label: "share of requests", Unit: "%"}, Static: true}
				order = append(order, title)
			}
			charts[title].Series = append(charts[title].Series, shareLine(runLabel(j, i)+sideText(d.Side), i, d))
		}
	}
	for _, title := range order {
		if len(charts[title].Series) < 2 || len(list) == mostCharts {
			continue
		}
		figure, err := page.Figure(*charts[title])
		if err != nil {
			return nil, err
		}
		list = append(list, figure)
	}
	return list, nil
}

// runLabel names a run of a comparison.
func runLabel(j *judge.Judgement, i int) string {
	role := "baseline"
	if i > 0 {
		role = fmt.Sprintf("run %d", i+1)
	}
	return role + ": " + j.Bundle.Manifest.RunID
}

func sideText(side string) string {
	if side == "" {
		return ""
	}
	return ", " + side
}

// shareLine is one distribution, in milliseconds and percent.
func shareLine(name string, style int, d picture.Distribution) page.Line {
	scaled := func(list []float64, factor float64) page.Nums {
		out := make(page.Nums, len(list))
		for i, v := range list {
			out[i] = factor * v
		}
		return out
	}
	return page.Line{
		Name: name, X: []page.Nums{scaled(d.Value, 1000)}, Y: scaled(d.Share, 100), Lo: scaled(d.Lo, 100), Hi: scaled(d.Hi, 100),
		Note: fmt.Sprintf("n = %d; band: %s", d.N, d.Band), Style: style, Band: d.N >= 30,
	}
}

// A delta is one difference between two runs with what differs between them, so that
// nobody reads the one without the other.
type delta struct {
	Candidate, Metric, Point string
	Baseline, Value          string
	Ratio, Verdict           string
	Beside                   []string
}

// firstSeen are the results that people look at first, besides those that a document
// declares as primary.
var firstSeen = []string{"TTFT p50", "TTFT p99", "TPOT p50", "E2E p50", "E2E p99", "output throughput value", "request throughput value", "error rate value"}

// mostBeside is how many differences stand beside a delta.
const mostBeside = 3

// deltas are the differences of the statistics that people look at first.
func deltas(r compare.Report) (list []delta) {
	for _, c := range r.Comparisons {
		beside := besideText(c)
		for _, row := range c.Rows {
			if row.Ratio == nil || !row.Primary && !slices.Contains(firstSeen, row.Name+" "+row.Statistic) {
				continue
			}
			list = append(list, delta{
				Candidate: c.Candidate.Label, Metric: row.Name + " " + row.Statistic, Point: row.Point,
				Baseline: estimateText(row.Baseline, row.Unit), Value: estimateText(row.Candidate, row.Unit),
				Ratio: estimateText(*row.Ratio, ""), Verdict: string(row.Verdict), Beside: beside,
			})
		}
	}
	return list[:min(200, len(list))]
}

// besideText is what differs between the environments of two runs and their plans.
func besideText(c compare.Comparison) (list []string) {
	changes := slices.DeleteFunc(slices.Clone(c.Changes), func(d diff.Change) bool { return d.Along })
	slices.SortStableFunc(changes, func(a, b diff.Change) int { return kindRank(a) - kindRank(b) })
	for i, d := range changes {
		if i == mostBeside {
			return append(list, fmt.Sprintf("and %d more, below", len(changes)-i))
		}
		list = append(list, d.Kind+" "+d.String())
	}
	if len(list) == 0 {
		return []string{"nothing that assay records"}
	}
	return list
}

// kindRank puts what the environment differs in first.
func kindRank(d diff.Change) int {
	return max(0, slices.Index([]string{"environment", "topology", "plan", "input", "instrument"}, d.Kind))
}

// estimateText is a number with its interval, where that has two ends.
func estimateText(e stats.Estimate, u unit.Unit) string {
	if math.IsInf(e.Interval.Lo, 0) || math.IsInf(e.Interval.Hi, 0) {
		return unit.Format(e.Value, u) + " [no interval]"
	}
	return unit.FormatInterval(e.Value, e.Interval.Lo, e.Interval.Hi, u)
}
