package foreign

import (
	"fmt"
	"math"

	"assay/record"
)

// A genaiFound is what a run says about itself, and what is wrong with that.
type genaiFound struct {
	figures []record.Reported
	notes   []string
}

// reported lists the figures of the run as genai-bench computed them. Those that
// do not follow from its own rows are marked.
func (r *genaiRunOf) reported(point int) (out genaiFound) {
	for _, f := range genaiFields {
		scale := 1.0
		if f.time {
			scale = r.scale()
		}
		for _, statistic := range genaiStatistics {
			if v := r.Aggregate.Stats[f.name][statistic]; v != nil && finite(*v) {
				out.figures = append(out.figures, record.Reported{
					Point: point, Name: f.name, Statistic: statistic, Value: *v * scale, Unit: f.unit,
					Metric: f.metric, Definition: f.definition,
				})
			}
		}
	}
	good, failed, _ := r.count()
	a, seconds := r.Aggregate, r.Aggregate.Seconds
	for _, one := range []struct {
		name   string
		stored *float64
		unit   string
		truth  float64
		means  string
		cause  string
	}{
		{"run_duration", &seconds, "s", seconds, "from before the start of the users to after their end, the ramp and the wait of up to a second for the end included", ""},
		{"mean_output_throughput_tokens_per_s", a.OutputRate, "tok/s", r.sum(func(x genaiRow) *float64 { return x.Output }) / seconds, "tokens of kept requests / run_duration", cutRate},
		{"mean_input_throughput_tokens_per_s", a.InputRate, "tok/s", r.sum(func(x genaiRow) *float64 { return x.Input }) / seconds, "tokens of kept requests / run_duration", cutRate},
		{"mean_total_tokens_throughput_tokens_per_s", a.TotalRate, "tok/s", r.sum(func(x genaiRow) *float64 { return x.Total }) / seconds, "tokens of kept requests / run_duration", cutRate},
		{"requests_per_second", a.RequestRate, "req/s", float64(good) / seconds, "completed requests / run_duration", "it does not follow from the rows"},
		{"error_rate", a.ErrorRate, "1", float64(failed) / float64(good+failed), "failed requests / requests", "genai-bench divides before it has counted"},
		{"num_error_requests", whole(a.Errors), "req", float64(failed), "", "it does not follow from the rows"},
		{"num_completed_requests", whole(a.Completed), "req", float64(good), "", "it does not follow from the rows"},
		{"num_requests", whole(a.Requests), "req", float64(good + failed), "", "it does not follow from the rows"},
	} {
		if one.stored == nil || !finite(*one.stored) {
			continue
		}
		figure := record.Reported{Point: point, Name: one.name, Statistic: "value", Value: *one.stored, Unit: one.unit, Definition: one.means}
		if !alike(*one.stored, one.truth, rounding) {
			figure.Wrong = fmt.Sprintf("%s; its rows give %.6g", one.cause, one.truth)
			out.notes = append(out.notes, fmt.Sprintf("%s: %s is stored as %.6g and is wrong: %s", r.file, one.name, *one.stored, figure.Wrong))
		}
		out.figures = append(out.figures, figure)
	}
	return out
}

const cutRate = "the tokens of cut requests are left out and their time is not"

// count is how many rows succeeded and failed, and on how many of them the run's
// own statistics rest, which is sum / mean: -1 when that cannot be known.
func (r *genaiRunOf) count() (good, failed, kept int) {
	for _, row := range r.Rows {
		if row.ErrorCode != nil {
			failed++
		} else {
			good++
		}
	}
	kept = -1
	stats := r.Aggregate.Stats["e2e_latency"]
	if sum, mean := stats["sum"], stats["mean"]; sum != nil && mean != nil && *mean > 0 {
		if n := *sum / *mean; n < 1e12 {
			kept = int(math.Round(n))
		}
	}
	return good, failed, kept
}

// sum adds up a field of the successful rows.
func (r *genaiRunOf) sum(field func(genaiRow) *float64) float64 {
	total := 0.0
	for _, row := range r.Rows {
		if v := field(row); v != nil && row.ErrorCode == nil {
			total += *v
		}
	}
	return total
}

func whole(n *int) *float64 {
	if n == nil {
		return nil
	}
	v := float64(*n)
	return &v
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
