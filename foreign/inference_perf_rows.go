package foreign

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"assay/record"
	"assay/unit"
)

// A perfRow is one request. Times are seconds of the client's own clock.
type perfRow struct {
	Start *float64 `json:"start_time"`
	End   *float64 `json:"end_time"`
	Info  struct {
		Request struct {
			Text struct {
				Input *float64 `json:"input_tokens"`
			}
		} `json:"request_metrics"`
		Response *struct {
			Output *float64 `json:"output_tokens"`
			Usage  *struct {
				Input  *float64 `json:"prompt_tokens"`
				Output *float64 `json:"completion_tokens"`
			} `json:"server_usage"`
			Chunks []float64 `json:"chunk_times"`
			Tokens []float64 `json:"output_token_times"`
		} `json:"response_metrics"`
		Input *float64  `json:"input_tokens"` // of older versions, as are the next
		Old   *float64  `json:"output_tokens"`
		Times []float64 `json:"output_token_times"`
	}
	Error *struct {
		Type    string `json:"error_type"`
		Message string `json:"error_msg"`
	}
}

// readRequests reads the single requests and gives each to its stage. The file
// does not say whose they are: stages run one after the other, and each says how
// many it had.
func (r *perfReport) readRequests(file File) error {
	const want = "the list of requests of inference-perf"
	if !text(file.Data) {
		return fmt.Errorf("%s is a binary file, want %s", file.Name, want)
	}
	var rows []perfRow
	from := json.NewDecoder(&pythonReader{data: file.Data})
	err := each(from, func(i int) error {
		var row perfRow
		if err := from.Decode(&row); err != nil {
			return file.inside().bad(fmt.Sprintf("entry %d", i), from, nil, err, want)
		}
		if row.Start == nil || row.End == nil || *row.End < *row.Start {
			return fmt.Errorf("entry %d: start_time or end_time is missing, or the end comes first", i)
		}
		rows = append(rows, row)
		return nil
	})
	if err == nil {
		if _, rest := from.Token(); !errors.Is(rest, io.EOF) {
			err = errors.New("goes on after its list")
		}
	}
	if err != nil {
		return file.bad("", from, nil, err, want)
	}
	if err := file.unique(want); err != nil {
		return err
	}
	slices.SortStableFunc(rows, func(a, b perfRow) int { return cmp.Compare(*a.Start, *b.Start) })
	total := 0
	for _, s := range r.stages {
		total += int(*s.Load.Count)
	}
	if total != len(rows) {
		return fmt.Errorf("%s holds %d requests and the stages report %d: want all of them, to tell which belong to which", file.Name, len(rows), total)
	}
	for i, s := range r.stages {
		n := int(*s.Load.Count)
		if err := r.fill(&r.results[i].measured, rows[:n]); err != nil {
			return fmt.Errorf("%s: stage %d: %w", file.Name, s.number, err)
		}
		rows = rows[n:]
	}
	return nil
}

// fill adds the requests of a stage.
func (r *perfReport) fill(m *Measured, rows []perfRow) error {
	if len(rows) == 0 {
		return nil
	}
	begin, chunks := *rows[0].Start, 0
	for _, row := range rows {
		chunks += len(row.times())
	}
	m.room(len(rows), chunks)
	for i, row := range rows {
		a := answer{sent: *row.Start - begin, end: *row.End - *row.Start, input: row.Info.Request.Text.Input, counted: row.Info.Old}
		if a.input == nil {
			a.input = row.Info.Input
		}
		if got := row.Info.Response; got != nil {
			a.counted = got.Output
			if got.Usage != nil {
				a.input, a.output = cmp.Or(got.Usage.Input, a.input), got.Usage.Output
			}
		}
		// All tokens of an event have its time: equal times are one event.
		last := *row.Start
		for n, at := range slices.Compact(slices.Clone(row.times())) {
			if n == 0 {
				first := at - *row.Start
				a.first = &first
			} else {
				a.gaps = append(a.gaps, at-last)
			}
			last = at
		}
		if row.Error != nil {
			a.failed = cmp.Or(row.Error.Message, row.Error.Type, "error without a text")
			fmt.Sscanf(row.Error.Type, "HTTP Error %d", &a.status)
		}
		if err := m.add(a); err != nil {
			return fmt.Errorf("request %d: %w", i, err)
		}
	}
	return nil
}

