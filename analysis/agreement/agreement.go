// Package agreement puts what another tool reported beside what assay computes from
// the same requests, and says why the two differ. It is for imports: both numbers are
// of one measurement, so that only definitions can keep them apart.
//
// To teach it one more tool, add its names and its reasons to tools.go.
package agreement

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/metric"
	"assay/record"
	"assay/stats"
	"assay/unit"
)

// Tolerance is the relative difference up to which two numbers agree.
const Tolerance = 0.01

// NotExplained is said of a difference for which no reason is known.
const NotExplained = "not explained"

// A Row is one result by two computations.
type Row struct {
	Point      int       `json:"point"`
	Quantity   string    `json:"quantity"` // such as TTFT
	Statistic  string    `json:"statistic"`
	Name       string    `json:"name"` // as the tool calls it
	Reported   float64   `json:"reported"`
	Metric     string    `json:"metric"` // id of our definition
	Recomputed float64   `json:"recomputed"`
	Unit       unit.Unit `json:"unit"`
	Difference float64   `json:"difference"`    // of the reported from the recomputed, relative to it
	Why        string    `json:"why,omitempty"` // empty where the two agree
}

// Agrees reports whether the two numbers are the same for practical purposes.
func (r Row) Agrees() bool { return r.Why == "" }

// Of compares the headline results of a tool with our estimates, point by point, in
// the order of a report.
func Of(tool string, reported []record.Reported, e metric.Estimates) (list []Row) {
	known, ok := tools[tool]
	if !ok {
		return nil
	}
	c := comparison{tool: known, reported: reported, estimates: e}
	for _, point := range points(reported) {
		for _, q := range known.results {
			list = append(list, c.compare(point, q)...)
		}
	}
	return list
}

// points lists the points that the tool speaks of.
func points(reported []record.Reported) (list []int) {
	for _, f := range reported {
		if f.Point >= 0 && !slices.Contains(list, f.Point) {
			list = append(list, f.Point)
		}
	}
	slices.Sort(list)
	return list
}

type comparison struct {
	tool      tool
	reported  []record.Reported
	estimates metric.Estimates
}

// statistics are those that people quote, in the order of a report.
var statistics = []string{"mean", "p50", "p90", "p95", "p99", "value"}

// compare gives the rows of one quantity at one point.
func (c comparison) compare(point int, q result) (list []Row) {
	for _, statistic := range statistics {
		value, f, ok := c.said(point, statistic, q.name)
		if !ok {
			continue
		}
		ours, ok := c.estimate(point, q.quantity, statistic)
		if !ok || ours.Value == 0 || unit.Unit(f.Unit) != ours.Unit {
			continue
		}
		row := Row{
			Point: point, Quantity: q.quantity.name, Statistic: statistic, Name: f.Name, Reported: value,
			Metric: ours.Metric, Recomputed: ours.Value, Unit: ours.Unit, Difference: (value - ours.Value) / ours.Value,
		}
		if q.quantity.rate {
			row.Statistic = "value"
		}
		if !near(value, ours.Value) {
			row.Why = c.why(row, q, f, ours)
		}
		list = append(list, row)
	}
	return list
}

// said is what the tool reported, averaged over launches as every estimate is.
func (c comparison) said(point int, statistic, name string) (value float64, first record.Reported, ok bool) {
	n := 0.
	for _, f := range c.reported {
		if f.Point != point || f.Statistic != statistic || f.Server || plainName(f.Name) != name {
			continue
		}
		if n > 0 && f.Name != first.Name {
			continue // p50_ttft_ms beside median_ttft_ms is the same number again
		}
		if n == 0 {
			first = f
		}
		value, n = value+f.Value, n+1
	}
	return value / max(1, n), first, n > 0
}

