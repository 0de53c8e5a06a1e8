package lint

import (
	"fmt"

	"assay/finding"
)

// MixedTokenizers fires when the tokens of two bundles are not the same unit.
var MixedTokenizers = Check{
	ID: "mixed-tokenizers", Severity: finding.Void, Pair: true,
	Doc:     "Prompts are as long, and tokens counted, by another tokenizer on each side.",
	When:    "the tokens of a pair are counted by tokenizers of different content or kind",
	Applies: answersText,
	Run:     mixedTokenizers,
}

func mixedTokenizers(f *Facts) Answer {
	a, b := f.Against.tokenizer(), f.tokenizer()
	if a == b {
		return found()
	}
	return found(finding.Finding{
		Severity: finding.Void,
		Message:  fmt.Sprintf("tokens are counted by %s, and the baseline's by %s", b, a),
		Why:      "a token of one vocabulary is not one of another: lengths, throughput and time per token are in two units",
		Fix:      "name one tokenizer for both: spec.workload.tokenizer",
	})
}

// tokenizer names what counts: by its content where that is known, and otherwise by
// its kind, for a server's address says nothing about its vocabulary.
func (f *Facts) tokenizer() string {
	if in := f.Manifest.Inputs.Tokenizer; in != nil && in.Digest != "" {
		return in.Digest
	}
	return "the " + f.Plan.Workload().Tokenizer.Kind + " tokenizer"
}
