package accuracy

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"assay/tests/page"
)

// The page about graders is what the table says.
func TestReference(t *testing.T) { page.Current(t, "../docs/reference/graders.md", reference()) }

// reference is the page docs/reference/graders.md.
func reference() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `# Graders

The %d graders of answers. Each style of a task has its own ([tasks](tasks.md)); `+"`--grader`"+` and `+"`graders`"+` choose
others, and `+"`assay grade BUNDLE --grader NAME`"+` grades the answers of an old bundle again. The first grader of a task is its score.

A score is the mean over questions unless the grader counts over a *corpus*: then it is made of sums over all answers, and its interval
is drawn from them. A request that failed has no grade. An answer in which a grader finds nothing is wrong and counted as unparsed.

| grader | what it does | reads | score |
| --- | --- | --- | --- |
`, len(All))
	for _, g := range All {
		reads := "text"
		switch {
		case g.Likelihood:
			reads = "probabilities"
		case g.Program:
			reads = "text, run as a program"
		}
		score := "mean"
		if g.Corpus != nil {
			score = "corpus"
		}
		if g.Lower {
			score += ", less is better"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", g.Name, strings.ReplaceAll(g.Doc, "|", `\|`), reads, score)
	}
	return b.Bytes()
}
