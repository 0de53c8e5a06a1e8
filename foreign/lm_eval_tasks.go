package foreign

import (
	"fmt"

	"assay/bundle"
	"assay/record"
	"assay/spec"
)

// An lmEvalConfig is what a results file says about how a task is graded.
type lmEvalConfig struct {
	Filters []struct {
		Name   string
		Filter []map[string]any
	} `json:"filter_list"`
	Metrics []map[string]any `json:"metric_list"`
}

// splitLMEval parts files of samples from files of results, and reads how the latter grade
// each task. Their scores are not read: they are those of the samples.
func splitLMEval(files []File) (samples []File, tasks map[string]lmEvalConfig, results []File, err error) {
	tasks = map[string]lmEvalConfig{}
	for _, file := range files {
		if lmEvalLines(file.Data[:min(len(file.Data), headBytes)]) {
			samples = append(samples, file)
			continue
		}
		var read struct{ Configs map[string]lmEvalConfig }
		if err := file.JSON(&read, lmEvalWants); err != nil {
			return nil, nil, nil, err
		}
		for name, config := range read.Configs {
			tasks[plainName(name)] = config
		}
		file.Kept = lmEvalSecrets.ReplaceAll(file.Data, []byte("${1}"+bundle.Redacted))
		results = append(results, file)
	}
	return samples, tasks, results, nil
}

// An lmEvalGrading is how lm-eval compares the answers to a task: what graders need beside
// the right answer.
type lmEvalGrading struct {
	filters []record.Filter
	exact   *record.ExactMatch
	graders []string
	note    string // why the filters cannot be applied
}

// grading is how a task is graded by exact_match; nothing where it has no such metric.
func (c lmEvalConfig) grading() (g lmEvalGrading) {
	for _, metric := range c.Metrics {
		if metric["metric"] != "exact_match" {
			continue
		}
		is := func(name string) bool { return metric[name] == true }
		g.exact = &record.ExactMatch{IgnoreCase: is("ignore_case"), IgnorePunctuation: is("ignore_punctuation"), IgnoreNumbers: is("ignore_numbers")}
		patterns, _ := metric["regexes_to_ignore"].([]any)
		for _, pattern := range patterns {
			g.exact.Ignore = append(g.exact.Ignore, fmt.Sprint(pattern))
		}
	}
	if g.exact == nil {
		return lmEvalGrading{}
	}
	for _, f := range c.Filters {
		filter, err := record.ReadFilter(f.Name, f.Filter)
		if err != nil {
			return lmEvalGrading{note: fmt.Sprintf("filter %s is not applied to the answers: %v", f.Name, err)}
		}
		g.filters = append(g.filters, filter)
	}
	g.graders = spec.FilterGraders(len(g.filters))
	if left := len(g.filters) - len(g.graders); left > 0 {
		g.note = fmt.Sprintf("the last %d of %d filters are not applied to the answers: there are graders for %d", left, len(g.filters), len(g.graders))
	}
	return g
}
