package lmeval

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"assay/accuracy"
	"assay/record"
	"assay/spec"
)

// A sample is one line: one answer after one filter.
type sample struct {
	DocID      int            `json:"doc_id"`
	Doc        doc            `json:"doc"`
	Target     string         `json:"target"`
	Arguments  map[string]any `json:"arguments"`
	Responses  [][]any        `json:"resps"`
	Filtered   []any          `json:"filtered_resps"`
	Filter     string         `json:"filter"`
	Metrics    []string       `json:"metrics"`
	DocHash    string         `json:"doc_hash"`
	PromptHash string         `json:"prompt_hash"`
	TargetHash string         `json:"target_hash"`

	scores map[string]float64
}

// A doc is the question as the bundle holds it.
type doc struct {
	ID      string            `json:"id"`
	Group   string            `json:"group,omitempty"`
	Cluster string            `json:"cluster,omitempty"`
	Prompt  string            `json:"prompt"`
	Key     *record.AnswerKey `json:"key"`
}

// MarshalJSON implements json.Marshaler: each metric is a field of its own, as lm-eval
// writes it.
func (s sample) MarshalJSON() ([]byte, error) {
	type plain sample
	data, err := json.Marshal(plain(s))
	if err != nil {
		return nil, err
	}
	for _, name := range s.Metrics {
		data = fmt.Appendf(data[:len(data)-1], ",%q:%s}", name, number(s.scores[name]))
	}
	return data, nil
}

func number(v float64) []byte {
	data, err := json.Marshal(v)
	if err != nil { // neither a number nor infinite
		return []byte("null")
	}
	return data
}

// samplesOf are the lines of a task: one for each answer and filter. An answer that never
// came has none.
func samplesOf(t spec.Task, answers []accuracy.Answer, marks []map[string]accuracy.Grade) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for i, a := range answers {
		if a.State == accuracy.Failed || a.State == accuracy.Cut {
			continue
		}
		for _, filter := range filtersOf(t) {
			if err := enc.Encode(sampleOf(i, t, a, marks[i], filter)); err != nil {
				return nil, err
			}
		}
	}
	return b.Bytes(), nil
}

// filtersOf are the filters of a task's graders, each once.
func filtersOf(t spec.Task) (list []string) {
	seen := map[string]bool{}
	for _, grader := range t.Graders {
		if _, filter := metricOf(grader); !seen[filter] {
			seen[filter] = true
			list = append(list, filter)
		}
	}
	return list
}

func sampleOf(number int, t spec.Task, a accuracy.Answer, marks map[string]accuracy.Grade, filter string) sample {
	s := sample{
		DocID: number, Doc: doc{a.Item, a.Group, a.Cluster, a.Prompt, a.Key}, Target: target(a.Key), Filter: filter, Arguments: map[string]any{},
		Metrics: []string{}, Responses: [][]any{}, Filtered: []any{}, PromptHash: digest(a.Prompt), TargetHash: digest(target(a.Key)), scores: map[string]float64{},
	}
	for i, r := range a.Replies {
		if len(a.Replies) == 1 {
			s.Arguments["gen_args_0"] = map[string]any{"arg_0": a.Prompt, "arg_1": generation(t)}
			s.Responses = append(s.Responses, []any{a.Text})
			continue
		}
		context := r.Prompt[:len(r.Prompt)-len(r.Said)]
		s.Arguments[fmt.Sprintf("gen_args_%d", i)] = map[string]any{"arg_0": context, "arg_1": r.Said}
		if value, greedy, err := accuracy.Likelihood(r); err == nil {
			s.Responses = append(s.Responses, []any{[]any{value, greedy}})
			s.Filtered = append(s.Filtered, []any{value, greedy})
		}
	}
	for _, name := range t.Graders {
		metric, of := metricOf(name)
		mark, ok := marks[name]
		if of != filter || !ok || mark.Score == nil {
			continue
		}
		s.Metrics, s.scores[metric] = append(s.Metrics, metric), *mark.Score
		if len(a.Replies) == 1 && len(s.Filtered) == 0 {
			s.Filtered = append(s.Filtered, extracted(mark))
		}
	}
	text, _ := json.Marshal(s.Doc) // texts and numbers always have a JSON form
	s.DocHash = digest(string(text))
	return s
}

// extracted is what a filter found; lm-eval writes this where it found nothing.
func extracted(mark accuracy.Grade) string {
	if mark.Unparsed {
		return "[invalid]"
	}
	return mark.Extracted
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
