package report

import (
	"cmp"
	"math"
	"slices"

	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/spec"
	"assay/stats"
	"assay/unit"
)

// summarise lists the headline results of every measured point. It computes nothing
// and, like every table for people, withholds what the sample cannot bound.
func (r Report) summarise() []SummaryRow {
	rows := []SummaryRow{}
	for _, p := range r.Plan.Points {
		row := SummaryRow{Point: p.Name, Index: p.Index, Kind: p.Kind(), Ranks: p.Ranks}
		switch p.Kind() {
		case plan.KindCollective:
			rows = append(rows, r.summariseCollective(row)...)
		case plan.KindProbe:
			rows = append(rows, r.summariseProbe(row)...)
		default:
			rows = append(rows, r.summariseSides(row, p)...)
		}
	}
	return rows
}

// summariseSides is a row for each side that was measured at a point.
func (r Report) summariseSides(row SummaryRow, p plan.Point) (rows []SummaryRow) {
	sides := r.Plan.Sides()
	if len(sides) < 2 {
		sides = []spec.Side{{}} // nothing is named after the only one
	}
	for _, side := range sides {
		row.Side = side.Name
		e := pointEstimates{r.Estimates.Of(side.Name), p.Index}
		if Measured(e.Estimates, e.point) {
			rows = append(rows, r.summarisePoint(row, p, e))
		}
	}
	return rows
}

func (r Report) summarisePoint(row SummaryRow, p plan.Point, e pointEstimates) SummaryRow {
	switch p.Kind() {
	case plan.KindServing:
		row.ServingSummary = r.summariseServing(p, e)
	case plan.KindSteps:
		row.TrainingSummary = &TrainingSummary{
			Parallelism: p.Steps.Parallelism, Precision: p.Steps.Precision, GlobalBatch: p.Steps.GlobalBatch,
			StepTime: e.distribution(metric.StepTime), SampleThroughput: e.value(metric.SamplesPerSecond),
			TokenThroughput: e.value(metric.TokensPerSecond), MFU: e.value(metric.TrainingMFU),
		}
	case plan.KindPairs:
		row.PairsSummary = &PairsSummary{PairLatency: e.distribution(metric.PairLatency), PairBandwidth: e.distribution(metric.PairBandwidth)}
	}
	return row
}

func (r Report) summariseServing(p plan.Point, e pointEstimates) *ServingSummary {
	tpot := metric.TPOT
	if r.StandsIn(metric.TPOTDone) {
		tpot = metric.TPOTDone
	}
	errors, requests := outcomesOf(e.Estimates, e.point)
	return &ServingSummary{
		Scenario:    cmp.Or(p.Scenario, r.Plan.Workload().Prompt.Scenario),
		Concurrency: orNull(p.Concurrency), Rate: orNull(p.Rate), BatchSize: orNull(p.BatchSize),
		Requests: requests, Errors: errors, ErrorRate: e.value(metric.ErrorRate),
		TTFT: e.distribution(metric.TTFT), ITL: e.distribution(metric.ITL), TPOT: e.distribution(tpot), E2E: e.distribution(metric.E2E), Jitter: e.distribution(metric.JitterSD),
		RequestThroughput: e.value(metric.RequestThroughput), OutputThroughput: e.value(metric.OutputThroughput),
		InputThroughput: e.value(metric.InputThroughput), Goodput: e.value(metric.Goodput),
		CostPerMillionOutput: e.value(metric.CostPerMillionOutput), CostPerRequest: e.value(metric.CostPerRequest),
	}
}

// summariseCollective is what the analysis of collectives has of a point.
func (r Report) summariseCollective(row SummaryRow) (rows []SummaryRow) {
	if r.Collectives == nil {
		return nil
	}
	for _, c := range r.Collectives.Rows {
		if c.Point != row.Index {
			continue
		}
		row.Ranks = c.Ranks
		row.CollectiveSummary = &CollectiveSummary{
			Op: c.Op, Bytes: c.Bytes, Algorithm: c.Algorithm, InPlace: c.InPlace,
			Time:  summaryValue(metric.CollectiveTime.ID, &c.Time, unit.Second),
			AlgBW: summaryValue(metric.AlgorithmBandwidth.ID, c.AlgBW, unit.BytePerSecond),
			BusBW: summaryValue(metric.BusBandwidth.ID, c.BusBW, unit.BytePerSecond),
		}
		rows = append(rows, row)
	}
	return rows
}

// summariseProbe is what the analysis of the hardware has of a point.
func (r Report) summariseProbe(row SummaryRow) (rows []SummaryRow) {
	if r.Hardware == nil {
		return nil
	}
	for _, h := range r.Hardware.Rows {
		if h.Point != row.Index {
			continue
		}
		row.ProbeSummary = &ProbeSummary{
			Probe: h.Probe, Variant: h.Variant, Scope: h.Scope, Threads: h.Threads, Size: h.Size, What: h.What,
			Result: summaryValue("", &h.Estimate, h.Unit),
		}
		rows = append(rows, row)
	}
	return rows
}

// pointEstimates are the estimates of one side, of which one point is asked for.
type pointEstimates struct {
	metric.Estimates
	point int
}

// value is the one number that m is of the point; nil where there is none.
func (e pointEstimates) value(m metric.Metric) *SummaryValue { return e.statistic(m, "value", m.ID) }

// distribution is every statistic of m; nil where there is none.
func (e pointEstimates) distribution(m metric.Metric) *Distribution {
	of := func(statistic string) *SummaryValue { return e.statistic(m, statistic, "") }
	d := Distribution{m.ID, of("mean"), of("p50"), of("p90"), of("p95"), of("p99"), of("p99.9")}
	if !slices.ContainsFunc(e.Rows, func(row metric.Row) bool { return row.Metric == m.ID && row.Point == e.point }) {
		return nil
	}
	return &d
}

func (e pointEstimates) statistic(m metric.Metric, statistic, id string) *SummaryValue {
	row, ok := e.Find(m.ID, statistic, e.point)
	if !ok {
		return nil
	}
	v := summaryValue(id, &row.Estimate, row.Unit)
	if v.Reason == "" {
		v.Launches, v.Void = row.Spread(), row.Void
	}
	return v
}

// summaryValue shows an estimate; nil where there is none.
func summaryValue(id string, e *stats.Estimate, u unit.Unit) *SummaryValue {
	if e == nil {
		return nil
	}
	v := SummaryValue{Metric: id, Unit: u, Reason: uncertified(e.Warnings)}
	if v.Reason == "" {
		v.Value, v.Low, v.High = finite(e.Value), finite(e.Interval.Lo), finite(e.Interval.Hi)
	}
	return &v
}

// uncertified is why the sample cannot bound a percentile; empty where it can.
func uncertified(warnings []string) string {
	for _, w := range warnings {
		if stats.IsTooFew(w) {
			return w
		}
	}
	return ""
}

// finite is v for JSON, which has no infinity.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

func orNull[T int | float64](v T) *T {
	if v == 0 {
		return nil
	}
	return &v
}

// outcomesOf counts the requests of a point and those that failed, as error_rate.v1
// does: what the end of the run cut, or was given up on purpose, is neither.
func outcomesOf(e metric.Estimates, point int) (errors, requests int) {
	for _, o := range e.Outcomes {
		if o.Point != point {
			continue
		}
		for outcome, n := range o.Counts {
			if outcome.Failure() {
				errors += n
			}
			if outcome.Failure() || outcome == record.OK {
				requests += n
			}
		}
	}
	return errors, requests
}
