package foreign

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"assay/bundle"
	"assay/record"
	"assay/unit"
)

const lmEvalWants = "a results_*.json of lm-eval, with results, configs and versions"

// LMEval reads what lm-eval (the LM Evaluation Harness) found.
var LMEval = Tool{
	Name: "lm-eval",
	Doc:  "files results_*.json of lm_eval --output_path, or samples_*.jsonl of --log_samples; files of one task become launches",
	Claims: func(path string) bool {
		head := Head(path)
		if lmEvalLines(head) {
			return true
		}
		return bytes.Contains(head, []byte(`"results"`)) && (bytes.Contains(head, []byte(`"n-shot"`)) || bytes.Contains(head, []byte(`"group_subtasks"`)))
	},
	Read: readLMEval,
}

// An lmEvalResult is one file. Older versions lack some of it, and model_args was a
// text before it was an object.
type lmEvalResult struct {
	Results  map[string]map[string]any
	Versions map[string]any
	Shots    map[string]any `json:"n-shot"`
	Samples  map[string]struct {
		Original  float64
		Effective float64
	} `json:"n-samples"`
	Better map[string]map[string]bool `json:"higher_is_better"`
	Config struct {
		Model     string
		Args      any `json:"model_args"`
		Limit     *float64
		Seed      *float64 `json:"random_seed"`
		BatchSize any      `json:"batch_size"`
	}
	Date         float64
	Version      string  `json:"lm_eval_version"`
	Transformers string  `json:"transformers_version"`
	ModelName    string  `json:"model_name"`
	Hash         *string `json:"git_hash"`
	Template     *string `json:"chat_template_sha"`
	Seconds      any     `json:"total_evaluation_time_seconds"`
}

func readLMEval(paths []string) (m Import, err error) {
	if len(paths) == 0 {
		return m, fmt.Errorf("nothing to read: want %s", lmEvalWants)
	}
	var files []File
	samples := 0
	for _, path := range paths {
		file, err := Load(path)
		if err != nil {
			return m, err
		}
		files = append(files, file)
		if lmEvalLines(file.Data[:min(len(file.Data), headBytes)]) {
			samples++
		}
	}
	switch {
	case samples == 0:
		return readLMEvalResults(files)
	case samples == len(files):
		return readLMEvalSamples(files, nil)
	}
	answers, tasks, results, err := splitLMEval(files)
	if err != nil {
		return m, err
	}
	m, err = readLMEvalSamples(answers, tasks)
	m.Files = append(m.Files, results...)
	return m, err
}

// readLMEvalResults reads scores.
func readLMEvalResults(files []File) (m Import, err error) {
	m.Source.Tool, m.Environment = "lm-eval", record.Environment{}
	var all []summary
	model := ""
	for i, file := range files {
		var read lmEvalResult
		if err := file.JSON(&read, lmEvalWants); err != nil {
			return m, err
		}
		found, err := read.summaries(file.Name)
		if err != nil {
			return m, err
		}
		if i == 0 {
			model = read.ModelName
			m.Source.Version = read.Version
			read.facts(m.Environment)
			if read.Date > 0 && read.Date < 1e11 {
				m.Started = time.UnixMilli(int64(read.Date * 1000)).UTC()
			}
		} else if read.ModelName != model {
			return m, fmt.Errorf("%s is of model %q and %s of %q: import them one by one", file.Name, read.ModelName, files[0].Name, model)
		}
		if read.Config.Limit != nil {
			m.Source.Notes = append(m.Source.Notes, fmt.Sprintf("%s: --limit %g: a part of each task was asked, which is no result of the task", file.Name, *read.Config.Limit))
		}
		file.Kept = lmEvalSecrets.ReplaceAll(file.Data, []byte("${1}"+bundle.Redacted))
		m.Files = append(m.Files, file)
		all = append(all, found...)
	}
	m.Points, m.Launches = summaries(all)
	m.Run = summaryRun("lm-eval-"+model, model, m.Points)
	m.Source.Notes = append(m.Source.Notes, "stderr is over the questions of a task, not over launches: it says nothing about what another launch would give")
	m.Source.Unknown = []bundle.Gap{
		{ID: bundle.GapRequests, Detail: "the file holds scores; single answers are in the samples_*.jsonl of --log_samples, without times, which can be imported too"},
		{ID: bundle.GapErrors, Detail: "an answer that is empty or was refused counts as a wrong one, or ends the run"},
		{ID: bundle.GapRetries, Detail: "requests to an API are sent again in silence"},
		{ID: bundle.GapClient, Detail: "nothing was timed but the whole"},
		{ID: bundle.GapServer, Detail: "the server's own counters are not read"},
	}
	if len(m.Launches) == 1 {
		m.Source.Unknown = append(m.Source.Unknown, bundle.Gap{ID: bundle.GapReplicates, Detail: "each task was asked once; pass several files to make them launches"})
	}
	return m, nil
}

