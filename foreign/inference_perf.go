package foreign

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"assay/bundle"
)

const (
	perfWants    = "a report folder of inference-perf with stage_N_lifecycle_metrics.json"
	perfRequests = "per_request_lifecycle_metrics.json"
	perfSummary  = "summary_lifecycle_metrics.json"
)

// perfStage is the name of a stage's file, after a prefix that may be asked for.
// Those of single adapters hold parts of the same requests.
var perfStage = regexp.MustCompile(`^(.*?)stage_([0-9]{1,6})_lifecycle_metrics\.json$`)

// InferencePerf reads report folders of inference-perf.
var InferencePerf = Tool{
	Name: "inference-perf",
	Doc:  "report folders with stage_N_lifecycle_metrics.json and, for single requests, " + perfRequests + "; each stage is a point, folders at one load become launches",
	Claims: func(path string) bool {
		stages, err := perfStages(perfFolder(path))
		return err == nil && len(stages) > 0
	},
	Read: readInferencePerf,
}

// perfFolder is the folder of a report, which may be named by a file in it.
func perfFolder(path string) string {
	if strings.HasSuffix(path, "_lifecycle_metrics.json") {
		return filepath.Dir(path)
	}
	return path
}

// A perfName is the file of a stage.
type perfName struct {
	name, prefix string
	stage        int
}

// perfStages lists the files of stages in a folder, in their order.
func perfStages(folder string) ([]perfName, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var list []perfName
	for _, entry := range entries {
		found := perfStage.FindStringSubmatch(entry.Name())
		if found == nil || strings.Contains(found[1], "adapter_") {
			continue
		}
		n, err := strconv.Atoi(found[2])
		if err != nil {
			return nil, err
		}
		list = append(list, perfName{entry.Name(), found[1], n})
	}
	slices.SortFunc(list, func(a, b perfName) int { return cmp.Compare(a.stage, b.stage) })
	return list, nil
}

// A perfReport is one folder.
type perfReport struct {
	config   perfConfig
	stages   []perfStageFile
	files    []File
	results  []result
	notes    []string
	requests bool // whether single requests are told
}

// A perfConfig is what was asked for.
type perfConfig struct {
	Server struct {
		Model string `json:"model_name"`
		URL   string `json:"base_url"`
	} `json:"server"`
	API struct {
		Type      string `json:"type"`
		Streaming bool   `json:"streaming"`
	} `json:"api"`
	Data loose[perfData] `json:"data"`
	Load struct {
		Type    string `json:"type"`
		Retries int    `json:"request_retries"`
		Stages  []struct {
			Requests *int `json:"num_requests"`
		} `json:"stages"`
	} `json:"load"`
	Report struct {
		Requests struct {
			Server bool `json:"use_server_output_tokens"`
		} `json:"request_lifecycle"`
	} `json:"report"`
}

// A perfData is a source of prompts, with the tokens that were asked for.
type perfData struct {
	Input struct {
		Mean float64 `json:"mean"`
	} `json:"input_distribution"`
	Output struct {
		Mean float64 `json:"mean"`
	} `json:"output_distribution"`
}

func readInferencePerf(paths []string) (m Import, err error) {
	if err := nothing(paths, perfWants); err != nil {
		return m, err
	}
	m.Source = bundle.Source{Tool: "inference-perf"}
	var first perfReport
	var results []result
	for i, path := range paths {
		folder := perfFolder(path)
		report, err := readPerfFolder(folder)
		if err != nil {
			return m, err
		}
		if i == 0 {
			first = report
		} else if err := first.asked().same(paths[0], report.asked(), path); err != nil {
			return m, err
		}
		first.requests = first.requests && report.requests
		for _, file := range report.files {
			if len(paths) > 1 {
				file.Name = fmt.Sprintf("%d/%s", i, file.Name)
			}
			m.Files = append(m.Files, file)
		}
		for _, note := range report.notes {
			addOnce(&m.Source.Notes, note)
		}
		results = append(results, report.results...)
	}
	m.Points, m.Launches = group(results)
	m.Run = first.asked().run(m.Points, m.Launches)
	m.Source.Unknown = unknown(m.Launches, first.gaps()...)
	return m, nil
}

func (r perfReport) asked() asked {
	return asked{
		name: strings.TrimSpace("inference-perf " + r.config.Server.Model), model: r.config.Server.Model, url: r.config.Server.URL,
		arrival: r.config.Load.Type,
	}
}

