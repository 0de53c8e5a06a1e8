package spec

import (
	"slices"
	"strings"
	"time"

	"assay/unit"
)

// The kinds of scorers.
const (
	ScorerProtocol = "protocol" // speaks assay's protocol of scorers: a batch of answers in, scores out
	ScorerVQA      = "vqascore" // a chat endpoint that sees images and gives log-probabilities
	ScorerRubric   = "rubric"   // a chat endpoint that rates each answer
)

// The scales of a rubric.
const (
	ScaleOneToFive = "1-5"
	ScaleYesNo     = "yes-no"
)

// A Scorer is a model that scores answers once they are recorded: a program or an address
// of one's own, or a chat endpoint as a judge. Nothing is scored while it is measured.
type Scorer struct {
	// The scorer's name. A task asks for one of its scores as the grader scorer:NAME/SCORE, and as
	// scorer:NAME/SCORE:lower where less is better.
	Name string `json:"name" required:"true" pattern:"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$" form:"letters, digits, dots, dashes and underscores" example:"bertscore"`

	// What it speaks: the protocol of scorers, or a chat endpoint that is asked whether an image
	// shows the answer (vqascore) or how good the answer is (rubric).
	Kind string `json:"kind,omitzero" default:"protocol" enum:"scorerKinds"`

	// The program and its arguments, started once; no shell is involved.
	Command []string `json:"command,omitzero" items:"1"`

	// The address that batches are posted to; of a chat endpoint the server's, such as
	// http://127.0.0.1:8000.
	URL string `json:"url,omitzero" example:"http://127.0.0.1:9000/score"`

	// The scores that it gives, by name. By default yes for vqascore and rating for rubric.
	Scores []string `json:"scores,omitzero" items:"1" example:"[f1]"`

	// Answers in a batch; of a chat endpoint requests at a time.
	Batch int `json:"batch,omitzero" default:"16" min:"1" max:"4096"`

	// The longest time for one batch; of a chat endpoint for one request.
	Timeout unit.Duration `json:"timeout,omitzero" default:"5m" above:"0s" max:"1d"`

	// Names of environment variables that the program gets beside PATH, HOME, LANG and TMPDIR.
	Env []string `json:"env,omitzero" example:"[HF_HOME, CUDA_VISIBLE_DEVICES]"`

	// Headers sent to url: text, {env: NAME} or {file: PATH}.
	Headers map[string]Secret `json:"headers,omitzero"`

	// How the connection to url is secured.
	TLS TLS `json:"tls,omitzero"`

	// Of a chat endpoint: the model that judges.
	Model string `json:"model,omitzero"`

	// Of a chat endpoint: what it is asked, with {{prompt}}, {{prediction}} and {{reference}} in
	// their places. By default assay's own words.
	Template string `json:"template,omitzero"`

	// Of a rubric: rated from 1 to 5, or by yes and no.
	Scale string `json:"scale,omitzero" enum:"rubricScales"`

	// Of a rubric: how often each answer is rated. From 2 on, how often the judge agrees with
	// itself is reported.
	Repeat int `json:"repeat,omitzero" default:"1" min:"1" max:"100"`
}

// scorerPrefix begins the names of graders that are scores of a scorer.
const scorerPrefix = "scorer:"

// A ScorerGrader is a grader that reads what a scorer said.
type ScorerGrader struct {
	Scorer, Score string
	Lower         bool // less is better
}

// ParseScorerGrader reads scorer:NAME/SCORE or scorer:NAME/SCORE:lower.
func ParseScorerGrader(name string) (g ScorerGrader, ok bool) {
	rest, ok := strings.CutPrefix(name, scorerPrefix)
	if !ok {
		return g, false
	}
	rest, g.Lower = strings.CutSuffix(rest, ":lower")
	g.Scorer, g.Score, ok = strings.Cut(rest, "/")
	return g, ok && g.Scorer != "" && g.Score != ""
}

// defaultScorerTimeout is long enough for a model to load before its first batch.
const defaultScorerTimeout = unit.Duration(5 * time.Minute)

// Settled is s with its defaults.
func (s Scorer) Settled() Scorer {
	s.settle("", func(string, any) {})
	return s
}

