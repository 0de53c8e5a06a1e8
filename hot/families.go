package hot

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/proto"

	"assay/run/watch"
	"assay/spec"
)

// families are everything that is published.
var families = []familyOf{
	{"assay_run_stage", "1 for what the run is doing.", false, func(s watch.Snapshot) []sampleOf {
		return []sampleOf{{1, []*dto.LabelPair{label("stage", string(s.Stage))}}}
	}},
	{"assay_run_progress_ratio", "How far the run has come, 0 to 1.", false, func(s watch.Snapshot) []sampleOf {
		if !s.RunProgress.Known {
			return nil
		}
		return one(s.RunProgress.Share)
	}},
	{"assay_launch", "The launch under way, from 1.", false, func(s watch.Snapshot) []sampleOf { return one(float64(s.Launch)) }},
	{"assay_requests_total", "Requests of the run that have ended.", true, func(s watch.Snapshot) []sampleOf { return one(float64(s.Requests)) }},
	{"assay_request_failures_total", "Requests of the run that failed.", true, func(s watch.Snapshot) []sampleOf { return one(float64(s.Failed)) }},
	{"assay_request_errors_total", "Requests of the run that failed, by how.", true, func(s watch.Snapshot) (list []sampleOf) {
		for _, e := range s.Errors {
			list = append(list, sampleOf{float64(e.Count), []*dto.LabelPair{label("kind", string(e.Kind))}})
		}
		return list
	}},
	{"assay_requests_in_flight", "Requests sent and not ended.", false, func(s watch.Snapshot) []sampleOf { return atPoint(s, float64(s.InFlight)) }},
	{"assay_offered_requests_per_second", "Requests begun per second, over the last ten.", false, func(s watch.Snapshot) []sampleOf { return atPoint(s, s.Offered) }},
	{"assay_achieved_requests_per_second", "Answers without a fault per second, over the last ten.", false, func(s watch.Snapshot) []sampleOf { return atPoint(s, s.Achieved) }},
	{"assay_output_tokens_per_second", "Output tokens of answers that ended, per second, over the last ten.", false, func(s watch.Snapshot) []sampleOf { return atPoint(s, s.OutputTokens) }},
	{"assay_ttft_seconds", "Time to first token at the point so far; no interval: the report has it.", false, func(s watch.Snapshot) []sampleOf { return quantiles(s, s.TTFT) }},
	{"assay_itl_seconds", "Time between tokens at the point so far.", false, func(s watch.Snapshot) []sampleOf { return quantiles(s, s.ITL) }},
	{"assay_e2e_seconds", "Time of whole answers at the point so far.", false, func(s watch.Snapshot) []sampleOf { return quantiles(s, s.E2E) }},
	{"assay_client_cpu_ratio", "Share of its processors that the client uses.", false, func(s watch.Snapshot) []sampleOf { return known(s.Client.CPUShare) }},
	{"assay_client_send_lag_seconds", "p99 of how late the client sent.", false, func(s watch.Snapshot) []sampleOf { return known(s.Client.LagP99) }},
	{"assay_client_dropped_total", "Requests that the client had no room for.", true, func(s watch.Snapshot) []sampleOf { return one(float64(s.Client.Dropped)) }},
	{"assay_gpu_utilization_ratio", "Share of the time in which a GPU worked.", false, func(s watch.Snapshot) []sampleOf {
		return devices(s, func(g watch.GPU) *float64 { return g.Utilisation })
	}},
	{"assay_gpu_power_watts", "Power of a GPU.", false, func(s watch.Snapshot) []sampleOf {
		return devices(s, func(g watch.GPU) *float64 { return g.Power })
	}},
	{"assay_server_level", "What the server says of itself, summed over its parts.", false, func(s watch.Snapshot) (list []sampleOf) {
		for _, g := range s.Server {
			list = append(list, sampleOf{g.Sum, []*dto.LabelPair{label("what", g.What)}})
		}
		return list
	}},
}

func label(name, value string) *dto.LabelPair {
	return &dto.LabelPair{Name: proto.String(name), Value: proto.String(value)}
}

func one(v float64) []sampleOf { return []sampleOf{{value: v}} }

func known(v *float64) []sampleOf {
	if v == nil {
		return nil
	}
	return one(*v)
}

// atPoint is a value of the point under way.
func atPoint(s watch.Snapshot, v float64, more ...*dto.LabelPair) []sampleOf {
	if bucket := concurrencyBucket(s.Point.Concurrency); bucket != "" {
		more = append(more, label("concurrency_bucket", bucket))
	}
	return []sampleOf{{v, more}}
}

