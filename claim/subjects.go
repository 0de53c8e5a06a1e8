package claim

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/analysis/objective"
	"assay/bundle"
	"assay/finding"
	"assay/lint"
	"assay/metric"
	"assay/plan"
	"assay/spec"
	"assay/stats"
	"assay/unit"
)

// A kind says what must stand beside a number.
type kind int

const (
	rate    kind = iota // a throughput: with the tail latency at which it was reached
	good                // a throughput that counts only what kept the limits
	latency             // a distribution: centre and tail together
	priced              // a price: with the throughput that it was reached at
	plain               // a number of its own
)

// A subject is a metric that people quote.
type subject struct {
	metric metric.Metric
	kind   kind
}

// subjects are few on purpose: what stands in every sentence, such as the share of
// errors, needs none of its own.
var subjects = []subject{
	{metric.OutputThroughput, rate},
	{metric.RequestThroughput, rate},
	{metric.Goodput, good},
	{metric.TTFT, latency},
	{metric.TPOT, latency},
	{metric.E2E, latency},
	{metric.CostPerMillionOutput, priced},
	{metric.CostPerRequest, priced},
	{metric.EnergyPerOutputToken, plain},
	{metric.EnergyPerRequest, plain},
	{metric.TokensPerSecond, plain},
	{metric.SamplesPerSecond, plain},
	{metric.ExposedCommunication, plain},
}

// tails are the percentiles that may stand for the tail, the strictest first.
var tails = []string{"p99.9", "p99", "p95", "p90"}

// A maker makes the claims of one point of one side.
type maker struct {
	Evidence
	claims     Claims // what is refused already, and the grade
	point      plan.Point
	side       spec.Side
	conditions []Condition
}

func (m maker) make(s subject) ([]Claim, []Refusal) {
	statistics := []string{"value"}
	if s.kind == latency {
		statistics = []string{"p50", "p99"}
	}
	var claims []Claim
	var refused []Refusal
	for _, statistic := range statistics {
		row, ok := m.Estimates.Find(s.metric.ID, statistic, m.point.Index)
		if !ok {
			continue // it has no meaning here, or the records cannot tell; the report says which
		}
		if m.void(row) {
			continue // refused already, with what else the finding forbids
		}
		what := fmt.Sprintf("%s at %s", label(row), m.where())
		with, refusal := m.beside(s, row)
		if refusal == nil {
			refusal = m.weak(row)
		}
		if refusal != nil {
			refusal.What = what
			refused = append(refused, *refusal)
			continue
		}
		claims = append(claims, m.claim(row, with))
	}
	return claims, refused
}

// weak says why a row cannot carry a claim whatever stands beside it.
func (m maker) weak(row metric.Row) *Refusal {
	if !row.Interval.Bounded() {
		reason := "it has no interval"
		if len(row.Warnings) > 0 {
			reason = strings.Join(row.Warnings, "; ")
		}
		return &Refusal{Reason: reason, ToDo: "make more launches, or longer ones"}
	}
	if wide := halfWidth(row); wide > widest {
		return &Refusal{
			Reason: fmt.Sprintf("%s is too uncertain: ± %.0f %% of it, at most %.0f %% may be", unit.FormatInterval(row.Value, row.Interval.Lo, row.Interval.Hi, row.Unit), 100*wide, 100*widest),
			ToDo:   "make more launches, or find what differs between them",
		}
	}
	if k := len(row.PerLaunch); k < fewestLaunches {
		return &Refusal{Reason: fmt.Sprintf("%d launches: the spread of so few says nothing (want %d)", k, fewestLaunches), ToDo: "make more launches"}
	}
	return nil
}

// void reports whether a finding forbids a row.
func (m maker) void(row metric.Row) bool { return len(m.claims.Against(OfRow(row, m.Plan))) > 0 }

// widest is the half-width, relative to the value, beyond which a number says
// little more than its order of magnitude.
const widest = .5

func halfWidth(row metric.Row) float64 {
	if row.Value == 0 {
		return 0
	}
	return (row.Interval.Hi - row.Interval.Lo) / 2 / math.Abs(row.Value)
}

