package exam

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"assay/spec"
	"assay/tests/page"
)

// The page about tasks is what the tables say.
func TestReference(t *testing.T) { page.Current(t, "../../docs/reference/tasks.md", reference()) }

// reference is the page docs/reference/tasks.md.
func reference() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `# Tasks

What `+"`assay eval`"+` and `+"`spec.evaluation`"+` can ask: %d families, each with its ways of asking. The family
says how a file is read, the style what is sent. Styles of one family give different numbers and rank systems differently, so the style
is part of what a score means. So are the data, the worked examples, stop texts, the temperature, the graders and the scenario: all of it stands beside a score
as its identity, with version %s of all styles and graders, and scores with different identities are not compared.

A style with *probabilities* needs a server that gives them; *echo* needs those of the prompt, over `+"`openai-completions`"+`. The server
is asked for them once before the first question, and refused if it ignores the wish: it would give scores of mere chance.
The graders are in [graders](graders.md), the fields of a task in [benchmarkrun](benchmarkrun.md).
`, len(All), spec.TaskVersion)
	for _, f := range All {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| style | what is sent | tokens | stop | needs | graded by |\n| --- | --- | --- | --- | --- | --- |\n", f.Name, f.Doc)
		for i, s := range f.Styles {
			name := "`" + s.Name + "`"
			if i == 0 {
				name += " (default)"
			}
			fmt.Fprintf(&b, "| %s | %s | %d | %s | %s | %s |\n", name, s.Doc, s.Tokens, stops(s.Stop), needs(s), strings.Join(gradersOf(f.Name, s.Name), ", "))
		}
	}
	b.WriteString(lmEvalSubset)
	return b.Bytes()
}

func gradersOf(family, style string) []string {
	styles := spec.TaskStyles(family)
	return styles[slices.IndexFunc(styles, func(s spec.TaskStyle) bool { return s.Name == style })].Graders
}

func stops(list []string) string {
	var quoted []string
	for _, stop := range list {
		quoted = append(quoted, fmt.Sprintf("`%q`", stop))
	}
	return strings.ReplaceAll(strings.Join(quoted, " "), "|", `\|`)
}

func needs(s Style) string {
	switch {
	case s.Echo:
		return "echo"
	case s.Logprobs > 0 && !s.Chat:
		return fmt.Sprintf("%d probabilities, completions", s.Logprobs)
	case s.Logprobs > 0:
		return fmt.Sprintf("%d probabilities", s.Logprobs)
	}
	return ""
}

const lmEvalSubset = `
## The subset of lm-eval

What is read of a task of lm-eval:

| field | what is done with it |
| --- | --- |
| include | the other file, whose fields this one replaces |
| dataset_path, dataset_kwargs.data_files | a json, jsonl or csv file beside the task; nothing is downloaded |
| test_split, validation_split, training_split, fewshot_split | which of data_files |
| doc_to_text, doc_to_target, doc_to_choice | a column, or a Jinja template that sees the row and nothing else |
| description, target_delimiter, fewshot_delimiter | as in lm-eval |
| output_type | the style; all four |
| generation_kwargs | until, max_gen_toks, temperature, do_sample |
| num_fewshot | with fewshot_config.sampler first_n; a fewShot of the spec takes the first of the split too |
| filter_list | regex (looking around too), take_first, remove_whitespace, lowercase, uppercase; grader lm_eval has the first filter, lm_eval_2 to lm_eval_4 the next ones |
| metric_list | exact_match with its options, acc, acc_norm, acc_bytes, bleu, chrf, ter, perplexity, word_perplexity, byte_perplexity, bits_per_byte |
| task, tag, group, metadata and other names | nothing |

Everything else, Python functions (` + "`!function`" + `) first of all, is refused by name. The digest of such a task is that of its YAML, of what it includes and of its data.
`