func readPerfFolder(folder string) (r perfReport, err error) {
	names, err := perfStages(folder)
	if err != nil {
		return r, err
	}
	if len(names) == 0 {
		return r, fmt.Errorf("%s holds no stage_N_lifecycle_metrics.json: want %s", folder, perfWants)
	}
	for _, name := range names {
		file, err := Load(filepath.Join(folder, name.name))
		if err != nil {
			return r, err
		}
		stage := perfStageFile{number: name.stage}
		if err := file.JSON(&stage, "the metrics of a stage of inference-perf"); err != nil {
			return r, err
		}
		one, err := stage.result()
		one.measured.Stated.File = file.Name
		if err != nil {
			return r, fmt.Errorf("%s: %w, want the metrics of a stage of inference-perf", file.Name, err)
		}
		r.files, r.stages, r.results = append(r.files, file.redacted()), append(r.stages, stage), append(r.results, one)
	}
	if err := r.readConfig(folder, names[0].prefix); err != nil {
		return r, err
	}
	file, err := Load(filepath.Join(folder, names[0].prefix+perfRequests))
	if errors.Is(err, os.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	r.files, r.requests = append(r.files, file.redacted()), true
	return r, r.readRequests(file)
}

// readConfig reads what was asked for, if the folder holds it.
func (r *perfReport) readConfig(folder, prefix string) error {
	file, err := Load(filepath.Join(folder, prefix+"config.yaml"))
	if errors.Is(err, os.ErrNotExist) {
		r.notes = append(r.notes, "there is no config.yaml: the model and the kind of load are not known")
		return nil
	}
	if err != nil {
		return err
	}
	if err := unmarshalYAML(file.Data, &r.config); err != nil {
		return fmt.Errorf("%s: %w, want the configuration of inference-perf", file.Name, err)
	}
	// The file may hold keys in headers: the bundle keeps none of it.
	file.Kept = []byte("# left out: it may hold keys\n")
	r.files = append(r.files, file)
	for i, stage := range r.stages {
		stated := &r.results[i].measured.Stated
		if n := stage.number; n < len(r.config.Load.Stages) && r.config.Load.Stages[n].Requests != nil {
			stated.AskedRequests = float64(max(0, *r.config.Load.Stages[n].Requests))
		}
		stated.AskedInput, stated.AskedOutput = max(0, r.config.Data.value.Input.Mean), max(0, r.config.Data.value.Output.Mean)
	}
	return nil
}

// unmarshalYAML reads YAML into a value with the tags of JSON.
func unmarshalYAML(data []byte, into any) error {
	var tree any
	if err := yaml.Unmarshal(data, &tree); err != nil {
		return err
	}
	text, err := json.Marshal(tree)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// A perfStageFile is the summary of a stage. Times are seconds.
type perfStageFile struct {
	number int
	Time   *float64 `json:"benchmark_time_seconds"`
	Load   struct {
		Count       *float64    `json:"count"`
		Delay       *perfSpread `json:"schedule_delay"`
		Asked       *float64    `json:"requested_rate"`
		Achieved    *float64    `json:"achieved_rate"`
		Concurrency *float64    `json:"concurrency"`
	} `json:"load_summary"`
	Successes struct {
		Count      *float64               `json:"count"`
		Latency    map[string]*perfSpread `json:"latency"`
		Throughput map[string]*float64    `json:"throughput"`
		Mismatches *float64               `json:"token_count_mismatches"`
	} `json:"successes"`
	Failures struct {
		Count *float64 `json:"count"`
	} `json:"failures"`
}

// A perfSpread is a distribution: statistics by their names.
type perfSpread map[string]*float64

// result is what the stage says about its load, without its requests.
func (s perfStageFile) result() (out result, err error) {
	if s.Time == nil || !(*s.Time >= 0 && *s.Time < mostSeconds) {
		return out, errors.New("benchmark_time_seconds is missing or no time")
	}
	for _, n := range []named{{"load_summary.count", s.Load.Count}, {"successes.count", s.Successes.Count}} {
		if v := n.value; v == nil || !(*v >= 0 && *v <= math.MaxInt32) || *v != math.Trunc(*v) {
			return out, fmt.Errorf("%s is missing or no number of requests", n.field)
		}
	}
	if err := loads(named{"load_summary.concurrency", s.Load.Concurrency}, named{"load_summary.requested_rate", s.Load.Asked}); err != nil {
		return out, err
	}
	switch {
	case s.Load.Concurrency != nil:
		out.point = Point{Concurrency: int(math.Ceil(*s.Load.Concurrency))}
	case s.Load.Asked != nil:
		out.point = Point{Rate: *s.Load.Asked}
	default:
		out.point = Point{Name: fmt.Sprintf("stage %d", s.number)}
	}
	out.measured = Measured{
		Duration: time.Duration(nanoseconds(*s.Time)), Reported: s.reported(),
		Stated: bundle.Stated{Completed: *s.Successes.Count, Seconds: *s.Time},
	}
	return out, nil
}

func (r perfReport) gaps() []bundle.Gap {
	list := []bundle.Gap{
		{ID: bundle.GapDueTimes, Detail: "scheduled times are not written for single requests: latency counts from the send, and how late that was is reported as a summary (schedule_delay)"},
		{ID: bundle.GapWarmup, Detail: "ramp and drain of a stage are part of it"},
		{ID: bundle.GapClient, Detail: "of the client's own health only the delay of sends is reported"},
		{ID: bundle.GapHost, Detail: "neither the machine nor the version of the tool is described"},
		{ID: bundle.GapSeed, Detail: "arrivals are not seeded, whatever base_seed says"},
		{ID: bundle.GapServer, Detail: "its figures of the server come from Prometheus and are not read here"},
	}
	if r.config.Load.Retries > 0 {
		list = append(list, bundle.Gap{ID: bundle.GapRetries, Detail: fmt.Sprintf("a failed request was sent up to %d times more; single requests do not say how often", r.config.Load.Retries)})
	}
	if !r.requests {
		return append(list,
			bundle.Gap{ID: bundle.GapRequests, Detail: "there is no " + perfRequests + ": the figures are the tool's own and cannot be computed again"},
			bundle.Gap{ID: bundle.GapErrors, Detail: "of failed requests only counts and texts are reported"})
	}
	return list
}
