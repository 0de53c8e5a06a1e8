package spec

import "slices"

// TaskVersion is that of all styles and graders together. It is raised whenever one of them
// would send another text, or give another score to the same answer.
const TaskVersion = "1"

// A TaskStyle is one way in which a family's questions are put, and what grades the
// answers: the first grader is the score.
type TaskStyle struct {
	Name    string
	Graders []string
}

// gsm8kGraders read the number of an answer, the usual one first.
var gsm8kGraders = []string{"gsm8k_flexible", "gsm8k_strict", "gsm8k_openai", "gsm8k_last_number", "gsm8k_mlperf", "gsm8k_helm"}

// choiceStyles are the ways of asking a multiple choice.
var choiceStyles = []TaskStyle{
	{"letter", []string{"letter"}},
	{"chain-of-thought", []string{"letter"}},
	{"top-logprobs", []string{"top_logprob"}},
	{"hendrycks", []string{"top_logprob"}},
	{"likelihood", []string{"loglikelihood", "loglikelihood_norm", "loglikelihood_bytes"}},
	{"cloze", []string{"loglikelihood_norm", "loglikelihood", "loglikelihood_bytes"}},
	{"cloze-information", []string{"mutual_information", "loglikelihood_norm", "loglikelihood", "loglikelihood_bytes"}},
}

// answerGraders compare a short answer with those of the data set.
var answerGraders = []string{"token_f1", "quasi_exact_match"}

// taskStyles lists the styles of every family, the default first. Package exam knows what
// each of them sends.
var taskStyles = map[string][]TaskStyle{
	FamilyGSM8K:     {{"lm-eval", gsm8kGraders}, {"instruct", gsm8kGraders}},
	FamilyMMLU:      choiceStyles,
	FamilyMMLURedux: choiceStyles,
	FamilyHumanEval: {{"completion", []string{"code"}}, {"instruct", []string{"code"}}},
	FamilyMBPP:      {{"instruct", []string{"code"}}},
	FamilySQuAD:     {{"extract", answerGraders}, {"extract-or-none", []string{"squad2_f1", "squad2_exact"}}},
	FamilyGLUE: {
		{"cola", []string{"mcc", "label"}},
		{"sst2", []string{"label"}},
		{"mrpc", []string{"f1", "label"}},
		{"stsb", []string{"pearson", "spearman"}},
		{"qqp", []string{"f1", "label"}},
		{"mnli", []string{"label"}},
		{"qnli", []string{"label"}},
		{"rte", []string{"label"}},
		{"wnli", []string{"label"}},
	},
	FamilySuperGLUE: {
		{"boolq", []string{"label"}},
		{"cb", []string{"label", "f1_macro"}},
		{"copa", []string{"letter"}},
		{"multirc", []string{"f1", "label"}},
		{"record", answerGraders},
		{"rte", []string{"label"}},
		{"wic", []string{"label"}},
		{"wsc", []string{"label"}},
	},
	FamilyTranslation: {{"translate", []string{"bleu", "chrf", "chrf++", "ter"}}},
	FamilySummary:     {{"summarise", []string{"rougeL", "rouge1", "rouge2", "rougeLsum", "meteor"}}},
	FamilyPerplexity:  {{"echo", []string{"bits_per_byte", "byte_perplexity", "word_perplexity"}}},
	FamilyLMEval: {
		{"generate_until", []string{"lm_eval"}},
		{"multiple_choice", []string{"loglikelihood", "loglikelihood_norm"}},
		{"loglikelihood", []string{"greedy", "perplexity"}},
		{"loglikelihood_rolling", []string{"word_perplexity", "byte_perplexity", "bits_per_byte"}},
	},
	FamilyOwn: append([]TaskStyle{
		{"generate", []string{"exact_match", "quasi_exact_match", "token_f1", "contains"}},
		{"conversation", conversationGraders},
		{"conversation-recorded", conversationGraders},
	}, choiceStyles...),
}

// TaskStyles lists the styles of a family, the default first.
func TaskStyles(family string) []TaskStyle { return taskStyles[family] }

// settle fills in the style of t and its graders.
func (t *Task) settle(path string, note func(string, any)) {
	styles := taskStyles[t.Family]
	if len(styles) == 0 {
		return
	}
	setValue(&t.Style, styles[0].Name, path+".style", note)
	for _, s := range styles {
		if s.Name == t.Style {
			setList(&t.Graders, s.Graders, path+".graders", note)
		}
	}
}

// Graders lists the names of all graders.
func Graders() []string { return slices.Clone(graderNames) }

// filterGraders are those of the filters of a task of lm-eval, in their order.
var filterGraders = []string{"lm_eval", "lm_eval_2", "lm_eval_3", "lm_eval_4"}

// FilterGraders are the graders of a task with so many filters: one for each, and one that
// compares answers as they are where there is none.
func FilterGraders(filters int) []string {
	return slices.Clone(filterGraders[:min(max(1, filters), len(filterGraders))])
}
