package spec

import (
	"fmt"
	"slices"
	"strings"

	"assay/unit"
)

// The tasks.
const (
	TextToText        = "text-to-text"
	TextToEmbeddings  = "text-to-embeddings"
	TextToRerank      = "text-to-rerank"
	ImageTextToText   = "image-text-to-text"
	ImageToEmbeddings = "image-to-embeddings"
	TextToImage       = "text-to-image"
	TextToSpeech      = "text-to-speech"
	SpeechToText      = "speech-to-text"
)

// Details says what a scenario leaves open for tasks other than text-to-text.
type Details struct {
	// Documents that a request embeds or ranks; 0 means 1.
	Documents int `json:"documents,omitzero" min:"0" max:"10000"`

	// Tokens of the text beside an image, or of the wish for one; 0 means 32.
	TextTokens int `json:"textTokens,omitzero" min:"0" max:"1000000"`

	// Tokens of an answer about an image; 0 leaves the end to the server.
	OutputTokens int `json:"outputTokens,omitzero" min:"0" max:"1000000"`

	// Who speaks; empty leaves it to the dialect.
	Voice string `json:"voice,omitzero" example:"alloy"`

	// How long each recording lasts that is made to be transcribed.
	Sound unit.Duration `json:"sound,omitzero" min:"0s" max:"10m" example:"5s"`
}

// A task is one kind of work: what asks for it and what shapes it.
type task struct {
	name     string
	apis     []string // that can be asked for it, the default first; nil means all that answer with text
	scenario string   // letters of the scenarios that shape it
	example  string
	text     bool // the answer is text, and has tokens
}

// tasks lists every task.
var tasks = []task{
	{TextToText, nil, "DNU", "D(512,128)", true},
	{TextToEmbeddings, []string{"openai-embeddings", "cohere-embed", "tei-embed"}, "E", "E(256)", false},
	{TextToRerank, []string{"rerank", "cohere-rerank", "tei-rerank"}, "R", "R(256,32)", false},
	{ImageTextToText, []string{"openai-chat", "openai-responses", "azure-openai", "anthropic-messages"}, "I", "I(512,512)", true},
	{ImageToEmbeddings, []string{"openai-embeddings", "cohere-embed"}, "I", "I(512,512)", false},
	{TextToImage, []string{"openai-images"}, "I", "I(1024,1024)", false},
	{TextToSpeech, []string{"openai-speech"}, "A", "A(500)", false},
	{SpeechToText, []string{"openai-transcription"}, "", "", true},
}

func taskNames() []string {
	var list []string
	for _, t := range tasks {
		list = append(list, t.name)
	}
	return list
}

func findTask(name string) (task, bool) {
	i := slices.IndexFunc(tasks, func(t task) bool { return t.name == name })
	if i < 0 {
		return tasks[0], name == ""
	}
	return tasks[i], true
}

// AnswersText reports whether the answers of a task are text, so that they have
// tokens.
func AnswersText(name string) bool {
	t, _ := findTask(name)
	return t.text
}

// speaks reports whether api can be asked for the task. An API that serves other
// tasks alone has no text to give.
func (t task) speaks(api string) bool {
	if t.apis != nil {
		return slices.Contains(t.apis, api)
	}
	return !slices.ContainsFunc(tasks, func(other task) bool {
		return slices.Contains(other.apis, api) && !strings.HasSuffix(other.name, "-text-to-text")
	})
}

// taskMean is how many tokens a request of a task has, as far as planning can
// know it. One stands for none where the task has no tokens of that kind, since
// a mix has no zeros.
func taskMean(w Workload) (input, output int, ok bool) {
	p := w.Prompt
	n := scenarioNumbers(p.Scenario)
	kind, _, _ := strings.Cut(p.Scenario, "(")
	documents, text := max(1, p.Details.Documents), p.Details.TextTokens
	if text == 0 {
		text = 32
	}
	switch {
	case p.Task == SpeechToText, p.Dataset != nil:
		return 1, 1, true
	case kind == "E" && len(n) == 1:
		return n[0] * documents, 1, true
	case kind == "R" && len(n) == 2:
		return n[0]*documents + n[1], 1, true
	case kind == "I" && len(n) >= 2 && p.Task == ImageToEmbeddings:
		return 1, 1, true
	case kind == "I" && len(n) >= 2:
		return text, max(1, p.Details.OutputTokens), true
	case kind == "A" && len(n) == 1:
		return max(1, n[0]/5), 1, true // a word has four letters and a space
	}
	return 0, 0, false
}

// deriveAPI is the usual API of the task.
func deriveAPI(s *RunSpec, note func(string, any)) {
	if t, ok := findTask(s.Workload.Prompt.Task); ok && s.Target != nil && t.apis != nil {
		setValue(&s.Target.API, t.apis[0], "spec.target.api", note)
	}
}

// taskAgrees checks that the target can be asked for the task and that
// something shapes its requests.
func taskAgrees(c *checker) {
	const path = "spec.workload.prompt"
	p := c.run.Spec.Workload.Prompt
	t, known := findTask(p.Task)
	if !known {
		return // reading has said so
	}
	if target := c.run.Spec.Target; target != nil && slices.Contains(Vocabularies["apis"], target.API) && !t.speaks(target.API) {
		want := "another: this one answers with no text"
		if t.apis != nil {
			want = strings.Join(t.apis, ", ")
		}
		c.fail("spec.target.api", fmt.Sprintf("cannot be asked for %s: want %s", t.name, want))
	}
	if t.name == TextToText {
		if p.Details != (Details{}) {
			c.fail(path+".details", "belongs to tasks other than text-to-text")
		}
		return
	}
	if p.Distribution != "fixed" || p.PrefixTokens > 0 || p.PrefixRatio > 0 {
		c.fail(path, "distributions and prefixes shape text-to-text alone")
	}
	detailsAgree(c, t)
	if p.Dataset != nil {
		return
	}
	switch {
	case t.name == SpeechToText && (p.Details.Sound == 0 || len(p.named()) > 0):
		c.fail(path+".details.sound", "says how long recordings are where prompt.dataset names none; speech-to-text has no scenario")
	case t.name != SpeechToText && len(p.named()) == 0:
		c.failGot(path+".scenario", "nothing", fmt.Sprintf("%s needs a scenario such as %s, or a dataset", t.name, t.example))
	}
}

// detailsAgree refuses details that would have no effect.
func detailsAgree(c *checker, t task) {
	p := c.run.Spec.Workload.Prompt
	made := p.Dataset == nil // requests are made, not read
	for _, d := range []struct {
		name  string
		given bool
		use   bool
		of    string
	}{
		{"documents", p.Details.Documents > 0, made && (t.name == TextToEmbeddings || t.name == TextToRerank), "text-to-embeddings and text-to-rerank without a dataset"},
		{"textTokens", p.Details.TextTokens > 0, t.name == ImageTextToText || made && t.name == TextToImage, "image-text-to-text, and text-to-image without a dataset"},
		{"outputTokens", p.Details.OutputTokens > 0, t.name == ImageTextToText, "image-text-to-text"},
		{"voice", p.Details.Voice != "", t.name == TextToSpeech, "text-to-speech"},
		{"sound", p.Details.Sound > 0, made && t.name == SpeechToText, "speech-to-text without a dataset"},
	} {
		if d.given && !d.use {
			c.fail("spec.workload.prompt.details."+d.name, "belongs to "+d.of)
		}
	}
}
