package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"assay/bundle"
	"assay/record"
	"assay/spec"
)

const guidellmWants = "a benchmarks file of GuideLLM"

// GuideLLM reads the JSON reports of GuideLLM, from version 0.4 on.
var GuideLLM = Tool{
	Name: "guidellm",
	Doc:  "JSON reports (--output kind=json); each strategy is a point, files at one load become launches",
	Claims: func(path string) bool {
		head := Head(path)
		return bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")) && bytes.Contains(head, []byte(`"guidellm_version"`))
	},
	Read: readGuideLLM,
}

// A guidellmFile is a report, less its benchmarks.
type guidellmFile struct {
	Metadata struct {
		Version  string `json:"guidellm_version"`
		Python   string `json:"python_version"`
		Platform string `json:"platform"`
	}
	Config struct { // from 0.8 on
		Spec struct {
			Backend guidellmBackend
			Data    loose[[]guidellmData]
		}
	}
	Args struct { // before
		Model  string
		Target string
	}
}

type guidellmBackend struct {
	Model  string
	Target string
}

// A guidellmData is a source of prompts; of a synthetic one the lengths are told.
type guidellmData struct {
	Kind   string
	Input  float64 `json:"prompt_tokens"`
	Output float64 `json:"output_tokens"`
}

func readGuideLLM(paths []string) (m Import, err error) {
	if m, err = begin("guidellm", paths, guidellmWants); err != nil {
		return m, err
	}
	var results []result
	var question asked
	for i, file := range m.Files {
		var report guidellmFile
		marks, err := readGuidellmFile(file, &report)
		if err != nil {
			return m, err
		}
		a := report.asked(marks)
		if i == 0 {
			question = a
			m.Source.Version, m.Environment = report.Metadata.Version, report.environment()
			m.Started = marks[0].started()
		} else if err := question.same(m.Files[0].Name, a, file.Name); err != nil {
			return m, err
		}
		for n, mark := range marks {
			one, err := mark.result()
			if err != nil {
				return m, fmt.Errorf("%s: benchmark %d: %w", file.Name, n, err)
			}
			one.measured.Stated = mark.stated(file.Name, report)
			m.Source.Notes = append(m.Source.Notes, mark.notes(file.Name, n)...)
			results = append(results, one)
		}
	}
	m.Points, m.Launches = group(results)
	m.Run = question.run(m.Points, m.Launches)
	m.Source.Unknown = unknown(m.Launches, guidellmGaps...)
	if m.Run.Spec.Workload.ConcurrencyModel == spec.ClosedLoop {
		m.Source.Unknown = append(m.Source.Unknown, bundle.Gap{ID: bundle.GapDueTimes, Detail: "a strategy without a rate does not tell when a request could have left: latency counts from the send"})
	}
	m.Source.Notes = append(m.Source.Notes, "all times are those of the wall clock: a step of it during the run is a step in the results")
	return m, nil
}

// readGuidellmFile reads a report benchmark by benchmark.
func readGuidellmFile(file File, report *guidellmFile) (marks []guidellmMark, err error) {
	found := false
	err = file.walk(guidellmWants, func() {}, func(key string, from *json.Decoder) (bool, error) {
		switch key {
		case "metadata":
			found = true
			return true, from.Decode(&report.Metadata)
		case "config":
			return true, from.Decode(&report.Config)
		case "args":
			return true, from.Decode(&report.Args)
		case "benchmarks":
			return true, each(from, func(i int) error {
				mark := guidellmMark{}
				if err := mark.read(file.inside(), from); err != nil {
					return fmt.Errorf("benchmark %d: %w", i, err)
				}
				marks = append(marks, mark)
				return nil
			})
		}
		return false, nil
	}, func() error { return nil })
	switch {
	case err != nil:
		return nil, err
	case !found || report.Metadata.Version == "":
		return nil, fmt.Errorf("%s: metadata names no guidellm_version, want %s", file.Name, guidellmWants)
	case len(marks) == 0:
		return nil, fmt.Errorf("%s: benchmarks is missing or empty, want %s", file.Name, guidellmWants)
	}
	return marks, nil
}

