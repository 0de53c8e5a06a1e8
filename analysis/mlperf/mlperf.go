// Package mlperf judges the points of a bundle as MLPerf LoadGen judges its
// scenarios: the scenario's metric, the minima of a valid test, and early
// stopping in place of fixed counts. It says VALID or INVALID and why.
//
// It is not a submission: LoadGen's own seeds, its log files and the accuracy
// runs are not made, and latency counts from when a query was due.
package mlperf

import (
	"fmt"
	"math"
	"time"

	"assay/bundle"
	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/spec"
	"assay/stats"
)

// Confidence is that of early stopping in LoadGen, where it is a constant.
const Confidence = 0.99

// A Result is the judgement of one point of one launch.
type Result struct {
	Launch   int      `json:"launch"`
	Point    int      `json:"point"`
	Scenario string   `json:"scenario"`
	Valid    bool     `json:"valid"`
	Reasons  []string `json:"reasons,omitempty"` // why it is not

	Queries int     `json:"queries"`
	Samples int     `json:"samples"`
	Seconds float64 `json:"seconds"` // from the beginning of the window to the end of the last query

	// Latency is the early-stopping estimate of the percentile of query latency;
	// null in scenarios that have no such metric, and when queries are too few.
	Percentile float64  `json:"percentile"`
	Latency    *float64 `json:"latencySeconds,omitempty"`

	// Limits are those of the server scenarios.
	Limits []Limit `json:"limits,omitempty"`

	SamplesPerSecond float64  `json:"samplesPerSecond"`
	TokensPerSecond  *float64 `json:"tokensPerSecond,omitempty"` // null when the server counts none
}

// A Limit is a bound of the server scenarios and how it was kept.
type Limit struct {
	Metric   string   `json:"metric"` // definition id
	Max      float64  `json:"maxSeconds"`
	Over     int      `json:"over"`                      // queries above it; failed ones and those that cannot tell are
	Need     int      `json:"need"`                      // the fewest queries that make up for so many
	Estimate *float64 `json:"estimateSeconds,omitempty"` // of the percentile, by early stopping
	Kept     bool     `json:"kept"`
}

// Judge judges every point of the completed launches of b; none when p asks for
// no scenario.
func Judge(b *bundle.Bundle, p plan.Plan) ([]Result, error) {
	if p.Load() == nil || p.Load().MLPerf == nil {
		return nil, nil
	}
	var list []Result
	for _, info := range b.Launches() {
		if info.Outcome != bundle.LaunchCompleted {
			continue
		}
		launch, err := metric.ReadSummaries(b, info.Index)
		if err != nil {
			return nil, err
		}
		for _, point := range launch.Points {
			r := judge(*p.Load().MLPerf, point)
			r.Launch = info.Index
			list = append(list, r)
		}
	}
	return list, nil
}

// judge applies the rules of scenario m to one point.
func judge(m spec.MLPerf, p *metric.Point) Result {
	r := Result{Point: p.Index, Scenario: m.Scenario, Percentile: m.Percentile}
	rule := stats.EarlyStopping{Percentile: m.Percentile / 100, Confidence: Confidence}
	t := tally(p, m.Samples)
	r.Queries, r.Samples, r.Seconds = len(t.queries), t.samples, t.seconds
	if r.Seconds > 0 {
		r.SamplesPerSecond = float64(t.samples-t.failed) / r.Seconds
		if t.counted {
			rate := t.tokens / r.Seconds
			r.TokensPerSecond = &rate
		}
	}
	invalid := func(format string, args ...any) { r.Reasons = append(r.Reasons, fmt.Sprintf(format, args...)) }
	if least := m.MinDuration.Seconds(); r.Seconds < least {
		invalid("the test lasted %.1f s, want at least %g s", r.Seconds, least)
	}
	if r.Queries < m.MinQueries {
		invalid("%d queries, want at least %d", r.Queries, m.MinQueries)
	}
	if t.cut > 0 {
		invalid("%d samples were cut by the end of the point", t.cut)
	}
	switch {
	case m.Arrives():
		r.Limits = []Limit{limit(rule, metric.TTFT, m.MaxTTFT.Std(), p), limit(rule, metric.TPOT, m.MaxTPOT.Std(), p)}
		for _, l := range r.Limits {
			if !l.Kept {
				invalid("%s: %d of %d queries over %g s, which takes at least %d queries for p%g at %g %% confidence", l.Metric, l.Over, r.Queries, l.Max, l.Need, m.Percentile, 100*Confidence)
			}
		}
	case t.failed > 0:
		invalid("%d of %d samples failed", t.failed, t.samples)
	}
	if m.Scenario == spec.SingleStream || m.Scenario == spec.MultiStream {
		if value, ok := rule.Estimate(t.queries); ok {
			r.Latency = &value
		} else if r.Queries >= m.MinQueries {
			invalid("%d queries are too few for p%g at %g %% confidence, want at least %d", r.Queries, m.Percentile, 100*Confidence, rule.Under(1)+1)
		}
	}
	r.Valid = len(r.Reasons) == 0
	return r
}

// A total is what the measured calls of a point add up to.
type total struct {
	queries              []float64 // latencies in seconds
	samples, failed, cut int
	tokens               float64
	counted              bool // every sample that succeeded came with a count of tokens
	seconds              float64
}

// tally gathers calls into queries of so many samples: call number n of a point
// is a sample of query n / samples. A query lasts as long as its slowest sample.
func tally(p *metric.Point, samples int) total {
	t := total{counted: true}
	last := p.End
	latest := map[int64]float64{}
	base := int64(math.MaxInt64)
	for c := range p.Measured {
		base = min(base, c.ID)
	}
	for c := range p.Measured {
		t.samples++
		last = max(last, c.Done)
		query := (c.ID - base) / int64(samples)
		latest[query] = max(latest[query], float64(c.Done-c.Due)/1e9)
		switch {
		case c.Result == record.Cut:
			t.cut++
		case c.Result != record.OK:
			t.failed++
		case c.UsageOutput == nil:
			t.counted = false
		default:
			t.tokens += float64(*c.UsageOutput)
		}
	}
	for _, seconds := range latest {
		t.queries = append(t.queries, seconds)
	}
	if t.samples > 0 {
		t.seconds = float64(last-p.Begin) / 1e9
	}
	return t
}

// limit judges one bound of the server scenarios over all measured calls.
func limit(rule stats.EarlyStopping, m metric.Metric, bound time.Duration, p *metric.Point) Limit {
	l := Limit{Metric: m.ID, Max: bound.Seconds()}
	var values []float64
	for c := range p.Measured {
		value := math.Inf(1)
		if c.Result == record.OK {
			if xs := m.Each(c); len(xs) == 1 {
				value = xs[0]
			} else if c.UsageOutput != nil && *c.UsageOutput < 2 && m.ID == metric.TPOT.ID {
				value = 0 // one token has no pace to keep
			}
		}
		if value > l.Max {
			l.Over++
		}
		values = append(values, value)
	}
	l.Need = rule.Under(l.Over) + l.Over
	l.Kept = len(values) >= l.Need
	if value, ok := rule.Estimate(values); ok && !math.IsInf(value, 0) {
		l.Estimate = &value
	}
	return l
}
