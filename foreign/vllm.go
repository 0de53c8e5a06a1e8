package foreign

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"time"

	"assay/bundle"
	"assay/spec"
	"assay/unit"
)

const vllmWants = "a result of vllm bench serve --save-result"

// VLLM reads results of vLLM's serving benchmark, of the Python program and of
// the Rust one, which writes the same fields.
var VLLM = Tool{
	Name: "vllm",
	Doc:  "JSON files of vllm bench serve or vllm-bench with --save-result; with --save-detailed single requests are read; files at one load become launches",
	Claims: func(path string) bool {
		head := Head(path)
		return bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")) && bytes.Contains(head, []byte(`"endpoint_type"`)) && bytes.Contains(head, []byte(`"backend"`))
	},
	Read: func(paths []string) (Import, error) { return readServings(vllmKind, paths) },
}

// A servingKind is what differs between the tools that write such results.
type servingKind struct {
	tool, want string
	figures    []servingFigure // by the name of their field
	statistics []servingFigure // by the name between the statistic and _ms
	unknown    []bundle.Gap
	notes      func(serving) []string
	arrival    func(serving) string
}

var vllmKind = servingKind{
	tool: "vllm", want: vllmWants,
	figures: []servingFigure{
		{"completed", figure{unit: unit.Request, definition: "requests with at least one event that held choices"}},
		{"failed", figure{unit: unit.Request, definition: "requests without one; vllm-bench first sends a request whose connection failed up to three times more"}},
		{"total_input_tokens", figure{unit: unit.Token, definition: "tokens of the prompts as the tokenizer or the server counts them"}},
		{"total_output_tokens", figure{unit: unit.Token, definition: "usage of the server, else the tokenizer's count, else 1 for each answer"}},
		{"request_throughput", figure{unit: unit.RequestPerSecond, metric: "request_throughput.v1"}},
		{"request_goodput", figure{unit: unit.RequestPerSecond, definition: "requests within all limits that were given / duration; counted from the send"}},
		{"output_throughput", figure{unit: unit.TokenPerSecond, definition: "total_output_tokens / duration, the drain at the end included"}},
		{"total_token_throughput", figure{unit: unit.TokenPerSecond, definition: "input and output tokens / duration, the drain at the end included"}},
		{"max_output_tokens_per_s", figure{unit: unit.TokenPerSecond, definition: "events, not tokens, in the fullest second"}},
		{"max_concurrent_requests", figure{unit: unit.Request, definition: "requests that touched the fullest second, whether or not at one time: above the number in flight"}},
	},
	statistics: []servingFigure{
		{"ttft", figure{definition: "from the send, after any wait for a place in flight, to the first event with choices, whether or not it holds text"}},
		{"tpot", figure{definition: "(latency − TTFT) / (output tokens − 1)"}},
		{"itl", figure{definition: "between two events with choices, those without text too; one gap per event, whatever number of tokens it holds"}},
		{"e2el", figure{definition: "from the send, after any wait for a place in flight, to the last event with choices; in older versions to the usage event"}},
		{"client_queue_time", figure{definition: "wait of a request for a place among --max-concurrency"}},
		{"e2el_including_client_queue", figure{definition: "latency and the wait for a place among --max-concurrency"}},
	},
	unknown: []bundle.Gap{
		{ID: bundle.GapRetries, Detail: "the Rust program sends a request whose connection failed up to three times more and does not say so"},
		{ID: bundle.GapWarmup, Detail: "warm-up requests are not in the result; ramp and drain are part of the run"},
		{ID: bundle.GapTokens, Detail: "usage, or else the tokenizer: which of them counted is not stored"},
		{ID: bundle.GapClient, Detail: "it does not say when its one process was the limit"},
		{ID: bundle.GapHost, Detail: "neither the machine nor the version of the tool is described"},
		{ID: bundle.GapSeed, Detail: "seed and data set are not stored"},
		{ID: bundle.GapServer, Detail: "of the server's own counters only those of speculative decoding are read"},
	},
	notes: func(s serving) (list []string) {
		if s.open() && s.lists.detailed() && s.lists.arrivals() {
			list = append(list, "a request was due when the client's loop reached it, which is its send less its queue time; how late that loop was is not told")
		}
		if s.chat() && s.lists.detailed() {
			list = append(list, "in chats the first event counts as the first token even when it only names the role: then TTFT is early and the first gap is no gap between tokens")
		}
		if s.lists.detailed() && len(s.lists.latencies) == 0 {
			list = append(list, "latencies are not stored: a request is taken to end with its last event")
		}
		return list
	},
	arrival: func(s serving) string {
		if b, ok := s.numbers["burstiness"]; ok && b != 1 {
			return "" // gamma, rescaled to the asked total
		}
		return spec.ArrivalPoisson
	},
}

// readServings reads the files of a kind.
func readServings(kind servingKind, paths []string) (Import, error) {
	if err := nothing(paths, kind.want); err != nil {
		return Import{}, err
	}
	m := Import{Source: bundle.Source{Tool: kind.tool}}
	var results []result
	var first asked
	var gaps []bundle.Gap
	var detailed bool
	var err error
	if m.Files, err = loadAll(paths); err != nil {
		return m, err
	}
	for _, file := range m.Files {
		err := readServing(file, kind.want, func(s serving) error {
			if err := s.check(kind.want); err != nil {
				return err
			}
			a := asked{
				name: kind.tool + " " + s.texts["model_id"], model: s.texts["model_id"], requests: int(s.numbers["num_prompts"]),
				arrival: kind.arrival(s),
			}
			if len(results) == 0 {
				first = a
				m.Started = servingDate(s.texts["date"])
			} else if err := first.same(m.Files[0].Name, a, file.Name); err != nil {
				return err
			}
			for _, note := range kind.notes(s) {
				addOnce(&m.Source.Notes, note)
			}
			for _, gap := range append(s.gaps(), s.dueGap()) {
				gaps = addGap(gaps, gap)
			}
			if len(results) > 0 && s.lists.detailed() != detailed {
				return errors.New("some results hold single requests and others summaries alone: import one kind at a time")
			}
			detailed = s.lists.detailed()
			one, err := s.result(kind.figures)
			one.measured.Reported = append(one.measured.Reported, s.statistics(kind.statistics)...)
			results = append(results, one)
			return err
		})
		if err != nil {
			return m, err
		}
	}
	m.Points, m.Launches = group(results)
	m.Run = first.run(m.Points, m.Launches)
	m.Source.Unknown = unknown(m.Launches, append(gaps, kind.unknown...)...)
	return m, nil
}

// dueGap says what is known about when requests should have left; its id is empty
// when nothing is missing.
func (s serving) dueGap() bundle.Gap {
	if s.open() && s.lists.detailed() && s.lists.arrivals() {
		return bundle.Gap{}
	}
	return bundle.Gap{ID: bundle.GapDueTimes, Detail: "latency counts from the send, after any wait for a place in flight: a late client makes it look better"}
}

// servingDate reads the date of a result, which is the client's local time: good
// to a day.
func servingDate(text string) time.Time {
	at, err := time.Parse("20060102-150405", strings.TrimSpace(text))
	if err != nil {
		return time.Time{}
	}
	return at
}

// addGap adds a gap unless one of its kind is there, or it is none.
func addGap(list []bundle.Gap, gap bundle.Gap) []bundle.Gap {
	if gap.ID == "" || slices.ContainsFunc(list, func(g bundle.Gap) bool { return g.ID == gap.ID }) {
		return list
	}
	return append(list, gap)
}