// times are those of the events with output: of each token where the tool has
// counted them again, otherwise of each event.
func (row perfRow) times() []float64 {
	switch got := row.Info.Response; {
	case got != nil && len(got.Tokens) > 0:
		return got.Tokens
	case got != nil:
		return got.Chunks
	}
	return row.Info.Times
}

// reported lists the figures of a stage.
func (s perfStageFile) reported() (list []record.Reported) {
	spread := func(name string, from *perfSpread, f figure) {
		if from == nil {
			return
		}
		for _, statistic := range slices.Sorted(maps.Keys(*from)) {
			if v := (*from)[statistic]; v != nil && finite(*v) {
				ours := statistic
				if statistic == "median" {
					ours = "p50"
				}
				list = append(list, f.says(name, ours, *v))
			}
		}
	}
	one := func(name string, v *float64, f figure) {
		if v != nil && finite(*v) {
			list = append(list, f.says(name, "value", *v))
		}
	}
	one("successes.count", s.Successes.Count, figure{unit: unit.Request, definition: "requests without an error"})
	one("failures.count", s.Failures.Count, figure{unit: unit.Request, definition: "requests with an error"})
	one("requested_rate", s.Load.Asked, figure{unit: unit.RequestPerSecond, definition: "the rate that was asked for; of a stage with a concurrency its number of requests"})
	one("achieved_rate", s.Load.Achieved, figure{unit: unit.RequestPerSecond, definition: "requests / time from the first send to the last"})
	one("token_count_mismatches", s.Successes.Mismatches, figure{unit: unit.Request, definition: "requests whose tokens the client's tokenizer counts otherwise than the server"})
	spread("schedule_delay", s.Load.Delay, figure{unit: unit.Second, definition: "from when a request should have left to its send: what assay calls lag"})
	for _, f := range perfLatencies {
		spread(f.name, s.Successes.Latency[f.name], f.figure)
	}
	for _, f := range perfRates {
		one(f.name, s.Successes.Throughput[f.name], f.figure)
	}
	return list
}

var perfLatencies = []servingFigure{
	{"request_latency", figure{unit: unit.Second, definition: "from the send, after the body was made, to the end of the body"}},
	{"time_to_first_token", figure{unit: unit.Second, definition: "from the send, after the body was made, to the first event with content; reasoning is not seen"}},
	{"time_per_output_token", figure{unit: unit.Second, definition: "(last token − first token) / (output tokens − 1), tokens as the client's tokenizer counts them unless told otherwise"}},
	{"normalized_time_per_output_token", figure{unit: unit.Second, definition: "request latency / output tokens, tokens as the client's tokenizer counts them unless told otherwise"}},
	{"inter_token_latency", figure{unit: unit.Second, definition: "between two tokens as the client's tokenizer counts them; those of one event are 0 apart"}},
}

var perfRates = []servingFigure{
	{"requests_per_sec", figure{unit: unit.RequestPerSecond, definition: "successful requests / time from the first send to the last end"}},
	{"input_tokens_per_sec", figure{unit: unit.TokenPerSecond, definition: "tokens of the prompts / time from the first send to the last end"}},
	{"output_tokens_per_sec", figure{unit: unit.TokenPerSecond, definition: "output tokens, as the client's tokenizer counts them unless told otherwise / time from the first send to the last end"}},
	{"total_tokens_per_sec", figure{unit: unit.TokenPerSecond, definition: "input and output tokens / time from the first send to the last end"}},
}
