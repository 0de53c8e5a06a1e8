package foreign

import (
	"encoding/json"
	"regexp"
)

// The files of genai-bench: one of metadata and one for each scenario and level.
// Scenario and level are those inside a file; its name only says that it is one.

const genaiMetadataFile = "experiment_metadata.json"

// genaiRunFile is what genai-bench's own loader takes for a run.
var genaiRunFile = regexp.MustCompile(`^.+_.+_(?:concurrency|batch_size)_[0-9]+_time_[0-9]+s\.json$`)

// The ways in which levels of a sweep differ.
const (
	byConcurrency = "num_concurrency"
	byBatchSize   = "batch_size"
)

// The units of the times in a file.
const (
	inSeconds      = "s"
	inMilliseconds = "ms"
)

// genaiMetadata is experiment_metadata.json, in the order of its fields. Labels are
// text or null; older folders have numbers among them.
type genaiMetadata struct {
	Command         string         `json:"cmd"`
	Version         string         `json:"benchmark_version"`
	Backend         string         `json:"api_backend"`
	Auth            map[string]any `json:"auth_config"`
	APIModel        string         `json:"api_model_name"`
	Tokenizer       any            `json:"server_model_tokenizer"`
	Model           string         `json:"model"`
	Task            string         `json:"task"`
	Concurrency     []int          `json:"num_concurrency"`
	BatchSize       []int          `json:"batch_size"`
	Iteration       string         `json:"iteration_type"`
	Scenarios       []string       `json:"traffic_scenario"`
	ExtraParameters map[string]any `json:"additional_request_params"`
	Engine          any            `json:"server_engine"`
	EngineVersion   any            `json:"server_version"`
	GPUType         any            `json:"server_gpu_type"`
	GPUCount        any            `json:"server_gpu_count"`
	MostSeconds     int            `json:"max_time_per_run_s"`
	MostRequests    int            `json:"max_requests_per_run"`
	Folder          string         `json:"experiment_folder_name"`
	TimeUnit        string         `json:"metrics_time_unit"`
	Dataset         any            `json:"dataset_path"`
}

// genaiRun is one run file.
type genaiRun struct {
	Aggregate *genaiAggregate `json:"aggregated_metrics"`
	Rows      []genaiRow      `json:"individual_request_metrics"`
	TimeUnit  string          `json:"_time_unit"`
}

// genaiAggregate is what genai-bench computes of a run.
type genaiAggregate struct {
	Scenario    string   `json:"scenario"`
	Concurrency *int     `json:"num_concurrency"`
	BatchSize   *int     `json:"batch_size"`
	Iteration   string   `json:"iteration_type"`
	Seconds     float64  `json:"run_duration"`
	OutputRate  *float64 `json:"mean_output_throughput_tokens_per_s"`
	InputRate   *float64 `json:"mean_input_throughput_tokens_per_s"`
	TotalRate   *float64 `json:"mean_total_tokens_throughput_tokens_per_s"`
	RequestRate *float64 `json:"requests_per_second"`

	ErrorCodes map[string]int `json:"error_codes_frequency"`
	ErrorRate  *float64       `json:"error_rate"`
	Errors     *int           `json:"num_error_requests"`
	Completed  *int           `json:"num_completed_requests"`
	Requests   *int           `json:"num_requests"`

	Stats genaiStats `json:"stats"`
}

// A genaiStats holds the statistics of a run by field and name. It keeps the
// order of genai-bench when it is written.
type genaiStats map[string]map[string]*float64

// genaiStatistics are the statistics of each field, in the order of the file.
var genaiStatistics = []string{"min", "max", "mean", "stddev", "sum", "p25", "p50", "p75", "p90", "p95", "p99"}

// MarshalJSON implements json.Marshaler.
func (s genaiStats) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, f := range genaiFields {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, '"')
		out = append(out, f.name...)
		out = append(out, `":{`...)
		for j, name := range genaiStatistics {
			if j > 0 {
				out = append(out, ',')
			}
			value, err := json.Marshal(s[f.name][name])
			if err != nil {
				return nil, err
			}
			out = append(append(append(append(out, '"'), name...), `":`...), value...)
		}
		out = append(out, '}')
	}
	return append(out, '}'), nil
}

// genaiRow is one request, in order of completion. One that failed has an error
// code and nothing else.
type genaiRow struct {
	TTFT          *float64 `json:"ttft"`
	TPOT          *float64 `json:"tpot"`
	E2E           *float64 `json:"e2e_latency"`
	OutputLatency *float64 `json:"output_latency"`
	Speed         *float64 `json:"output_inference_speed"`
	Input         *float64 `json:"num_input_tokens"`
	Output        *float64 `json:"num_output_tokens"`
	Reasoning     *float64 `json:"num_reasoning_tokens"`
	Total         *float64 `json:"total_tokens"`
	InputRate     *float64 `json:"input_throughput"`
	OutputRate    *float64 `json:"output_throughput"`
	AudioRate     *float64 `json:"audio_throughput"`
	ErrorCode     *int     `json:"error_code"`
	ErrorMessage  *string  `json:"error_message"`
}

// A genaiField is one figure of a request: how it is called, in what unit, and
// which definition of ours it is.
type genaiField struct {
	name string
	time bool   // in seconds or milliseconds
	unit string // as package unit spells it
	of   func(r *genaiRow) **float64

	metric, definition string
}

// genaiFields lists the fields in the order of the files.
var genaiFields = []genaiField{
	{"ttft", true, "s", func(r *genaiRow) **float64 { return &r.TTFT },
		"", "from just before the HTTP call, opening of the connection included, to the first chunk with content or reasoning"},
	{"tpot", true, "s", func(r *genaiRow) **float64 { return &r.TPOT }, "tpot_done.v1", ""},
	{"e2e_latency", true, "s", func(r *genaiRow) **float64 { return &r.E2E },
		"", "from just before the HTTP call, opening of the connection included, to after the usage chunk"},
	{"output_latency", true, "s", func(r *genaiRow) **float64 { return &r.OutputLatency }, "output_latency.v1", ""},
	{"output_inference_speed", false, "tok/s", func(r *genaiRow) **float64 { return &r.Speed }, "", "1 / tpot"},
	{"num_input_tokens", false, "tok", func(r *genaiRow) **float64 { return &r.Input }, "", "usage.prompt_tokens, or else the tokenizer's count of the prompt"},
	{"num_output_tokens", false, "tok", func(r *genaiRow) **float64 { return &r.Output }, "", "usage.completion_tokens, or else the tokenizer's count of the answer"},
	{"num_reasoning_tokens", false, "tok", func(r *genaiRow) **float64 { return &r.Reasoning }, "", "usage, or else the tokenizer's count of the reasoning"},
	{"total_tokens", false, "tok", func(r *genaiRow) **float64 { return &r.Total }, "", "input + output"},
	{"input_throughput", false, "tok/s", func(r *genaiRow) **float64 { return &r.InputRate }, "", "num_input_tokens / ttft of one request"},
	{"output_throughput", false, "tok/s", func(r *genaiRow) **float64 { return &r.OutputRate }, "", "(num_output_tokens − 1) / output_latency of one request"},
	{"audio_throughput", false, "B/s", func(r *genaiRow) **float64 { return &r.AudioRate }, "", "bytes / (e2e_latency − ttft) of one request"},
}
