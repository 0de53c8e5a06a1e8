// Package lmeval writes the answers of an evaluation as lm-eval writes its own: a file of
// results with a score for each task, metric and filter, and a file of samples for each
// task, one line for each answer. It claims no score of lm-eval: the model is named as
// asked by assay, and tasks are those of the bundle.
//
// lm-eval knows no failed request and no load: answers that never came have no line, and
// one point of one launch is written.
package lmeval

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"assay/accuracy"
	"assay/record"
	"assay/spec"
)

// A Source is what is written: the answers and marks of one point of one launch.
type Source struct {
	Model   string
	RunID   string
	Made    time.Time
	Seconds float64 // from the first question to the last answer; 0 where it is not known
	Version string  // of this program
	Seed    int64
	Tasks   []spec.Task
	Answers []accuracy.Answer
	Grades  []accuracy.Grade
}

// A File is one of those that lm-eval would write.
type File struct {
	Name string
	Data []byte
}

// metrics are lm-eval's names of what graders here measure: a metric and the filter before
// it. Others keep their own name, after a filter that lm-eval does not have.
var metrics = map[string][2]string{
	"exact_match":         {"exact_match", "none"},
	"gsm8k_flexible":      {"exact_match", "flexible-extract"},
	"gsm8k_strict":        {"exact_match", "strict-match"},
	"loglikelihood":       {"acc", "none"},
	"loglikelihood_norm":  {"acc_norm", "none"},
	"loglikelihood_bytes": {"acc_bytes", "none"},
	"token_f1":            {"f1", "none"},
	"bleu":                {"bleu", "none"},
	"chrf":                {"chrf", "none"},
	"ter":                 {"ter", "none"},
	"perplexity":          {"perplexity", "none"},
}

func metricOf(grader string) (metric, filter string) {
	if known, ok := metrics[grader]; ok {
		return known[0], known[1]
	}
	return grader, "assay"
}

// A results is the file of results.
type results struct {
	Results  map[string]map[string]any  `json:"results"`
	Subtasks map[string][]string        `json:"group_subtasks"`
	Configs  map[string]config          `json:"configs"`
	Versions map[string]string          `json:"versions"`
	Shots    map[string]int             `json:"n-shot"`
	Better   map[string]map[string]bool `json:"higher_is_better"`
	Samples  map[string]count           `json:"n-samples"`
	Config   settings                   `json:"config"`
	Date     float64                    `json:"date"`
	Version  string                     `json:"lm_eval_version"` // who wrote the file: assay, and no lm-eval
	Hashes   map[string]string          `json:"task_hashes"`
	Source   string                     `json:"model_source"`
	Name     string                     `json:"model_name"`
	Plain    string                     `json:"model_name_sanitized"`
	Seconds  string                     `json:"total_evaluation_time_seconds"`
}

type count struct {
	Original  int `json:"original"`  // questions that were asked
	Effective int `json:"effective"` // questions that were answered
}

// A config is how a task was asked.
type config struct {
	Task       string         `json:"task"`
	Dataset    string         `json:"dataset_path"`
	Split      string         `json:"test_split"`
	Shots      int            `json:"num_fewshot"`
	Output     string         `json:"output_type"`
	Generation map[string]any `json:"generation_kwargs,omitempty"`
	Repeats    int            `json:"repeats"`
	Metadata   map[string]any `json:"metadata"`
}

type settings struct {
	Model string         `json:"model"`
	Args  map[string]any `json:"model_args"`
	Limit *int           `json:"limit"`
	Seed  int64          `json:"random_seed"`
}

// Files are what lm-eval would write about s.
func Files(s Source) ([]File, error) {
	stamp := s.Made.UTC().Format("2006-01-02T15-04-05.000000")
	r := results{
		Results: map[string]map[string]any{}, Subtasks: map[string][]string{}, Configs: map[string]config{}, Versions: map[string]string{},
		Shots: map[string]int{}, Better: map[string]map[string]bool{}, Samples: map[string]count{}, Hashes: map[string]string{},
		Config: settings{Model: "assay", Args: map[string]any{"run": s.RunID}, Seed: s.Seed}, Date: float64(s.Made.UnixMilli()) / 1000,
		Version: "assay " + s.Version, Source: "assay", Name: s.Model, Plain: strings.ReplaceAll(s.Model, "/", "__"), Seconds: fmt.Sprint(s.Seconds),
	}
	var files []File
	for _, t := range s.Tasks {
		answers, rows := s.of(t.Name)
		if err := r.add(t, answers, rows); err != nil {
			return nil, err
		}
		data, err := samplesOf(t, answers, rows)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(data)
		r.Hashes[t.Name] = hex.EncodeToString(sum[:])
		files = append(files, File{fmt.Sprintf("samples_%s_%s.jsonl", strings.ReplaceAll(t.Name, "/", "__"), stamp), data})
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, err
	}
	return append([]File{{"results_" + stamp + ".json", append(data, '\n')}}, files...), nil
}