// plainName is the name of a figure without the statistic that vLLM and SGLang put
// before it: mean_ttft_ms is ttft.
func plainName(name string) string {
	statistic, rest, found := strings.Cut(name, "_")
	rest, inTime := strings.CutSuffix(rest, "_ms")
	percentile, isPercentile := strings.CutPrefix(statistic, "p")
	isPercentile = isPercentile && percentile != "" && strings.Trim(percentile, "0123456789.") == ""
	if found && inTime && (statistic == "mean" || statistic == "median" || isPercentile) {
		return rest
	}
	return name
}

// estimate is ours of a quantity, where there is one that may be shown.
func (c comparison) estimate(point int, q quantity, statistic string) (metric.Row, bool) {
	if q.rate {
		statistic = "value"
	}
	for _, id := range q.metrics {
		if row, ok := c.find(id, statistic, point); ok {
			return row, true
		}
	}
	return metric.Row{}, false
}

func (c comparison) find(id, statistic string, point int) (metric.Row, bool) {
	row, ok := c.estimates.Find(id, statistic, point)
	if !ok || slices.ContainsFunc(row.Warnings, stats.IsTooFew) {
		return row, false
	}
	return row, true
}

// why is the reason of a difference. A reason with a definition of ours counts only
// where that definition gives the reported number: the difference is proven then.
func (c comparison) why(row Row, q result, f record.Reported, ours metric.Row) string {
	if f.Wrong != "" {
		return f.Wrong
	}
	for _, reason := range q.reasons {
		if alike, ok := c.find(reason.metric, ours.Statistic, row.Point); ok && near(row.Reported, alike.Value) {
			return reason.text
		}
	}
	if text := c.tokens(row, q); text != "" {
		return text
	}
	if text := c.percentile(row, q, ours); text != "" {
		return text
	}
	return cmp.Or(q.otherwise, NotExplained)
}

// tokens explains a difference by who counted the tokens, where both counts are known
// and account for it.
func (c comparison) tokens(row Row, q result) string {
	i := slices.IndexFunc(c.estimates.Counts, func(n metric.Count) bool { return n.Point == row.Point && n.Of == metric.OfAnswer })
	if i < 0 || !q.quantity.tokens {
		return ""
	}
	n := c.estimates.Counts[i]
	if strings.HasPrefix(row.Statistic, "p") { // counts vary from answer to answer: only means follow them
		mean, _, said := c.said(row.Point, "mean", q.name)
		ours, known := c.find(row.Metric, "mean", row.Point)
		if !said || !known {
			return ""
		}
		row.Reported, row.Recomputed = mean, ours.Value
	}
	expected := row.Recomputed * n.Ours / n.Server
	if !q.quantity.rate {
		expected = row.Recomputed * (n.Server - 1) / (n.Ours - 1)
	}
	if !(math.Abs(row.Reported-expected) <= tokenTolerance*expected) {
		return ""
	}
	return fmt.Sprintf("tokens: %.1f by its tokenizer, %.1f by server", n.Ours, n.Server)
}

// tokenTolerance is wider: means of ratios are not ratios of means.
const tokenTolerance = 0.05

// smallSample is how many values the rule of a percentile can matter for.
const smallSample = 1000

// percentile explains a difference by the rule for percentiles, where the mean of the
// same values agrees and there are few of them.
func (c comparison) percentile(row Row, q result, ours metric.Row) string {
	n := 0
	for _, one := range ours.PerLaunch {
		n = max(n, one.N)
	}
	if !strings.HasPrefix(row.Statistic, "p") || n == 0 || n > smallSample {
		return ""
	}
	mean, _, ok := c.said(row.Point, "mean", q.name)
	if !ok {
		return ""
	}
	rule := fmt.Sprintf("%s, not the value of rank ⌈qn⌉ (n = %d)", c.tool.percentiles, n)
	if same, ok := c.find(row.Metric, "mean", row.Point); ok && near(mean, same.Value) {
		return rule
	}
	for _, reason := range q.reasons {
		if alike, ok := c.find(reason.metric, "mean", row.Point); ok && near(mean, alike.Value) {
			return reason.text + "; " + rule
		}
	}
	return ""
}

func near(a, b float64) bool { return math.Abs(a-b) <= Tolerance*math.Abs(b) }