// lmEvalSecrets are values of model arguments that may be secrets: api_key=… in a
// text of arguments, "api_key": "…" in an object.
var lmEvalSecrets = regexp.MustCompile(`(?i)([a-z_-]*(?:api[_-]?key|secret|password|auth|bearer)[a-z_-]*"?\s*[:=]\s*"?)([^",}\s]+)`)

// facts are what the file tells about model and machine.
func (r lmEvalResult) facts(to record.Environment) {
	set := func(name string, value any) {
		switch v := value.(type) {
		case nil:
		case string:
			if v != "" {
				to.Set("lm-eval."+name, string(lmEvalSecrets.ReplaceAll([]byte(v), []byte("${1}"+bundle.Redacted))))
			}
		case float64, bool:
			to.Set("lm-eval."+name, v)
		default:
			text, err := json.Marshal(v)
			if err == nil {
				to.Set("lm-eval."+name, string(lmEvalSecrets.ReplaceAll(text, []byte("${1}"+bundle.Redacted))))
			}
		}
	}
	set("model", r.Config.Model)
	set("model_args", r.Config.Args)
	set("batch_size", r.Config.BatchSize)
	set("transformers_version", r.Transformers)
	if r.Config.Seed != nil {
		set("random_seed", *r.Config.Seed)
	}
	if r.Hash != nil {
		set("git_hash", *r.Hash)
	}
	if r.Template != nil {
		set("chat_template_sha", *r.Template)
	}
}

// summaries are the scores, a point for each task.
func (r lmEvalResult) summaries(file string) (list []summary, err error) {
	for _, task := range slices.Sorted(maps.Keys(r.Results)) {
		s := summary{point: Point{Name: r.title(task)}}
		for _, key := range slices.Sorted(maps.Keys(r.Results[task])) {
			v, ok := r.Results[task][key].(float64)
			metric, filter, named := strings.Cut(key, ",")
			if !ok || !named {
				continue // the alias, N/A where there is no error, and how many were asked
			}
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("%s: %s of %s is %v, want a number", file, key, task, v)
			}
			s.measured.Reported = append(s.measured.Reported, r.score(task, metric, filter, v))
		}
		if n, ok := r.Samples[task]; ok {
			s.measured.Reported = append(s.measured.Reported, record.Reported{
				Name: "n-samples", Statistic: "value", Value: n.Effective, Unit: string(unit.Request),
				Definition: fmt.Sprintf("questions that were asked, of %g of the task", n.Original),
			})
		}
		if len(s.measured.Reported) > 0 {
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s holds no score, want %s", file, lmEvalWants)
	}
	return list, nil
}

// title names a task with what changes its meaning.
func (r lmEvalResult) title(task string) string {
	name := task
	if n, ok := r.Shots[task]; ok {
		name += fmt.Sprintf(" n-shot=%v", n)
	}
	if v, ok := r.Versions[task]; ok {
		name += fmt.Sprintf(" version=%v", v)
	}
	return name
}

// score is one figure: acc or acc_stderr, after a filter of the answers.
func (r lmEvalResult) score(task, metric, filter string, v float64) record.Reported {
	f := record.Reported{Name: metric + "," + filter, Statistic: "value", Value: v, Unit: string(unit.Ratio)}
	base, isError := strings.CutSuffix(metric, "_stderr")
	if isError {
		f.Statistic = "stderr"
	}
	f.Definition = fmt.Sprintf("%s of the answers after the filter %q", base, filter)
	if higher, ok := r.Better[task][base]; ok && !higher {
		f.Definition += "; lower is better"
	}
	if isError {
		f.Definition = "standard error of " + f.Definition + ", over questions"
	}
	return f
}
