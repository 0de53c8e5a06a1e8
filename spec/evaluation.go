package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"assay/unit"
)

// The families of tasks that an evaluation knows.
const (
	FamilyGSM8K       = "gsm8k"
	FamilyMMLU        = "mmlu"
	FamilyMMLURedux   = "mmlu-redux"
	FamilyHumanEval   = "humaneval"
	FamilyMBPP        = "mbpp"
	FamilySQuAD       = "squad"
	FamilyGLUE        = "glue"
	FamilySuperGLUE   = "superglue"
	FamilyTranslation = "translation"
	FamilySummary     = "summarisation"
	FamilyPerplexity  = "perplexity"
	FamilyOwn         = "own"     // questions and answers of a file of your own
	FamilyLMEval      = "lm-eval" // a task of lm-eval, as its YAML describes it
)

// An Evaluation asks questions whose right answers are known, and grades what comes
// back. Nothing is graded while it is measured: graders read the sealed answers, and
// newer ones may read them again.
type Evaluation struct {
	// The tasks.
	Tasks []Task `json:"tasks" required:"true" items:"1"`

	// Models that score the recorded answers, for graders called scorer:NAME/SCORE.
	Scorers []Scorer `json:"scorers,omitzero"`

	// Grade the requests that are timed: load.duration, load.requests and load.warmup hold as in
	// any run, and questions come again when all were asked. Without it every point asks
	// every question once, with no warm-up, and ends with the last answer.
	UnderLoad bool `json:"underLoad,omitzero"`

	// The largest loss of a score that counts as none, absolute: the margin of equivalence
	// and non-inferiority.
	Margin float64 `json:"margin,omitzero" default:"0.01" above:"0" max:"1"`
}

// A Task is questions of one kind, how they are put and how answers are graded. All of
// it is part of what a score means.
type Task struct {
	// The task's name in reports.
	Name string `json:"name" required:"true" pattern:"^[A-Za-z0-9][A-Za-z0-9._/-]{0,99}$" form:"letters, digits, dots, dashes, underscores and slashes" example:"gsm8k"`

	// The kind of task, which says how its file is read.
	Family string `json:"family" required:"true" enum:"evaluationFamilies"`

	// The questions, as NAME@sha256:HEX or sha256:HEX: the content of path.
	DatasetRef string `json:"datasetRef" required:"true" example:"gsm8k@sha256:3730d312f6e3440559ace48831e51066acaca737f6eabec99bccb9e4b3c39d14"`

	// The file or folder of the questions. It is no part of the task's identity: the digest of
	// its content is.
	Path string `json:"path" required:"true" example:"data/gsm8k/test.jsonl"`

	// The part of the dataset, as its publisher names it.
	Split string `json:"split,omitzero" default:"test"`

	// How a question is put, by one of the family's styles. By default the first.
	Style string `json:"style,omitzero"`

	// Worked examples put before each question: the first of fewShotPath, and of the
	// question's own subject where the file has subjects.
	FewShot int `json:"fewShot,omitzero" min:"0" max:"100"`

	// The file or folder of the worked examples.
	FewShotPath string `json:"fewShotPath,omitzero"`

	// The content of fewShotPath, as datasetRef names that of path.
	FewShotRef string `json:"fewShotRef,omitzero"`

	// How often each question is asked: answers that are drawn differ.
	Samples int `json:"samples,omitzero" default:"1" min:"1" max:"10000"`

	// The most questions asked; 0 means all.
	Limit int `json:"limit,omitzero" min:"0" max:"100000000"`

	// The longest answer in tokens; 0 means the style's.
	MaxTokens int `json:"maxTokens,omitzero" min:"0" max:"10000000"`

	// What ends an answer. By default the style's.
	Stop []string `json:"stop,omitzero"`

	// The sampling temperature of this task.
	Temperature float64 `json:"temperature,omitzero" min:"0" max:"2"`

	// How answers are graded. By default the style's graders; the first one is the score.
	Graders []string `json:"graders,omitzero" enum:"graders" or:"^scorer:[A-Za-z0-9._-]+/[^ /:]+(:lower)?$" form:"scorer:NAME/SCORE of a scorer below evaluation.scorers" items:"1"`

	// The least accepted score, from 0 to 1.
	MinScore float64 `json:"minScore,omitzero" min:"0" max:"1"`

	// Of the family own: the fields of a row by what they hold: id, prompt, answer, choices,
	// target, grader, turns, system, cluster, image. A field that is not named has its own name. Of the family translation:
	// the languages, as from and to.
	Fields map[string]string `json:"fields,omitzero"`

	// What the task stands for in a suite of scenarios, as HELM describes one: part of its
	// identity, with instructions that are put before every question.
	Scenario *Scenario `json:"scenario,omitzero"`

	// Of the family own: the prompt, with {{field}} for each field of the row. By default the
	// row's prompt.
	Template string `json:"template,omitzero"`
}

// A Scenario is what a task stands for and how it is adapted, beyond its family and style.
type Scenario struct {
	// The scenario's name, such as mmlu or narrative_qa.
	Name string `json:"name,omitzero"`

	// Its parameters, such as the subject.
	Args map[string]string `json:"args,omitzero" use:"recorded"`

	// How it is adapted, such as generation or multiple_choice_joint. The style is what is done.
	Adapter string `json:"adapter,omitzero" use:"recorded"`

	// Text before every question and its worked examples, with an empty line after it.
	Instructions string `json:"instructions,omitzero"`
}

