package foreign

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"assay/bundle"
	"assay/record"
)

const (
	aiperfSummary = "profile_export_aiperf.json"
	aiperfRecords = "profile_export.jsonl"
	aiperfWants   = "a result folder of AIPerf with " + aiperfSummary + " and " + aiperfRecords
)

// AIPerf reads result folders of AIPerf.
var AIPerf = Tool{
	Name: "aiperf",
	Doc:  "result folders, each with " + aiperfSummary + " and, for single requests, " + aiperfRecords + "; what AIPerf read of the server (" + aiperfScrapes + ", else " + aiperfServer + ") is read too; folders at one load become launches",
	Claims: func(path string) bool {
		_, err := os.Stat(filepath.Join(aiperfFolder(path), aiperfSummary))
		return err == nil
	},
	Read: readAIPerf,
}

// aiperfFolder is the folder of a result, which may be named by a file in it.
func aiperfFolder(path string) string {
	if base := filepath.Base(path); base == aiperfSummary || base == aiperfRecords {
		return filepath.Dir(path)
	}
	return path
}

// An aiperfRun is one folder.
type aiperfRun struct {
	summary aiperfFile
	figures map[string]aiperfFigure
	files   []File
	result  result
	notes   []string

	chunks, credits, records bool // whether gaps, times of issue and single requests are told
	server                   serverKnowledge
	from                     int64 // when the window began, on the wall clock; 0 when no record tells
}

// An aiperfFile is the summary, less its figures.
type aiperfFile struct {
	Version string `json:"aiperf_version"`
	Start   string `json:"start_time"`
	Input   *struct {
		Models struct {
			Items []struct {
				Name string `json:"name"`
			} `json:"items"`
		} `json:"models"`
		Endpoint struct {
			URLs      []string `json:"urls"`
			Type      string   `json:"type"`
			Names     []string `json:"model_names"` // up to 0.5
			Streaming bool     `json:"streaming"`
			Server    bool     `json:"use_server_token_count"`
		} `json:"endpoint"`
		Datasets loose[[]aiperfData] `json:"datasets"`
		Phases   []aiperfPhase       `json:"phases"`
		Load     aiperfPhase         `json:"loadgen"` // up to 0.5
	} `json:"input_config"`
}

// An aiperfData is a source of prompts, with the tokens that were asked for.
type aiperfData struct {
	Prompts struct {
		Input struct {
			Mean float64 `json:"mean"`
		} `json:"isl"`
		Output struct {
			Mean float64 `json:"mean"`
		} `json:"osl"`
	} `json:"prompts"`
}

// An aiperfPhase is a load that was asked for.
type aiperfPhase struct {
	Kind        string   `json:"kind"`
	Type        string   `json:"type"`
	Requests    int      `json:"requests"`
	Concurrency *float64 `json:"concurrency"`
	Rate        *float64 `json:"rate"`
	RequestRate *float64 `json:"request_rate"`
}

func readAIPerf(paths []string) (Import, error) {
	if err := nothing(paths, aiperfWants); err != nil {
		return Import{}, err
	}
	m := Import{Source: bundle.Source{Tool: "aiperf"}}
	var results []result
	var first aiperfRun
	for i, path := range paths {
		run, err := readAIPerfFolder(aiperfFolder(path))
		if err != nil {
			return m, err
		}
		if i == 0 {
			first = run
		} else if err := first.asked().same(paths[0], run.asked(), path); err != nil {
			return m, err
		}
		for _, file := range run.files {
			if len(paths) > 1 {
				file.Name = fmt.Sprintf("%d/%s", i, file.Name)
			}
			m.Files = append(m.Files, file)
		}
		for _, note := range run.notes {
			addOnce(&m.Source.Notes, note)
		}
		first.chunks, first.credits, first.records = first.chunks && run.chunks, first.credits && run.credits, first.records && run.records
		first.server = min(first.server, run.server)
		results = append(results, run.result)
	}
	m.Source.Version = first.summary.Version
	m.Points, m.Launches = group(results)
	m.Run = first.asked().run(m.Points, m.Launches)
	m.Source.Unknown = unknown(m.Launches, first.gaps()...)
	if at, err := time.Parse("2006-01-02T15:04:05.999999999", first.summary.Start); err == nil {
		m.Started = at
	}
	return m, nil
}

func readAIPerfFolder(folder string) (run aiperfRun, err error) {
	file, err := Load(filepath.Join(folder, aiperfSummary))
	if errors.Is(err, os.ErrNotExist) {
		return run, fmt.Errorf("%s has no %s: want %s", folder, aiperfSummary, aiperfWants)
	}
	if err != nil {
		return run, err
	}
	// Twice over a small file: its settings, and its figures by their names.
	if err := file.JSON(&run.summary, "the summary of AIPerf"); err != nil {
		return run, err
	}
	if err := file.JSON(&run.figures, "the summary of AIPerf"); err != nil {
		return run, err
	}
	if err := run.check(file.Name); err != nil {
		return run, err
	}
	run.files = append(run.files, file.redacted())
	duration := run.figures["benchmark_duration"]
	run.result = result{point: run.point(), measured: Measured{Duration: time.Duration(nanoseconds(*duration.Statistics["avg"]))}}
	run.result.measured.Reported, run.result.measured.Stated = run.reported(), run.stated(file.Name)
	if err := run.readRecords(folder); err != nil {
		return run, err
	}
	return run, run.readServer(folder)
}

