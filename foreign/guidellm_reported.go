package foreign

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/bundle"
	"assay/record"
	"assay/unit"
)

// A guidellmSpread is the distribution that GuideLLM gives of a metric.
type guidellmSpread struct {
	Successful *struct {
		Mean        *float64
		Deviation   *float64 `json:"std_dev"`
		Min, Max    *float64
		Count       float64
		Percentiles map[string]*float64
	}
}

// guidellmPercentiles are our names of theirs, as far as they are worth showing.
var guidellmPercentiles = map[string]string{"p50": "p50", "p90": "p90", "p95": "p95", "p99": "p99", "p999": "p99.9"}

// reported lists the figures of the successful requests of a benchmark.
func (b guidellmMark) reported() (list []record.Reported, err error) {
	for _, f := range guidellmFigures {
		raw, ok := b.Metrics[f.name]
		if !ok {
			continue
		}
		var spread guidellmSpread
		if err := json.Unmarshal(raw, &spread); err != nil {
			return nil, fmt.Errorf("metrics.%s: %w, want a distribution", f.name, err)
		}
		s := spread.Successful
		if s == nil {
			continue
		}
		add := func(statistic string, value *float64) {
			if value != nil && finite(*value) {
				list = append(list, f.says(f.name, statistic, *value))
			}
		}
		add("mean", s.Mean)
		if f.rate {
			continue // the rest is of rates between single events
		}
		add("std", s.Deviation)
		add("min", s.Min)
		add("max", s.Max)
		for _, name := range slices.Sorted(maps.Keys(guidellmPercentiles)) {
			add(guidellmPercentiles[name], s.Percentiles[name])
		}
	}
	return list, nil
}

// stated is what a benchmark says beside its requests. Its totals count every
// request, its lists may keep a sample of them.
func (b guidellmMark) stated(file string, report guidellmFile) bundle.Stated {
	s := bundle.Stated{File: file, AskedRequests: max(0, b.Config.Constraints.value.Most.Args.Count), Seconds: max(0, *b.Duration)}
	var totals struct{ Successful float64 }
	if json.Unmarshal(b.Metrics["request_totals"], &totals) == nil {
		s.Completed = max(0, totals.Successful)
	}
	var spread guidellmSpread
	if json.Unmarshal(b.Metrics["request_latency"], &spread) == nil && spread.Successful != nil {
		s.Statistics = max(0, spread.Successful.Count)
	}
	if sets := report.Config.Spec.Data.value; len(sets) == 1 && strings.HasPrefix(sets[0].Kind, "synthetic") {
		s.AskedInput, s.AskedOutput = max(0, sets[0].Input), max(0, sets[0].Output)
	}
	return s
}

// guidellmFigures are the metrics of GuideLLM that others have too.
var guidellmFigures = []struct {
	name string
	rate bool
	figure
}{
	{"requests_per_second", true, figure{unit: unit.RequestPerSecond, definition: "successful requests / duration of the benchmark without its warm-up and cool-down"}},
	{"request_concurrency", true, figure{unit: unit.Ratio, definition: "requests in flight, averaged over time"}},
	{"request_latency", false, figure{unit: unit.Second, definition: "from the send, after any wait in the client, to the close of the stream, on the wall clock"}},
	{"request_scheduled_latency", false, figure{unit: unit.Second, definition: "from when the strategy wanted the request to leave to the close of the stream, on the wall clock"}},
	{"time_to_first_token_ms", false, figure{unit: unit.Second, scale: 1e-3, definition: "from the send, after any wait in the client, to the first content, reasoning or tool call, on the wall clock"}},
	{"time_per_output_token_ms", false, figure{unit: unit.Second, scale: 1e-3, definition: "(last token − send) / output tokens: the time to the first token is in it, unlike in the TPOT of others"}},
	{"inter_token_latency_ms", false, figure{unit: unit.Second, scale: 1e-3, definition: "(last token − first token) / (output tokens − 1) of each answer: what others call TPOT, not a gap between two tokens"}},
	{"prompt_token_count", false, figure{unit: unit.Token, definition: "tokens of a prompt, usage before the client's own count"}},
	{"output_token_count", false, figure{unit: unit.Token, definition: "tokens of an answer, usage before the number of events"}},
	{"output_tokens_per_second", true, figure{unit: unit.TokenPerSecond, definition: "output tokens / duration, those between the first and the last token spread evenly"}},
	{"tokens_per_second", true, figure{unit: unit.TokenPerSecond, definition: "input and output tokens / duration"}},
}

// notes says what is particular about a benchmark.
func (b guidellmMark) notes(file string, n int) (list []string) {
	var totals struct{ Successful, Errored, Incomplete int }
	if json.Unmarshal(b.Metrics["request_totals"], &totals) == nil {
		for _, kind := range []struct {
			name       string
			kept, made int
		}{{"successful", len(b.Requests.successful), totals.Successful}, {"errored", len(b.Requests.errored), totals.Errored}, {"incomplete", len(b.Requests.incomplete), totals.Incomplete}} {
			if kind.kept < kind.made {
				list = append(list, fmt.Sprintf("%s: benchmark %d keeps %d of %d %s requests: rates computed from them are too low, the tool's own count all", file, n, kind.kept, kind.made, kind.name))
			}
		}
	}
	if b.Warmup > 0 || b.Cooldown > 0 {
		list = append(list, fmt.Sprintf("%s: benchmark %d leaves out %g s at its beginning and %g s at its end as warm-up and cool-down", file, n, b.Warmup, b.Cooldown))
	}
	return list
}