// A guidellmMark is one benchmark: one strategy of load.
type guidellmMark struct {
	Config struct {
		Strategy struct {
			Type    string   `json:"type_"`
			Streams *float64 `json:"streams"`
			Most    *float64 `json:"max_concurrency"`
			Rate    *float64 `json:"rate"`
		}
		Backend     guidellmBackend
		Constraints loose[guidellmLimits]
	}
	Start    *float64
	Duration *float64
	Warmup   float64
	Cooldown float64
	Metrics  map[string]json.RawMessage
	Requests struct{ successful, errored, incomplete []guidellmRequest }
}

// A guidellmLimits is what ends a benchmark.
type guidellmLimits struct {
	Most struct {
		Args struct{ Count float64 }
	} `json:"max_requests"`
}

// read reads a benchmark field by field: its requests may be many.
func (b *guidellmMark) read(file File, from *json.Decoder) error {
	token, err := from.Token()
	if err != nil {
		return err
	}
	if token != json.Delim('{') {
		return fmt.Errorf("is %v, want an object", token)
	}
	return file.object(from, guidellmWants, func(key string, from *json.Decoder) (bool, error) {
		switch key {
		case "config":
			return true, from.Decode(&b.Config)
		case "start_time":
			return true, from.Decode(&b.Start)
		case "duration":
			return true, from.Decode(&b.Duration)
		case "warmup_duration":
			return true, from.Decode(&b.Warmup)
		case "cooldown_duration":
			return true, from.Decode(&b.Cooldown)
		case "metrics":
			return true, from.Decode(&b.Metrics)
		case "requests":
			return true, b.readRequests(file, from)
		}
		return false, nil
	})
}

func (b *guidellmMark) readRequests(file File, from *json.Decoder) error {
	token, err := from.Token()
	if token != json.Delim('{') || err != nil {
		return errors.Join(err, fmt.Errorf("is %v, want an object with successful, errored and incomplete requests", token))
	}
	return file.object(from, guidellmWants, func(key string, from *json.Decoder) (bool, error) {
		switch key {
		case "successful":
			return true, values(from, &b.Requests.successful)
		case "errored":
			return true, values(from, &b.Requests.errored)
		case "incomplete":
			return true, values(from, &b.Requests.incomplete)
		}
		return false, nil
	})
}

// A guidellmRequest is one request. Times are seconds of the wall clock.
type guidellmRequest struct {
	Start  *float64 `json:"request_start_time"`
	End    *float64 `json:"request_end_time"`
	TTFT   *float64 `json:"time_to_first_token_ms"`
	Input  *float64 `json:"prompt_tokens"`
	Output *float64 `json:"output_tokens"`
	Info   struct {
		Error   *string
		Timings struct {
			Due   *float64 `json:"targeted_start"`
			Start *float64 `json:"resolve_start"`
			End   *float64 `json:"resolve_end"`
		}
	}
}

func (b guidellmMark) open() bool { return b.Config.Strategy.Rate != nil }

// point is the load of the strategy.
func (b guidellmMark) point() (Point, error) {
	s := b.Config.Strategy
	if err := loads(named{"config.strategy.streams", s.Streams}, named{"config.strategy.max_concurrency", s.Most}, named{"config.strategy.rate", s.Rate}); err != nil {
		return Point{}, err
	}
	switch {
	case s.Type == "":
		return Point{}, errors.New("config.strategy names no type_, want " + guidellmWants)
	case s.Rate != nil:
		return Point{Rate: *s.Rate}, nil
	case s.Type == "synchronous":
		return Point{Concurrency: 1}, nil
	case s.Streams != nil:
		return Point{Concurrency: int(math.Ceil(*s.Streams))}, nil
	case s.Most != nil:
		return Point{Concurrency: int(math.Ceil(*s.Most)), Name: fmt.Sprintf("%s at most %g", s.Type, *s.Most)}, nil
	}
	return Point{Name: s.Type}, nil
}

func (b guidellmMark) result() (out result, err error) {
	if out.point, err = b.point(); err != nil {
		return out, err
	}
	if b.Duration == nil || !(*b.Duration > 0 && *b.Duration < mostSeconds) {
		return out, fmt.Errorf("duration is missing or not above 0, want %s", guidellmWants)
	}
	out.measured.Duration = time.Duration(nanoseconds(*b.Duration))
	begin := b.begin()
	out.measured.room(len(b.Requests.successful)+len(b.Requests.errored)+len(b.Requests.incomplete), len(b.Requests.successful))
	for _, kind := range []struct {
		name    string
		list    []guidellmRequest
		outcome record.Outcome
	}{{"successful", b.Requests.successful, record.OK}, {"errored", b.Requests.errored, ""}, {"incomplete", b.Requests.incomplete, record.Cut}} {
		for i, r := range kind.list {
			a, err := r.answer(begin, b.open(), kind.outcome)
			if err == nil && a != nil {
				err = out.measured.add(*a)
			}
			if err != nil {
				return out, fmt.Errorf("%s request %d: %w", kind.name, i, err)
			}
		}
	}
	out.measured.Reported, err = b.reported()
	return out, err
}

