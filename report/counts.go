package report

import (
	"bytes"
	"fmt"
	"strings"

	"assay/finding"
	"assay/metric"
	"assay/plan"
	"assay/spec"
)

// findings says what in the report needs eyes.
func findings(p plan.Plan, e metric.Estimates) []finding.Finding {
	var list []finding.Finding
	for _, c := range e.Counts {
		point, _ := p.PointByIndex(c.Point)
		list = append(list, c.Findings(p.Run.Spec.Workload, point.Name)...)
	}
	return list
}

func writeFindings(b *bytes.Buffer, list []finding.Finding) {
	if len(list) > 0 {
		fmt.Fprintln(b)
	}
	for _, f := range list {
		fmt.Fprintf(b, "%s: %s (%s). %s.\n", f.Severity, f.Message, f.Check, sentence(f.Fix))
	}
}

func sentence(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// tokenizer says what counted tokens.
func tokenizer(t spec.Tokenizer) string {
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

// countLine shows the tokens of a point by both counts.
func countLine(c metric.Count) string {
	more := fmt.Sprintf("%+d in each of", c.Least)
	switch {
	case c.Least == 0 && c.Most == 0:
		more = "the same in each of"
	case c.Least != c.Most:
		more = fmt.Sprintf("%+d to %+d over", c.Least, c.Most)
	}
	return fmt.Sprintf("%.1f counted, %.1f by the server: %s %d requests", c.Ours, c.Server, more, c.Requests)
}