// concurrencyBucket is the power of two from which a concurrency lies: a sweep over a
// thousand points makes ten series.
func concurrencyBucket(users int) string {
	if users <= 0 {
		return ""
	}
	low := 1 << (bits.Len(uint(users)) - 1)
	if low == 1 {
		return "1"
	}
	return fmt.Sprintf("%d-%d", low, 2*low-1)
}

func quantiles(s watch.Snapshot, l watch.Ladder) (list []sampleOf) {
	for _, q := range []struct{ q, v float64 }{{.5, l.P50}, {.9, l.P90}, {.99, l.P99}} {
		list = append(list, atPoint(s, q.v, label("quantile", strconv.FormatFloat(q.q, 'g', -1, 64)))...)
	}
	return list
}

func devices(s watch.Snapshot, of func(watch.GPU) *float64) (list []sampleOf) {
	for _, g := range s.GPUs {
		if v := of(g); v != nil {
			list = append(list, sampleOf{*v, []*dto.LabelPair{label("gpu", g.ID)}})
		}
	}
	return list
}

// A catalog makes families of snapshots, within the budget of series.
type catalog struct {
	common []*dto.LabelPair
	drop   []string
	most   int
	seen   map[string]bool
	left   map[string]bool // series beyond the budget
}

func newCatalog(o spec.HotMetrics) *catalog {
	c := &catalog{drop: o.CardinalityBudget.DropDimensions, most: o.CardinalityBudget.MaxActiveSeries, seen: map[string]bool{}, left: map[string]bool{}}
	for name, value := range o.Labels {
		c.common = append(c.common, label(name, value))
	}
	return c
}

// mostLeftOut bounds what is remembered of series beyond the budget.
const mostLeftOut = 10_000

// gather is what a snapshot says. Values that are not known are left out.
func (c *catalog) gather(s watch.Snapshot) (list []*dto.MetricFamily) {
	common := c.kept(append(slices.Clone(c.common), label("run_id", s.RunID), label("benchmark_case_id", s.Case)))
	for _, f := range families {
		if made := c.family(f, f.read(s), common); len(made.Metric) > 0 {
			list = append(list, made)
		}
	}
	own := familyOf{name: "assay_hot_series_left_out", help: "Series beyond the cardinality budget, which are not published."}
	return append(list, c.metricFamily(own, []*dto.Metric{{Label: sorted(common), Gauge: &dto.Gauge{Value: proto.Float64(float64(len(c.left)))}}}))
}

func (c *catalog) family(f familyOf, samples []sampleOf, common []*dto.LabelPair) *dto.MetricFamily {
	var metrics []*dto.Metric
	for _, s := range samples {
		if math.IsNaN(s.value) || math.IsInf(s.value, 0) {
			continue
		}
		labels := sorted(append(slices.Clone(common), c.kept(s.labels)...))
		if !c.admit(f.name, labels) {
			continue
		}
		m := &dto.Metric{Label: labels}
		if f.counter {
			m.Counter = &dto.Counter{Value: proto.Float64(s.value)}
		} else {
			m.Gauge = &dto.Gauge{Value: proto.Float64(s.value)}
		}
		metrics = append(metrics, m)
	}
	return c.metricFamily(f, metrics)
}

// kept are labels without those that are to be dropped, and without empty ones.
func (c *catalog) kept(labels []*dto.LabelPair) []*dto.LabelPair {
	return slices.DeleteFunc(labels, func(l *dto.LabelPair) bool { return l.GetValue() == "" || slices.Contains(c.drop, l.GetName()) })
}

func (c *catalog) metricFamily(f familyOf, metrics []*dto.Metric) *dto.MetricFamily {
	kind := dto.MetricType_GAUGE
	if f.counter {
		kind = dto.MetricType_COUNTER
	}
	return &dto.MetricFamily{Name: proto.String(f.name), Help: proto.String(f.help), Type: &kind, Metric: metrics}
}

// admit counts a series of the run, and refuses one beyond the budget.
func (c *catalog) admit(name string, labels []*dto.LabelPair) bool {
	var key strings.Builder
	key.WriteString(name)
	for _, l := range labels {
		fmt.Fprintf(&key, "\x00%s\x00%s", l.GetName(), l.GetValue())
	}
	switch series := key.String(); {
	case c.seen[series]:
		return true
	case c.most > 0 && len(c.seen) >= c.most:
		if len(c.left) < mostLeftOut {
			c.left[series] = true
		}
		return false
	default:
		c.seen[series] = true
		return true
	}
}

// sorted are labels in the order that remote write wants.
func sorted(labels []*dto.LabelPair) []*dto.LabelPair {
	slices.SortFunc(labels, func(a, b *dto.LabelPair) int { return strings.Compare(a.GetName(), b.GetName()) })
	return labels
}