// begin is the first moment of the benchmark.
func (b guidellmMark) begin() float64 {
	begin := math.Inf(1)
	for _, list := range [][]guidellmRequest{b.Requests.successful, b.Requests.errored, b.Requests.incomplete} {
		for _, r := range list {
			for _, at := range []*float64{r.Start, r.due(b.open())} {
				if at != nil {
					begin = min(begin, *at)
				}
			}
		}
	}
	return begin
}

// due is when a strategy with a rate wanted the request to leave.
func (r guidellmRequest) due(open bool) *float64 {
	if !open {
		return nil
	}
	return r.Info.Timings.Due
}

// answer is the request in our words; nil for one that never left.
func (r guidellmRequest) answer(begin float64, open bool, outcome record.Outcome) (*answer, error) {
	if r.Start == nil {
		if outcome == record.OK {
			return nil, errors.New("request_start_time is missing")
		}
		if r.Start = r.Info.Timings.Start; r.Start == nil {
			return nil, nil // still waiting when the benchmark ended
		}
	}
	end := r.End
	if end == nil {
		end = r.Info.Timings.End
	}
	if end == nil && outcome == record.OK {
		return nil, errors.New("request_end_time is missing")
	}
	a := answer{sent: max(0, *r.Start-begin), input: r.Input, output: r.Output, outcome: outcome}
	if end != nil {
		a.end = *end - *r.Start
	}
	if due := r.due(open); due != nil {
		since := *due - begin
		a.due = &since
	}
	if r.TTFT != nil {
		first := *r.TTFT / 1e3
		a.first = &first
	}
	if outcome == "" {
		a.failed = "error without a text"
		if r.Info.Error != nil && strings.TrimSpace(*r.Info.Error) != "" {
			a.failed = *r.Info.Error
		}
	}
	return &a, nil
}

func (b guidellmMark) started() time.Time {
	if b.Start == nil || !(*b.Start > 0 && *b.Start < 1e11) {
		return time.Time{}
	}
	return time.UnixMicro(int64(*b.Start * 1e6)).UTC()
}

func (f guidellmFile) asked(marks []guidellmMark) asked {
	a := asked{model: f.Config.Spec.Backend.Model, url: f.Config.Spec.Backend.Target}
	if a.model == "" {
		a.model, a.url = f.Args.Model, f.Args.Target
	}
	if a.model == "" {
		a.model, a.url = marks[0].Config.Backend.Model, marks[0].Config.Backend.Target
	}
	a.name = strings.TrimSpace("guidellm " + a.model)
	for _, b := range marks {
		if b.open() {
			a.arrival = b.Config.Strategy.Type
		}
	}
	return a
}

func (f guidellmFile) environment() record.Environment {
	env := record.Environment{}
	for name, value := range map[string]string{"client.python": f.Metadata.Python, "client.platform": f.Metadata.Platform} {
		if value != "" {
			env.Set(name, value)
		}
	}
	return env
}

var guidellmGaps = []bundle.Gap{
	{ID: bundle.GapChunks, Detail: "of an answer only the first and the last token and their number are kept: a stall inside an answer cannot be seen, and its ITL is a mean of each answer"},
	{ID: bundle.GapRetries, Detail: "whether its HTTP client sent a request again or followed a redirect is not stored"},
	{ID: bundle.GapWarmup, Detail: "requests of a warm-up and a cool-down are cut by the tool; without them ramp and drain are part of the run"},
	{ID: bundle.GapTokens, Detail: "usage, or else the number of events: which of them counted is not stored"},
	{ID: bundle.GapClient, Detail: "it does not say whether its own processes were the limit"},
	{ID: bundle.GapHost, Detail: "of the machine only Python's version and the platform are reported"},
	{ID: bundle.GapServer, Detail: "the server's own counters are not read"},
}