// Digest names the scenario; none where there is none.
func (s *Scenario) Digest() string {
	if s == nil {
		return ""
	}
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // texts alone
	}
	sum := sha256.Sum256(text)
	return strings.TrimSpace(s.Name + " " + hex.EncodeToString(sum[:4]))
}

// graderNames lists what can grade an answer; package accuracy has one for each.
var graderNames = []string{
	"exact_match", "quasi_exact_match", "token_f1", "contains", "number", "letter",
	"squad2_f1", "squad2_exact", "inspect_exact", "inspect_f1",
	"helm_exact", "helm_quasi_exact", "helm_prefix", "helm_quasi_prefix", "helm_final_number", "helm_f1",
	"gsm8k_openai", "gsm8k_strict", "gsm8k_flexible", "gsm8k_last_number", "gsm8k_mlperf", "gsm8k_helm",
	"loglikelihood", "loglikelihood_norm", "loglikelihood_bytes", "mutual_information", "top_logprob", "ece",
	"code", "lm_eval", "lm_eval_2", "lm_eval_3", "lm_eval_4", "label", "mcc", "f1", "f1_macro", "f1_micro", "f1_weighted", "precision", "recall", "pearson", "spearman",
	"bleu", "chrf", "chrf++", "ter", "rouge1", "rouge2", "rougeL", "rougeLsum", "meteor", "meteor_wordnet",
	"named", "word_perplexity", "byte_perplexity", "token_perplexity", "bits_per_byte", "perplexity", "greedy",
}

// longestDuration is the limit of load.duration: a pass over all questions ends by itself.
const longestDuration = unit.Duration(30 * 24 * time.Hour)

// deriveEvaluation fills what an evaluation does to load: it asks everything once unless
// it is graded under load, and it never forces answers to go on.
func deriveEvaluation(s *RunSpec, note func(string, any)) {
	if s.Evaluation == nil {
		return
	}
	for i := range s.Evaluation.Tasks {
		s.Evaluation.Tasks[i].settle(itemPath("spec.evaluation.tasks", i), note)
	}
	for i := range s.Evaluation.Scorers {
		s.Evaluation.Scorers[i].settle(itemPath("spec.evaluation.scorers", i), note)
	}
	if histories := s.Evaluation.histories(); len(histories) > 0 && s.Workload.Session == nil {
		s.Workload.Session = &Session{From: SessionEvaluation, History: histories[0]}
		note("spec.workload.session.from", SessionEvaluation)
		note("spec.workload.session.history", histories[0])
	}
	if s.Load == nil {
		s.Load = &Load{}
	}
	l := s.Load
	set(&l.IgnoreEOS, false, "spec.load.ignoreEOS", note)
	if !l.KeepAnswers {
		l.KeepAnswers = true
		note("spec.load.keepAnswers", true)
	}
	if s.Evaluation.UnderLoad {
		return
	}
	set(&l.Warmup, Warmup{}, "spec.load.warmup", note)
	set(&l.Calibrate, false, "spec.load.calibrate", note) // times are no part of the question
	setValue(&l.Duration, longestDuration, "spec.load.duration", note)
	if s.Workload.ConcurrencyModel != OpenLoop && l.Stages == nil && l.Search == nil {
		setList(&l.Concurrency, []int{16}, "spec.load.concurrency", note)
	}
}

// evaluationAgrees wants an evaluation to ask text, each task once, and answers to end
// where the model ends them.
func evaluationAgrees(c *checker) {
	s := &c.run.Spec
	if s.Evaluation == nil {
		return
	}
	conversationsAgree(c)
	if s.Workload.Prompt.Dataset != nil {
		c.fail("spec.evaluation", "the questions are the prompts: want no workload.prompt.dataset")
	}
	if s.Load != nil && s.Load.IgnoreEOS != nil && *s.Load.IgnoreEOS {
		c.fail("spec.load.ignoreEOS", "must be false in an evaluation: an answer ends where the model ends it")
	}
	seen := map[string]bool{}
	for i, t := range s.Evaluation.Tasks {
		path := itemPath("spec.evaluation.tasks", i)
		if seen[t.Name] {
			c.fail(path+".name", "is taken by a task above: want each once")
		}
		seen[t.Name] = true
		styleKnown(c, path, t)
		if (t.FewShotPath == "") != (t.FewShotRef == "") {
			c.fail(path+".fewShotRef", "fewShotPath and fewShotRef go together: the reference names the content of the file")
		}
		if t.Converses() && (t.FewShot > 0 || t.Template != "") {
			c.fail(path+".style", "conversations are asked as their file has them: want neither fewShot nor template")
		}
		if t.Family != FamilyOwn && t.Template != "" {
			c.fail(path+".template", "belongs to the family own")
		}
		if t.Family != FamilyOwn && t.Family != FamilyTranslation && len(t.Fields) > 0 {
			c.fail(path+".fields", "belongs to the families own and translation")
		}
	}
}

// styleKnown wants the style to be one of the family's.
func styleKnown(c *checker, path string, t Task) {
	styles := taskStyles[t.Family]
	if t.Style == "" || len(styles) == 0 {
		return
	}
	var names []string
	for _, s := range styles {
		if s.Name == t.Style {
			return
		}
		names = append(names, s.Name)
	}
	c.fail(path+".style", "must be one of "+strings.Join(names, ", ")+" for the family "+t.Family)
}
