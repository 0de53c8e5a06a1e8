package report

import (
	"fmt"

	"assay/metric"
	"assay/spec"
)

// TokenizerText says what counted tokens.
func TokenizerText(t spec.Tokenizer) string {
	switch t.Kind {
	case "":
		return "none: the run is older than this field, and its prompts are words"
	case spec.TokenizerFile:
		return fmt.Sprintf("%s %s: prompts are built with it and answers counted by it", t.Path, t.Digest)
	case spec.TokenizerServer:
		return "the target's /tokenize, asked before the load: prompts are built by its count"
	}
	return "assay's own, which is no model's: prompts are built with it; the server's counts are the model's"
}

// CountText shows the tokens of a point by both counts.
func CountText(c metric.Count) string {
	more := fmt.Sprintf("%+d in each of", c.Least)
	switch {
	case c.Least == 0 && c.Most == 0:
		more = "the same in each of"
	case c.Least != c.Most:
		more = fmt.Sprintf("%+d to %+d over", c.Least, c.Most)
	}
	return fmt.Sprintf("%.1f counted, %.1f by the server: %s %d requests", c.Ours, c.Server, more, c.Requests)
}
