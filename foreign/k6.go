package foreign

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"assay/bundle"
	"assay/record"
	"assay/unit"
)

const k6Wants = "a summary of k6 (--summary-export, or the data of handleSummary as JSON)"

// K6 reads summaries of k6. Single points of its metrics are not read: a k6 test
// is a program, and only its summary has a fixed meaning.
var K6 = Tool{
	Name: "k6",
	Doc:  "summaries as JSON, of --summary-export or of handleSummary; files with the same number of users become launches",
	Claims: func(path string) bool {
		head := Head(path)
		return bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")) && bytes.Contains(head, []byte(`"metrics"`)) && (bytes.Contains(head, []byte(`"root_group"`)) || bytes.Contains(head, []byte(`"http_req_duration"`)))
	},
	Read: readK6,
}

// A k6Summary is a summary: metrics by their names.
type k6Summary struct {
	Metrics map[string]k6Metric `json:"metrics"`
	State   struct {
		Milliseconds *float64 `json:"testRunDurationMs"`
	}
}

// A k6Metric holds the numbers of a metric. handleSummary puts them into values,
// --summary-export does not.
type k6Metric map[string]float64

// UnmarshalJSON takes the numbers of both forms.
func (m *k6Metric) UnmarshalJSON(data []byte) error {
	var all map[string]any
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	if inner, ok := all["values"].(map[string]any); ok {
		all = inner
	}
	*m = k6Metric{}
	for name, value := range all {
		if v, ok := value.(float64); ok {
			(*m)[name] = v
		}
	}
	return nil
}

func readK6(paths []string) (m Import, err error) {
	if m, err = begin("k6", paths, k6Wants); err != nil {
		return m, err
	}
	var results []result
	for _, file := range m.Files {
		var s k6Summary
		if err := file.JSON(&s, k6Wants); err != nil {
			return m, err
		}
		one, err := s.result()
		if err != nil {
			return m, fmt.Errorf("%s: %w, want %s", file.Name, err, k6Wants)
		}
		results = append(results, one)
	}
	m.Points, m.Launches = group(results)
	m.Run = asked{name: "k6"}.run(m.Points, m.Launches)
	m.Source.Notes = []string{"a point is named after the most virtual users: whether the script offered a rate or kept users busy is not in a summary"}
	m.Source.Unknown = unknown(m.Launches,
		bundle.Gap{ID: bundle.GapRequests, Detail: "a summary holds no single request: nothing can be computed again"},
		bundle.Gap{ID: bundle.GapErrors, Detail: "how requests failed is not reported, only their share"},
		bundle.Gap{ID: bundle.GapSendTimes, Detail: "a summary has no times: there is no time series, no steady state and no time in flight"},
		bundle.Gap{ID: bundle.GapDueTimes, Detail: "latency counts from the send; iterations that found no free user are dropped_iterations"},
		bundle.Gap{ID: bundle.GapChunks, Detail: "k6 reads an answer as a whole: no first token, no gaps"},
		bundle.Gap{ID: bundle.GapTokens, Detail: "tokens are not counted"},
		bundle.Gap{ID: bundle.GapWarmup, Detail: "stages of a script are not distinguished"},
		bundle.Gap{ID: bundle.GapClient, Detail: "it does not say whether it was the limit"},
		bundle.Gap{ID: bundle.GapHost, Detail: "neither the machine nor the version is described"},
		bundle.Gap{ID: bundle.GapServer, Detail: "the server's own counters are not read"},
	)
	return m, nil
}

func (s k6Summary) result() (out result, err error) {
	requests, ok := s.Metrics["http_reqs"]
	count, rate := requests["count"], requests["rate"]
	if !ok || !(count > 0 && rate > 0) || math.IsInf(count/rate, 0) {
		return out, fmt.Errorf("metrics.http_reqs has no count and rate above 0")
	}
	seconds := count / rate
	if ms := s.State.Milliseconds; ms != nil {
		seconds = *ms / 1e3
	}
	if !(seconds > 0 && seconds < mostSeconds) {
		return out, fmt.Errorf("the test took %v s: want above 0 and below %g s", seconds, mostSeconds)
	}
	users := 1
	for _, name := range []string{"vus_max", "vus"} {
		if v := max(s.Metrics[name]["max"], s.Metrics[name]["value"]); v >= 1 && v <= 1e6 {
			users = int(v)
			break
		}
	}
	out.point = Point{Concurrency: users}
	out.measured = Measured{Duration: time.Duration(nanoseconds(seconds)), Reported: s.reported()}
	return out, nil
}

// reported lists what k6 measures of every HTTP request.
func (s k6Summary) reported() (list []record.Reported) {
	trends := []servingFigure{
		{"http_req_duration", figure{definition: "sending, waiting and receiving of a request; name look-up, the opening of a connection and the wait for one left out; failed requests count too"}},
		{"http_req_waiting", figure{definition: "from the last byte of the request to the first byte of the answer"}},
		{"http_req_connecting", figure{definition: "opening of a TCP connection, 0 where one was at hand"}},
		{"iteration_duration", figure{definition: "one pass of the script, its pauses included"}},
	}
	for _, f := range trends {
		f.unit, f.scale = unit.Second, 1e-3
		for _, statistic := range [][2]string{{"avg", "mean"}, {"min", "min"}, {"med", "p50"}, {"p(90)", "p90"}, {"p(95)", "p95"}, {"p(99)", "p99"}, {"p(99.9)", "p99.9"}, {"max", "max"}} {
			if v, ok := s.Metrics[f.name][statistic[0]]; ok {
				list = append(list, f.says(f.name, statistic[1], v))
			}
		}
	}
	counters := []struct {
		name, field string
		figure
	}{
		{"http_reqs", "count", figure{unit: unit.Request, definition: "requests that were sent, failed ones too"}},
		{"http_reqs", "rate", figure{unit: unit.RequestPerSecond, definition: "requests, failed ones too / time of the test"}},
		{"http_req_failed", "rate", figure{unit: unit.Ratio, definition: "requests whose status the script does not expect, by default from 400 up, / all requests"}},
		{"http_req_failed", "value", figure{unit: unit.Ratio, definition: "requests whose status the script does not expect, by default from 400 up, / all requests"}},
		{"dropped_iterations", "count", figure{unit: unit.Request, definition: "passes of the script that found no free user"}},
	}
	for _, c := range counters {
		if v, ok := s.Metrics[c.name][c.field]; ok {
			list = append(list, c.says(strings.Join([]string{c.name, c.field}, "."), "value", v))
		}
	}
	return list
}