// readRecords reads the single requests, where they were stored.
func (run *aiperfRun) readRecords(folder string) error {
	file, err := Load(filepath.Join(folder, aiperfRecords))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	run.files, run.records = append(run.files, file.redacted()), true
	return run.requests(file)
}

// stated is what the summary says beside the records.
func (run aiperfRun) stated(file string) bundle.Stated {
	of := func(figure, statistic string) float64 {
		if v := run.figures[figure].Statistics[statistic]; v != nil && *v > 0 {
			return *v
		}
		return 0
	}
	s := bundle.Stated{
		File: file, AskedRequests: float64(max(0, run.phase().Requests)), Completed: of("request_count", "avg"),
		Statistics: of("request_latency", "count"), Seconds: of("benchmark_duration", "avg"),
	}
	if sets := run.summary.Input.Datasets.value; len(sets) == 1 {
		s.AskedInput, s.AskedOutput = max(0, sets[0].Prompts.Input.Mean), max(0, sets[0].Prompts.Output.Mean)
	}
	return s
}

// check wants a summary that can be placed.
func (run aiperfRun) check(name string) error {
	duration := run.figures["benchmark_duration"].Statistics["avg"]
	switch {
	case run.summary.Input == nil:
		return fmt.Errorf("%s has no input_config: want the summary of AIPerf", name)
	case duration == nil || run.figures["benchmark_duration"].Unit != "sec" || !(*duration > 0 && *duration < mostSeconds):
		return fmt.Errorf("%s: benchmark_duration is missing, has no avg in sec or is not above 0: want the summary of AIPerf", name)
	}
	phase := run.phase()
	if err := loads(named{"concurrency", phase.Concurrency}, named{"rate", phase.rate()}); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// phase is the load that was measured.
func (run aiperfRun) phase() aiperfPhase {
	for _, p := range run.summary.Input.Phases {
		if p.Kind == "profiling" || p.Kind == "" {
			return p
		}
	}
	return run.summary.Input.Load
}

func (p aiperfPhase) rate() *float64 {
	if p.Rate != nil {
		return p.Rate
	}
	return p.RequestRate
}

func (run aiperfRun) point() Point {
	p := run.phase()
	switch rate := p.rate(); {
	case rate != nil && p.Concurrency != nil:
		return Point{Rate: *rate, Name: fmt.Sprintf("rate=%g/s at most %g", *rate, *p.Concurrency)}
	case rate != nil:
		return Point{Rate: *rate}
	case p.Concurrency != nil:
		return Point{Concurrency: int(math.Ceil(*p.Concurrency))}
	}
	return Point{Name: strings.TrimSpace("aiperf " + p.Type)}
}

func (run aiperfRun) asked() asked {
	in := run.summary.Input
	a := asked{name: "aiperf", requests: run.phase().Requests, arrival: run.phase().Type}
	switch {
	case len(in.Models.Items) > 0:
		a.model = in.Models.Items[0].Name
	case len(in.Endpoint.Names) > 0:
		a.model = in.Endpoint.Names[0]
	}
	if len(in.Endpoint.URLs) > 0 {
		a.url = in.Endpoint.URLs[0]
	}
	a.name = strings.TrimSpace(a.name + " " + a.model)
	return a
}

// requests reads the records, one on each line.
func (run *aiperfRun) requests(file File) error {
	const want = "the records of AIPerf, one JSON object on each line"
	if !text(file.Data) {
		return fmt.Errorf("%s is a binary file, want %s", file.Name, want)
	}
	var rows []aiperfRow
	from := json.NewDecoder(&pythonReader{data: file.Data})
	for n := 1; ; n++ {
		var row aiperfRow
		err := from.Decode(&row)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return file.bad(fmt.Sprintf("line %d", n), from, nil, err, want)
		}
		if err := row.check(); err != nil {
			return fmt.Errorf("%s, line %d: %w, want %s", file.Name, n, err, want)
		}
		if row.Metadata.Phase == string(record.Warmup) {
			addOnce(&run.notes, "records of the warm-up are left out: they lie before the window")
			continue
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return fmt.Errorf("%s holds no record of a measured request, want %s", file.Name, want)
	}
	if err := file.unique(want); err != nil {
		return err
	}
	begin, chunks := int64(math.MaxInt64), len(rows)
	run.credits = true
	for _, r := range rows {
		begin = min(begin, r.due())
		chunks += len(r.Metrics.Gaps.Value)
		run.chunks = run.chunks || len(r.Metrics.Gaps.Value) > 0
		run.credits = run.credits && r.Metadata.Credit != nil
	}
	run.from = begin
	run.result.measured.room(len(rows), chunks)
	for i, r := range rows {
		if err := run.result.measured.add(r.answer(begin, run.summary.Input.Endpoint.Server)); err != nil {
			return fmt.Errorf("%s, record %d: %w", file.Name, i+1, err)
		}
	}
	return run.complete(file.Name)
}

// complete wants as many records as the summary counts: a file that was cut
// between two lines looks whole.
func (run *aiperfRun) complete(name string) error {
	count := run.figures["request_count"].Statistics["avg"]
	good := 0
	for _, r := range run.result.measured.Requests {
		if r.Result == record.OK {
			good++
		}
	}
	if count != nil && float64(good) < *count {
		return fmt.Errorf("%s holds %d successful requests where %s counts %g: the file is cut short", name, good, aiperfSummary, *count)
	}
	return nil
}
