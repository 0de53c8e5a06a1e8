package lexical

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"assay/tests/page"
)

func TestReference(t *testing.T) {
	page.Current(t, "../../docs/reference/text-metrics.md", referencePage())
}

// referencePage is docs/reference/text-metrics.md.
func referencePage() []byte {
	var b bytes.Buffer
	fmt.Fprint(&b, `# Text metrics

How answers are compared with references. Each metric equals one reference implementation:
tests hold every tokenizer, option and statistic against it on 5,000 texts of all scripts, to
1e-9. `+"`make bench-accuracy`"+` compares speed and memory. Made from the table in
accuracy/lexical by `+"`go test ./accuracy/lexical -run TestReference -update`"+`.

| metric | measures | options | equals | differs |
| --- | --- | --- | --- | --- |
`)
	for _, m := range All {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", m.Name, m.Doc, m.Options, m.Equals, m.Differs)
	}
	fmt.Fprint(&b, `
## Signatures

A score of a corpus is quoted with its signature, which names every option. The keys are
sacrebleu's; the last one names assay and the version of its metrics, which is raised
whenever one of them would give another number. `+"`nrefs:var`"+` says that the number of
references varies.

| metric | signature of the default, with one reference |
| --- | --- |
`)
	for _, m := range All {
		if m.Corpus != nil {
			// A table takes bars for its own.
			fmt.Fprintf(&b, "| `%s` | `%s` |\n", m.Name, strings.ReplaceAll(m.Corpus.Signature(1), "|", `\|`))
		}
	}
	fmt.Fprint(&b, `
## Text as Python sees it

Lower case, case folding, white space, words and numbers follow Python's rules, as the
references are written in Python: İ becomes two characters, a final Σ becomes ς, the separators
U+001C to U+001F are white space. Python and Go know different versions of Unicode, so the few
characters that are newer than either of them may be treated differently.
`)
	return b.Bytes()
}
