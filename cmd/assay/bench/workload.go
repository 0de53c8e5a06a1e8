package bench

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"assay/spec"
)

// usualScenarios are what genai-bench asks where nobody says what.
var usualScenarios = map[string][]string{
	spec.TextToText:        {"N(480,240)/(300,150)", "D(100,100)", "D(100,1000)", "D(2000,200)", "D(7800,200)"},
	spec.ImageTextToText:   {"I(512,512)", "I(1024,512)", "I(2048,2048)"},
	spec.ImageToEmbeddings: {"I(512,512)", "I(1024,512)", "I(2048,2048)"},
	spec.TextToEmbeddings:  {"E(64)", "E(128)", "E(256)", "E(512)", "E(1024)"},
	spec.TextToRerank:      {"R(64,100)", "R(128,100)", "R(256,100)", "R(512,100)", "R(1024,100)", "R(2096,100)", "R(4096,100)"},
	spec.TextToImage:       {"I(512,512)", "I(1024,1024)", "I(1024,1792)"},
	spec.TextToSpeech:      {"A(100)", "A(500)", "A(1000)", "A(2000)", "A(4000)"},
}

// datasetScenario asks for rows as they are.
const datasetScenario = "dataset"

// scenarioForm is a letter and its numbers; the spec knows which letters shape
// which task.
var scenarioForm = regexp.MustCompile(`^[DNUERIA]\([0-9]+(,[0-9]+)*\)(/\([0-9]+,[0-9]+\))?$`)

// shapes says what requests look like.
func (m *maker) shapes() {
	p := &m.run.Spec.Workload.Prompt
	list := distinct(m.v.list("traffic-scenario"))
	for _, s := range list {
		if s != datasetScenario && !scenarioForm.MatchString(s) {
			m.fail("--traffic-scenario: got %q, want one such as %s, without spaces", s, strings.Join(usualScenarios[p.Task], " or "))
		}
	}
	switch {
	case p.Dataset != nil:
		m.rows(list)
	case len(list) > 0 && slices.Contains(list, datasetScenario):
		m.fail("--traffic-scenario dataset: got no data set, want --dataset-path")
	case len(list) == 0 && p.Task == spec.SpeechToText:
		m.fail("--dataset-path: speech-to-text is not among genai-bench's tasks and has no scenario: want a folder of recordings")
	default:
		p.Scenarios = list
		if len(list) == 0 {
			p.Scenarios = usualScenarios[p.Task]
		}
	}
	p.PrefixTokens = int(m.whole("prefix-len"))
	if text := m.v.text("prefix-ratio"); text != "" {
		p.PrefixRatio = m.number("prefix-ratio", text)
	}
	if p.PrefixTokens > 0 && p.PrefixRatio > 0 {
		m.fail("--prefix-ratio: got it beside --prefix-len, want one of them")
	}
}

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
// several, with commas between them.
func (m *maker) numbers(name string) []float64 {
	var list []float64
	for _, value := range m.v.list(name) {
		for text := range strings.SplitSeq(value, ",") {
			list = append(list, m.number(name, strings.TrimSpace(text)))
		}
	}
	return distinct(list)
}

// counts are numbers of things.
func (m *maker) counts(name string) []int {
	var list []int
	for _, n := range m.numbers(name) {
		if n != float64(int(n)) || n < 1 {
			m.fail("--%s: got %s, want whole numbers above zero", name, fmt.Sprint(n))
			continue
		}
		list = append(list, int(n))
	}
	return list
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