func (s *Scorer) settle(path string, note func(string, any)) {
	setValue(&s.Kind, ScorerProtocol, path+".kind", note)
	setValue(&s.Batch, 16, path+".batch", note)
	setValue(&s.Timeout, defaultScorerTimeout, path+".timeout", note)
	setValue(&s.Repeat, 1, path+".repeat", note)
	switch s.Kind {
	case ScorerVQA:
		setList(&s.Scores, []string{"yes"}, path+".scores", note)
	case ScorerRubric:
		setValue(&s.Scale, ScaleOneToFive, path+".scale", note)
		setList(&s.Scores, []string{"rating"}, path+".scores", note)
	}
}

// Identity is s without what says only where and how it is asked: what its scores mean.
func (s Scorer) Identity() Scorer {
	return Scorer{Name: s.Name, Kind: s.Kind, Scores: s.Scores, Model: s.Model, Template: s.Template, Scale: s.Scale, Repeat: s.Repeat}
}

// scorersAgree wants every scorer to be reachable in one way, and every grader that names
// one to find it.
func scorersAgree(c *checker) {
	e := c.run.Spec.Evaluation
	if e == nil {
		return
	}
	seen := map[string]Scorer{}
	for i, s := range e.Scorers {
		path := itemPath("spec.evaluation.scorers", i)
		if _, taken := seen[s.Name]; taken {
			c.fail(path+".name", "is taken by a scorer above: want each once")
		}
		s = s.Settled()
		seen[s.Name] = s
		s.check(func(field, want string) { c.fail(path+field, want) })
		tlsOf(c, path+".tls", s.TLS)
	}
	for i, t := range e.Tasks {
		for k, name := range t.Graders {
			graderKnown(c, itemPath(itemPath("spec.evaluation.tasks", i)+".graders", k), name, seen)
		}
	}
}

// check speaks of what does not go together.
func (s Scorer) check(fail func(field, want string)) {
	chat := s.Kind == ScorerVQA || s.Kind == ScorerRubric
	switch {
	case chat && (s.URL == "" || len(s.Command) > 0):
		fail(".url", "the kind "+s.Kind+" asks a chat endpoint: want url and no command")
	case (len(s.Command) == 0) == (s.URL == ""):
		fail("", "want exactly one of command and url")
	}
	if s.URL != "" {
		if u, err := parseURL(s.URL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			fail(".url", "want an address such as http://127.0.0.1:9000/score")
		}
	}
	if chat && s.Model == "" {
		fail(".model", "the kind "+s.Kind+" needs the name of the model: it is part of what a score means")
	}
	if !chat && (s.Model != "" || s.Template != "") {
		fail("", "model and template belong to the kinds vqascore and rubric")
	}
	if s.Kind != ScorerRubric && (s.Scale != "" || s.Repeat > 1) {
		fail("", "scale and repeat belong to the kind rubric")
	}
	if len(s.Scores) == 0 {
		fail(".scores", "want the names of the scores that it gives, such as [f1]")
	}
	if len(s.Command) > 0 && (len(s.Headers) > 0 || s.TLS != TLS{}) {
		fail("", "headers and tls belong to url")
	}
	if s.URL != "" && len(s.Env) > 0 {
		fail(".env", "belongs to command: a header takes a variable as {env: NAME}")
	}
}

// Check is the first thing that is wrong with s, as text; empty for nothing.
func (s Scorer) Check() (fault string) {
	s.Settled().check(func(field, want string) {
		if fault == "" {
			fault = strings.TrimPrefix(field+": "+want, ": ")
		}
	})
	return strings.TrimPrefix(fault, ".")
}

// graderKnown wants a grader to be one of assay's, or a score of a scorer of the run.
func graderKnown(c *checker, path, name string, scorers map[string]Scorer) {
	g, ok := ParseScorerGrader(name)
	if !ok {
		return // a grader of assay, or refused when it was read
	}
	s, there := scorers[g.Scorer]
	switch {
	case !there:
		c.fail(path, "names the scorer "+g.Scorer+": want it below spec.evaluation.scorers")
	case !slices.Contains(s.Scores, g.Score):
		c.fail(path, "the scorer "+g.Scorer+" gives "+strings.Join(s.Scores, ", ")+": want one of them")
	}
}
