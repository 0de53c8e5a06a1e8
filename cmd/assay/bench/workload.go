package bench

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"assay/spec"
	"assay/workload/scenario"
)

// datasetScenario asks for rows as they are.
const datasetScenario = "dataset"

// shapes says what requests look like.
func (m *maker) shapes() {
	p := &m.run.Spec.Workload.Prompt
	list := m.scenarios()
	switch {
	case p.Dataset != nil:
		m.rows(list)
	case slices.Contains(list, datasetScenario):
		m.fail("--traffic-scenario dataset: got no data set, want --dataset-path")
	case len(list) == 0 && p.Task == spec.SpeechToText:
		m.fail("--dataset-path: speech-to-text is not among genai-bench's tasks and has no scenario: want a folder of recordings")
	case len(list) > 0:
		p.Scenarios = list
	case m.v.text("genai-bench-sweep") != "":
		p.Scenarios = scenario.Defaults(p.Task)
	default:
		p.Scenarios = scenario.Defaults(p.Task)[:1]
	}
	p.PrefixTokens = int(m.whole("prefix-len"))
	if text := m.v.text("prefix-ratio"); text != "" {
		p.PrefixRatio = m.number("prefix-ratio", text)
	}
	if p.PrefixTokens > 0 && p.PrefixRatio > 0 {
		m.fail("--prefix-ratio: got it beside --prefix-len, want one of them")
	}
}

// scenarios are those that were given, or the one of --input-tokens and
// --output-tokens.
func (m *maker) scenarios() []string {
	list := distinct(m.v.list("traffic-scenario"))
	task := m.run.Spec.Workload.Prompt.Task
	for _, text := range list {
		s, err := scenario.Parse(text)
		switch {
		case err != nil:
			m.fail("--traffic-scenario: %w", err)
		case task != "" && task != spec.SpeechToText && !slices.Contains(s.Tasks(), task):
			m.fail("--traffic-scenario: %s does not shape %s: want one such as %s", text, task, scenario.Defaults(task)[0])
		}
	}
	input, output := m.whole("input-tokens"), m.whole("output-tokens")
	if input == 0 && output == 0 {
		return list
	}
	if len(list) > 0 {
		m.fail("--input-tokens, --output-tokens: got them beside --traffic-scenario, want one or the other")
	}
	if task != spec.TextToText {
		m.fail("--input-tokens, --output-tokens: they shape text-to-text, not %s: want --traffic-scenario %s", task, scenario.Defaults(task)[0])
	}
	return []string{fmt.Sprintf("D(%d,%d)", cmp.Or(input, usualInput), cmp.Or(output, usualOutput))}
}

// What stands in for the one of --input-tokens and --output-tokens that was not given.
const usualInput, usualOutput = 512, 128

// rows asks the rows of a data set as they are. genai-bench also cuts prompts of
// given lengths from them, which is another data set than the one that is named.
func (m *maker) rows(scenarios []string) {
	for _, s := range scenarios {
		if s != datasetScenario {
			m.fail("--traffic-scenario: got %s beside --dataset-path, want dataset: rows are asked as they are, and prompts of given lengths are made", s)
			return
		}
	}
	no := false
	if m.run.Spec.Load.IgnoreEOS == nil {
		m.run.Spec.Load.IgnoreEOS = &no
	}
	if m.run.Spec.Workload.Prompt.Task == spec.TextToText {
		m.note("rows of the data set are asked in an order drawn from the seed, each with the answer length that it names, or at most 128 tokens; genai-bench draws them with replacement and names no length")
	}
}

// whole is a count that an option gives; 0 without it.
func (m *maker) whole(name string) int64 {
	text := m.v.text(name)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		m.fail("--%s: got %q, want a whole number", name, text)
	}
	return n
}

// number is a number that an option gives as text.
func (m *maker) number(name, text string) float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		m.fail("--%s: got %q, want a number", name, text)
	}
	return n
}

// numbers are the values of an option that is repeated; a value may also be
// several, with commas between them. Each that read refuses is a fault.
func numbers[T comparable](m *maker, name, want string, read func(string) (T, bool)) []T {
	var list []T
	for _, value := range m.v.list(name) {
		for text := range strings.SplitSeq(value, ",") {
			n, ok := read(strings.TrimSpace(text))
			if !ok {
				m.fail("--%s: got %q, want %s", name, text, want)
				continue
			}
			list = append(list, n)
		}
	}
	return distinct(list)
}

// counts are numbers of things.
func (m *maker) counts(name string) []int {
	return numbers(m, name, "whole numbers above zero", func(text string) (int, bool) {
		n, err := strconv.Atoi(text)
		return n, err == nil && n > 0
	})
}

// rates are numbers of things in a second.
func (m *maker) rates(name string) []float64 {
	return numbers(m, name, "numbers above zero", func(text string) (float64, bool) {
		n, err := strconv.ParseFloat(text, 64)
		return n, err == nil && n > 0
	})
}

// distinct drops what a list says again: a point is measured once in a launch.
func distinct[T comparable](list []T) []T {
	var kept []T
	for _, item := range list {
		if !slices.Contains(kept, item) {
			kept = append(kept, item)
		}
	}
	return kept
}