// fewestLaunches is the fewest whose t interval is worth reading.
const fewestLaunches = 3

// coarse says how much of a row may be the client's own, where that is as much as people
// compare; the check client-error forbids what is worse.
func (m maker) coarse(row metric.Row) string {
	own, ok := m.Client.ErrorOf(row)
	if !ok || own.Seconds <= lint.ErrorCaution*row.Value {
		return ""
	}
	return fmt.Sprintf("of which up to %s (%.0f %%) may be the client's own delay, %s", unit.Format(own.Seconds, unit.Second), 100*own.Seconds/row.Value, own.Source)
}

// beside is what must be said with the number, or why it may not be said.
func (m maker) beside(s subject, row metric.Row) (string, *Refusal) {
	switch s.kind {
	case rate:
		if limited, refusal := m.underLimits(); limited != "" || refusal != nil {
			return limited, refusal
		}
		tail := m.tail(metric.TTFT)
		if tail == "" {
			tail = m.tail(metric.E2E)
		}
		if tail == "" && m.tailless(metric.TTFT) != "" {
			return m.tailless(metric.TTFT), nil
		}
		if tail == "" {
			return "", &Refusal{Reason: "a throughput is quoted only with its tail latency, and no percentile is certain enough", ToDo: "measure longer: p90 needs " + fmt.Sprint(stats.MinSamples(.9, m.Estimates.Confidence)) + " requests per launch"}
		}
		if m.Plan.Intent().Headline == spec.HeadlineThroughput {
			tail += ", without a latency constraint"
		}
		return "with " + tail, nil
	case priced:
		rate, ok := m.Estimates.Find(metric.RequestThroughput.ID, "value", m.point.Index)
		if !ok || !rate.Interval.Bounded() || m.void(rate) {
			return "", &Refusal{Reason: "a price is quoted only with the throughput that it was reached at, which is not certain", ToDo: "make more launches"}
		}
		return "at the declared prices, with " + unit.FormatInterval(rate.Value, rate.Interval.Lo, rate.Interval.Hi, rate.Unit), nil
	case good:
		if row.Value == 0 {
			return "", &Refusal{Reason: "no request kept the limits: that is a limit missed, and no throughput", ToDo: "ask for less load, or look for the highest load that keeps the limits with load.search"}
		}
		limits, _ := plan.Good(m.Plan.Run)
		return "counting only requests with " + limits.Name, nil
	case latency:
		if row.Statistic != "p50" {
			return "", nil
		}
		if tail := m.tail(s.metric); tail != "" {
			return "with " + tail, nil
		}
		if why := m.tailless(s.metric); why != "" {
			return why, nil
		}
		return "", &Refusal{Reason: "a median is quoted only with its tail, and no percentile above it is certain enough", ToDo: "measure longer: p90 needs " + fmt.Sprint(stats.MinSamples(.9, m.Estimates.Confidence)) + " requests per launch"}
	}
	return "", nil
}

// tail is the highest percentile of a metric that is certain enough, in words.
func (m maker) tail(of metric.Metric) string {
	for _, statistic := range tails {
		if row, ok := m.Estimates.Find(of.ID, statistic, m.point.Index); ok && row.Interval.Bounded() && halfWidth(row) <= widest && !m.void(row) {
			text := fmt.Sprintf("%s %s %s", statistic, of.Name, unit.FormatInterval(row.Value, row.Interval.Lo, row.Interval.Hi, row.Unit))
			if coarse := m.coarse(row); coarse != "" {
				text += " (" + coarse + ")"
			}
			return text
		}
	}
	return ""
}

// tailless says that the tail of a metric was measured and is forbidden: what it stands
// beside may be quoted with these words in its place.
func (m maker) tailless(of metric.Metric) string {
	for _, statistic := range slices.Backward(tails) {
		if row, ok := m.Estimates.Find(of.ID, statistic, m.point.Index); ok && row.Interval.Bounded() && m.void(row) {
			check, _, _ := strings.Cut(m.claims.Against(OfRow(row, m.Plan))[0].Reason, ":")
			return fmt.Sprintf("its tail not known (%s)", check)
		}
	}
	return ""
}

