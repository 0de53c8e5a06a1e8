package foreign

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"assay/record"
	"assay/spec"
)

// shortest is the time of generation below which genai-bench does not believe in a
// pace.
const shortest = 1e-3

// genaiRowOf is a request as genai-bench would have written it. Latency counts
// from the send, as there; first is when the first output arrived.
func genaiRowOf(r record.Request, first int64, task string) genaiRow {
	if r.Result != record.OK {
		code := genaiCode(r)
		return genaiRow{ErrorCode: &code, ErrorMessage: &r.Error}
	}
	e2e := float64(r.Done-r.Sent) / 1e9
	ttft := float64(first-r.Sent) / 1e9
	if r.First != nil && task == spec.TextToSpeech {
		ttft = float64(*r.First-r.Sent) / 1e9
	}
	row := genaiRow{TTFT: &ttft, E2E: &e2e, Input: tokens(r.UsageInput), Output: tokens(r.UsageOutput), Reasoning: tokens(r.UsageReasoning)}
	if row.Output == nil {
		row.Output = tokens(r.TokenizerOutput)
	}
	zero := 0.0
	if row.Reasoning == nil {
		row.Reasoning = &zero
	}
	if row.Input != nil {
		row.InputRate = ratio(*row.Input, ttft)
	}
	if !spec.AnswersText(task) {
		row.TPOT, row.OutputLatency, row.Speed, row.Output, row.Reasoning, row.OutputRate = &zero, &zero, &zero, &zero, &zero, &zero
		if task == spec.TextToSpeech {
			row.AudioRate = ratio(float64(r.Bytes), e2e-ttft)
		}
	} else {
		row.pace(e2e - ttft)
	}
	if row.Input != nil && row.Output != nil {
		total := *row.Input + *row.Output
		row.Total = &total
	}
	return row
}

// pace fills in how fast an answer was generated.
func (r *genaiRow) pace(latency float64) {
	r.OutputLatency = &latency
	if r.Output == nil || *r.Output <= 1 {
		return
	}
	r.OutputRate = ratio(*r.Output-1, latency)
	if latency >= shortest {
		r.TPOT = ratio(latency, *r.Output-1)
		r.Speed = ratio(*r.Output-1, latency)
	}
}

func ratio(a, b float64) *float64 {
	v := a / b
	if !finite(v) {
		return nil
	}
	return &v
}

func tokens(n *int32) *float64 {
	if n == nil {
		return nil
	}
	v := float64(*n)
	return &v
}

// genaiCode is the error code of a request that failed.
func genaiCode(r record.Request) int {
	switch {
	case r.Result == record.StreamErr:
		return -1
	case r.Status >= 100 && r.Status != 200:
		return int(r.Status)
	case r.Result == record.Connect:
		return 503
	case r.Result == record.Timeout, r.Result == record.IdleTime:
		return 408
	}
	return 500
}

// aggregate computes the run from its rows: what genai-bench would, and the error
// rate right.
func (r *genaiRunOf) aggregate() {
	a := r.Aggregate
	good, failed, _ := r.count()
	all := good + failed
	a.Completed, a.Errors, a.Requests = &good, &failed, &all
	a.ErrorRate = ratio(float64(failed), float64(all))
	a.RequestRate = ratio(float64(good), a.Seconds)
	a.OutputRate = ratio(r.sum(func(x genaiRow) *float64 { return x.Output }), a.Seconds)
	a.InputRate = ratio(r.sum(func(x genaiRow) *float64 { return x.Input }), a.Seconds)
	a.TotalRate = ratio(r.sum(func(x genaiRow) *float64 { return x.Total }), a.Seconds)
	a.Stats = genaiStats{}
	for _, f := range genaiFields {
		a.Stats[f.name] = genaiSummary(genaiValues(r.Rows, f))
	}
}

// genaiValues are the values of one field, in the order of the rows.
func genaiValues(rows []genaiRow, f genaiField) (xs []float64) {
	for i := range rows {
		if v := *f.of(&rows[i]); v != nil {
			xs = append(xs, *v)
		}
	}
	return xs
}

// genaiSummary is the statistics of one field: the deviation is that of the
// population, percentiles lie on the line between two values.
func genaiSummary(xs []float64) map[string]*float64 {
	out := map[string]*float64{}
	if len(xs) == 0 {
		return out
	}
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	mean, deviation := stat.PopMeanStdDev(xs, nil)
	slices.Sort(xs)
	for name, v := range map[string]float64{
		"min": xs[0], "max": xs[len(xs)-1], "mean": mean, "stddev": deviation, "sum": sum,
		"p25": between(xs, .25), "p50": between(xs, .5), "p75": between(xs, .75),
		"p90": between(xs, .9), "p95": between(xs, .95), "p99": between(xs, .99),
	} {
		out[name] = &v
	}
	return out
}

// between is a percentile of sorted values on the line between its neighbours.
func between(xs []float64, q float64) float64 {
	at := q * float64(len(xs)-1)
	low := int(math.Floor(at))
	high := min(low+1, len(xs)-1)
	return xs[low] + (at-float64(low))*(xs[high]-xs[low])
}

// repeat puts the figures that genai-bench itself computed in the place of ours
// where they are the same but for the last digits: they are its own. One that
// differs is wrong, or rests on other rows, and an aggregate must not mix two
// populations.
func (r *genaiRunOf) repeat(reported []record.Reported, point int) {
	a := r.Aggregate
	scalars := map[string]**float64{
		"mean_output_throughput_tokens_per_s": &a.OutputRate, "mean_input_throughput_tokens_per_s": &a.InputRate,
		"mean_total_tokens_throughput_tokens_per_s": &a.TotalRate, "requests_per_second": &a.RequestRate, "error_rate": &a.ErrorRate,
	}
	take := func(to **float64, value float64) {
		if *to != nil && alike(**to, value, rounding) {
			*to = &value
		}
	}
	for _, f := range reported {
		if f.Point != point || f.Wrong != "" {
			continue
		}
		switch to := scalars[f.Name]; {
		case to != nil:
			take(to, f.Value)
		case f.Name == "run_duration":
			a.Seconds = f.Value
		case a.Stats[f.Name] != nil && slices.Contains(genaiStatistics, f.Statistic):
			ours := a.Stats[f.Name][f.Statistic]
			take(&ours, f.Value)
			a.Stats[f.Name][f.Statistic] = ours
		}
	}
}
