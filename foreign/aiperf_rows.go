package foreign

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/bundle"
	"assay/record"
	"assay/unit"
)

// An aiperfRow is the record of one request.
type aiperfRow struct {
	Metadata struct {
		Credit    *int64 `json:"credit_issued_ns"`
		Start     *int64 `json:"request_start_ns"`
		End       *int64 `json:"request_end_ns"`
		Phase     string `json:"benchmark_phase"`
		Cancelled bool   `json:"was_cancelled"`
	} `json:"metadata"`
	Metrics struct {
		TTFT aiperfValue `json:"time_to_first_token"`
		Gaps struct {
			Value []float64 `json:"value"`
			Unit  string    `json:"unit"`
		} `json:"inter_chunk_latency"`
		Input  aiperfValue `json:"usage_prompt_tokens"`
		Output aiperfValue `json:"usage_completion_tokens"`
		ISL    aiperfValue `json:"input_sequence_length"`
		OSL    aiperfValue `json:"output_sequence_length"`
	} `json:"metrics"`
	Error *struct {
		Code    *int32 `json:"code"`
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
}

type aiperfValue struct {
	Value *float64 `json:"value"`
	Unit  string   `json:"unit"`
}

// mostNanoseconds is later than any date of a result; sums of it do not overflow.
const mostNanoseconds = 1 << 62

func (r aiperfRow) check() error {
	m := r.Metadata
	if m.Start == nil || m.End == nil {
		return errors.New("request_start_ns or request_end_ns is missing")
	}
	for _, t := range []struct {
		name string
		at   int64
	}{{"request_start_ns", *m.Start}, {"request_end_ns", *m.End}, {"credit_issued_ns", r.due()}} {
		if t.at < 0 || t.at > mostNanoseconds {
			return fmt.Errorf("%s is %d, want a time in nanoseconds", t.name, t.at)
		}
	}
	for _, t := range []struct{ name, unit string }{{"time_to_first_token", r.Metrics.TTFT.Unit}, {"inter_chunk_latency", r.Metrics.Gaps.Unit}} {
		if t.unit != "" && t.unit != "ms" {
			return fmt.Errorf("%s is in %q, want ms", t.name, t.unit)
		}
	}
	return nil
}

// due is when the tool decided that the request should leave.
func (r aiperfRow) due() int64 {
	if r.Metadata.Credit != nil {
		return min(*r.Metadata.Credit, *r.Metadata.Start)
	}
	return *r.Metadata.Start
}

// answer is the row in our words; server says whose token counts the tool used.
func (r aiperfRow) answer(begin int64, server bool) answer {
	since := func(at int64) float64 { return float64(at-begin) / 1e9 }
	due := since(r.due())
	a := answer{sent: since(*r.Metadata.Start), due: &due, end: float64(*r.Metadata.End-*r.Metadata.Start) / 1e9}
	a.input, a.output = r.Metrics.Input.Value, r.Metrics.Output.Value
	if a.input == nil {
		a.input = r.Metrics.ISL.Value
	}
	if server && a.output == nil {
		a.output = r.Metrics.OSL.Value
	} else if !server {
		a.counted = r.Metrics.OSL.Value
	}
	if r.Metrics.TTFT.Value != nil {
		first := *r.Metrics.TTFT.Value / 1e3
		a.first = &first
	}
	for _, gap := range r.Metrics.Gaps.Value {
		a.gaps = append(a.gaps, gap/1e3)
	}
	switch {
	case r.Metadata.Cancelled:
		a.outcome = record.Cancelled
	case r.Error != nil:
		a.failed = strings.TrimSpace(r.Error.Type + " " + r.Error.Message)
		if a.failed == "" {
			a.failed = "error without a text"
		}
		if r.Error.Code != nil {
			a.status = *r.Error.Code
		}
	}
	return a
}

// An aiperfFigure is a metric of the summary: its unit and its statistics. What
// is something else in the summary has no unit.
type aiperfFigure struct {
	Unit       string
	Statistics map[string]*float64
}

// UnmarshalJSON takes the numbers of an object, and nothing of other values.
func (f *aiperfFigure) UnmarshalJSON(data []byte) error {
	var all map[string]any
	if json.Unmarshal(data, &all) != nil {
		return nil // a text or a list: no metric
	}
	f.Unit, _ = all["unit"].(string)
	f.Statistics = map[string]*float64{}
	for name, value := range all {
		if v, ok := value.(float64); ok {
			f.Statistics[name] = &v
		}
	}
	return nil
}

// aiperfUnits gives our unit of theirs.
var aiperfUnits = map[string]figure{
	"ms": {unit: unit.Second, scale: 1e-3}, "sec": {unit: unit.Second},
	"tokens": {unit: unit.Token}, "requests": {unit: unit.Request},
	"tokens/sec": {unit: unit.TokenPerSecond}, "tokens/sec/user": {unit: unit.TokenPerSecond},
	"requests/sec": {unit: unit.RequestPerSecond}, "ratio": {unit: unit.Ratio}, "%": {unit: unit.Ratio, scale: 1e-2},
}

// reported lists the figures of the summary that concern the requests.
func (run aiperfRun) reported() (list []record.Reported) {
	meanings := maps.Clone(aiperfMeanings)
	if run.summary.Input.Endpoint.Server {
		meanings["inter_token_latency"] = figure{metric: "tpot.v1"}
	}
	for _, name := range slices.Sorted(maps.Keys(meanings)) {
		found, ok := run.figures[name]
		f, known := aiperfUnits[found.Unit]
		if !ok || !known {
			continue
		}
		f.metric, f.definition = meanings[name].metric, meanings[name].definition
		for _, statistic := range slices.Sorted(maps.Keys(found.Statistics)) {
			ours := statistic
			switch statistic {
			case "count", "sum":
				continue
			case "avg":
				ours = "mean"
				if len(found.Statistics) == 1 {
					ours = "value"
				}
			}
			list = append(list, f.says(name, ours, *found.Statistics[statistic]))
		}
	}
	return list
}

var aiperfMeanings = map[string]figure{
	"request_throughput":               {definition: "successful requests / time from the first send to the last answer"},
	"request_latency":                  {definition: "from just before the HTTP call, the opening of a connection included, to the last answer with content"},
	"time_to_first_token":              {definition: "from just before the HTTP call, the opening of a connection included, to the first answer with content or reasoning"},
	"time_to_first_output_token":       {definition: "as time_to_first_token, reasoning left out"},
	"time_to_second_token":             {definition: "between the first and the second answer with content"},
	"inter_token_latency":              {definition: "(request latency − TTFT) / (output tokens − 1), tokens as the client's tokenizer counts them: what others call TPOT"},
	"inter_chunk_latency":              {metric: "itl_chunk.v2"},
	"output_token_throughput":          {definition: "output tokens / time from the first send to the last answer"},
	"output_token_throughput_per_user": {definition: "1 / inter token latency of a request"},
	"output_sequence_length":           {definition: "output tokens of an answer, reasoning included"},
	"input_sequence_length":            {definition: "tokens of a prompt"},
	"request_count":                    {definition: "requests that succeeded"},
	"error_request_count":              {definition: "requests that failed"},
	"benchmark_duration":               {definition: "from the first send to the last answer"},
	"effective_concurrency":            {definition: "time in flight of all requests / duration"},
	"goodput":                          {definition: "requests within all limits that were given / duration, counted from the send"},
	"good_request_count":               {definition: "requests within all limits that were given"},
}

// gaps are what a folder does not tell.
func (run aiperfRun) gaps() []bundle.Gap {
	list := []bundle.Gap{
		{ID: bundle.GapRetries, Detail: "whether its HTTP client sent a request again is not stored"},
		{ID: bundle.GapWarmup, Detail: "requests of the warm-up are not among the records; ramp and drain are part of the run"},
		{ID: bundle.GapClient, Detail: "it does not say whether its own processes were the limit"},
		{ID: bundle.GapHost, Detail: "the machine is not described; GPU figures come from collectors of their own, which are not read here"},
	}
	if gap, missing := run.server.gap(); missing {
		list = append(list, gap)
	}
	if !run.records {
		return append(list, bundle.Gap{ID: bundle.GapRequests, Detail: "there is no " + aiperfRecords + ": the figures are the tool's own and cannot be computed again"})
	}
	if !run.chunks {
		list = append(list, bundle.Gap{ID: bundle.GapChunks, Detail: "the records hold no inter_chunk_latency: no gap between tokens, no stall, no jitter"})
	}
	if !run.credits {
		list = append(list, bundle.Gap{ID: bundle.GapDueTimes, Detail: "the records hold no credit_issued_ns: latency counts from the send"})
	}
	return list
}