// of are the answers to a task and their marks by every grader, in the same order.
func (s Source) of(task string) (answers []accuracy.Answer, marks []map[string]accuracy.Grade) {
	type place struct {
		item         string
		sample, pass int32
	}
	at := map[place]int{}
	for _, a := range s.Answers {
		if a.Task == task {
			at[place{a.Item, a.Sample, a.Pass}] = len(answers)
			answers, marks = append(answers, a), append(marks, map[string]accuracy.Grade{})
		}
	}
	for _, g := range s.Grades {
		if i, ok := at[place{g.Item, g.Sample, g.Pass}]; ok && g.Task == task {
			marks[i][g.Grader] = g
		}
	}
	return answers, marks
}

// add puts a task's scores, and how it was asked, into the results.
func (r *results) add(t spec.Task, answers []accuracy.Answer, marks []map[string]accuracy.Grade) error {
	row := map[string]any{"alias": t.Name}
	better := map[string]bool{}
	failed, effective := 0, 0
	for _, a := range answers {
		if a.State == accuracy.Failed || a.State == accuracy.Cut {
			failed++
		} else {
			effective++
		}
	}
	row["sample_len"] = effective
	for _, name := range t.Graders {
		g, err := accuracy.Find(name)
		if err != nil {
			return err
		}
		metric, filter := metricOf(name)
		score, stderr, n := summed(g, marks)
		if n == 0 {
			continue
		}
		row[metric+","+filter], better[metric] = score, !g.Lower
		row[metric+"_stderr,"+filter] = stderr
	}
	r.Results[t.Name], r.Better[t.Name], r.Subtasks[t.Name] = row, better, []string{}
	r.Samples[t.Name] = count{Original: len(answers), Effective: effective}
	r.Versions[t.Name], r.Shots[t.Name] = t.DatasetRef, t.FewShot
	r.Configs[t.Name] = config{
		Task: t.Name, Dataset: t.DatasetRef, Split: t.Split, Shots: t.FewShot, Output: outputType(answers), Repeats: max(1, t.Samples),
		Generation: generation(t), Metadata: map[string]any{"identity": accuracy.Identity(t), "failed": failed},
	}
	if t.Limit > 0 {
		r.Config.Limit = &t.Limit
	}
	return nil
}

// summed is a task's score by one grader, with the standard error that lm-eval prints: of
// the mean over answers; "N/A" where the score is of the whole corpus.
func summed(g accuracy.Grader, marks []map[string]accuracy.Grade) (score float64, stderr any, n int) {
	var sum, squares float64
	var sums []float64
	for _, by := range marks {
		row, ok := by[g.Name]
		if !ok || row.Score == nil {
			continue
		}
		n++
		sum += *row.Score
		squares += *row.Score * *row.Score
		if sums == nil {
			sums = make([]float64, len(row.Stats))
		}
		for i, v := range row.Stats {
			sums[i] += v
		}
	}
	switch mean := sum / float64(n); {
	case n == 0:
		return 0, nil, 0
	case g.Corpus != nil:
		return g.Corpus(sums), "N/A", n
	case n == 1:
		return mean, "N/A", n
	default:
		variance := max(0, squares-float64(n)*mean*mean) / float64(n-1)
		return mean, math.Sqrt(variance / float64(n)), n
	}
}

func outputType(answers []accuracy.Answer) string {
	if len(answers) > 0 && len(answers[0].Replies) > 1 {
		return "multiple_choice"
	}
	return "generate_until"
}

func generation(t spec.Task) map[string]any {
	g := map[string]any{"temperature": t.Temperature, "do_sample": t.Temperature > 0}
	if t.MaxTokens > 0 {
		g["max_gen_toks"] = t.MaxTokens
	}
	if len(t.Stop) > 0 {
		g["until"] = t.Stop
	}
	return g
}

// target is the right answer as a sample names it.
func target(key *record.AnswerKey) string {
	if key != nil && key.Target != nil {
		return fmt.Sprint(*key.Target)
	}
	return accuracy.Expected(key)
}
