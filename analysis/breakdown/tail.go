package breakdown

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"assay/bundle"
	"assay/metric"
	"assay/record"
)

// TailOf is the share of requests below a statistic of a tail, such as 0.99 of p99; false for
// the middle and the mean, which the means of all requests speak for.
func TailOf(statistic string) (float64, bool) {
	percent, err := strconv.ParseFloat(strings.TrimPrefix(statistic, "p"), 64)
	return percent / 100, err == nil && strings.HasPrefix(statistic, "p") && percent > 50 && percent < 100
}

// Tail splits the mean E2E of the requests of a point that are slowest by a metric: in each
// launch those at its quantile q or beyond. A tail has parts of its own: what is slow in one
// request of a hundred is not seen in the means. It is false where the requests do not have
// the metric.
func Tail(b *bundle.Bundle, point int, m metric.Metric, statistic string) (Breakdown, bool, error) {
	q, ok := TailOf(statistic)
	if !ok || !m.Distributed() {
		return Breakdown{}, false, nil
	}
	out := Breakdown{Of: fmt.Sprintf("E2E of the requests beyond %s of %s", statistic, m.Name)}
	parts := []Part{
		{Name: "client", Class: Client, Source: "requests: from due to sent"},
		{Name: "network, queue and prefill", Class: Unexplained, Source: "requests: from sent to the first output"},
		{Name: "decode", Class: Compute, Source: "requests: from the first output to the end"},
	}
	for _, info := range b.Launches() {
		if info.Outcome != bundle.LaunchCompleted {
			continue
		}
		launch, err := metric.ReadLaunch(b, info.Index)
		if err != nil {
			return out, false, err
		}
		i := slices.IndexFunc(launch.Points, func(p *metric.Point) bool { return p.Index == point })
		if i < 0 {
			continue
		}
		taken, ok := slowest(launch.Points[i], m, q)
		if !ok {
			continue
		}
		out.Launches = append(out.Launches, info.Index)
		out.Whole = append(out.Whole, taken[0]+taken[1]+taken[2])
		for k := range parts {
			parts[k].Values = append(parts[k].Values, taken[k])
		}
	}
	if len(out.Whole) == 0 {
		return out, false, nil
	}
	out.Parts = parts
	return out, true, nil
}

// slowest are the mean parts of the requests whose metric is at its quantile q or beyond.
func slowest(p *metric.Point, m metric.Metric, q float64) (taken [3]float64, ok bool) {
	type one struct {
		value float64
		parts [3]float64
	}
	var all []one
	for t := range p.Measured {
		first, _, some := t.OutputSpan()
		values := m.Each(t)
		if t.Result != record.OK || !some || len(values) == 0 {
			continue
		}
		const second = 1e9
		all = append(all, one{slices.Max(values), [3]float64{
			float64(t.Sent-t.Origin()) / second, float64(first-t.Sent) / second, float64(t.Done-first) / second,
		}})
	}
	if len(all) == 0 {
		return taken, false
	}
	var values []float64
	for _, r := range all {
		values = append(values, r.value)
	}
	slices.Sort(values)
	limit, n := stat.Quantile(q, stat.Empirical, values, nil), 0.0
	for _, r := range all {
		if r.value < limit {
			continue
		}
		n++
		for k := range taken {
			taken[k] += r.parts[k]
		}
	}
	for k := range taken {
		taken[k] /= n
	}
	return taken, true
}