// underLimits says that every latency that spec.slo limits keeps its limit, by the
// end of its interval; otherwise the throughput may not be quoted.
func (m maker) underLimits() (string, *Refusal) {
	var kept []string
	for _, v := range objective.Judge(m.Estimates, m.Plan.Objectives(), m.point, m.claims.Reasons) {
		switch {
		case v.Metric == metric.OutputThroughput.ID:
			continue // it is what is quoted
		case v.State == objective.Broken:
			return "", &Refusal{
				Reason: fmt.Sprintf("%s does not hold: it is %s", v.Name, v.Reason),
				ToDo:   "quote the goodput, or look for the highest load that keeps the limit with load.search",
			}
		case v.State == objective.Uncertain:
			return "", &Refusal{Reason: fmt.Sprintf("whether %s holds is not certain: %s", v.Name, v.Reason), ToDo: "measure longer, make more launches, or remove what a finding names"}
		}
		kept = append(kept, v.Name)
	}
	if len(kept) == 0 {
		return "", nil
	}
	return "at " + strings.Join(kept, " and "), nil
}

func (m maker) claim(row metric.Row, with string) Claim {
	c := Claim{
		Metric: row.Metric, Statistic: row.Statistic, Point: m.point.Name, Side: row.Side,
		Value: row.Value, Unit: row.Unit, Interval: row.Interval, Confidence: row.Confidence,
		Launches: len(row.PerLaunch), Requests: math.MaxInt, OneSitting: bundle.OneSitting(m.Manifest.Launches...), Conditions: m.conditions,
		Weak: m.coarse(row), Cautions: idsOf(m.about(m.Audit.Findings, OfRow(row, m.Plan)), finding.Caution),
	}
	var values []float64
	for _, v := range row.PerLaunch {
		values = append(values, v.Value)
		c.Requests = min(c.Requests, v.N)
	}
	c.Median = stats.Middle(values)
	parts := []string{fmt.Sprintf("%s %s", label(row), unit.FormatInterval(row.Value, row.Interval.Lo, row.Interval.Hi, row.Unit))}
	if c.Weak != "" {
		parts = append(parts, c.Weak)
	}
	if with != "" {
		parts = append(parts, with)
	}
	for _, condition := range m.conditions {
		parts = append(parts, condition.Value)
	}
	grade, lowered := m.grade(row, with)
	c.Grade = grade
	parts = append(parts, m.replicates(c, row.UnseenShare), strings.TrimSuffix(fmt.Sprintf("%s grade: %s", grade, lowered), ": "))
	if len(c.Cautions) > 0 {
		parts = append(parts, "with caution: "+strings.Join(c.Cautions, ", "))
	}
	c.Sentence = strings.Join(parts, ", ") + "."
	return c
}

// replicates says what the interval rests on, and what it cannot know.
func (m maker) replicates(c Claim, unseen float64) string {
	text := fmt.Sprintf("mean of %d launches", c.Launches)
	if c.Requests > 1 {
		text += fmt.Sprintf(" of at least %d values", c.Requests)
	}
	text += fmt.Sprintf(" (their median %s), %g %%", unit.Format(c.Median, c.Unit), 100*c.Confidence)
	if c.OneSitting {
		text += " for this sitting"
	}
	if unseen > 0 {
		text += fmt.Sprintf(", not excluding a slow mode of up to %.0f %% of launches", 100*unseen)
	}
	return text
}

// grade is that of the run, or what is left of it for a p99 of few launches.
func (m maker) grade(row metric.Row, with string) (Grade, string) {
	return GradeOf(m.claims.Grade, row.Statistic+" "+with, len(row.PerLaunch))
}

// where names the point, and the side where there are several.
func (m maker) where() string {
	if m.side.Name == "" {
		return m.point.Name
	}
	return m.point.Name + " of " + m.side.Name
}

// label names a row as people do: "p99 TTFT", "output throughput".
func label(row metric.Row) string {
	if row.Statistic == "value" {
		return row.Name
	}
	return row.Statistic + " " + row.Name
}
