package lint

import (
	"strings"
	"testing"

	"assay/finding"
	"assay/metric"
	"assay/spec"
)

// Counts that differ are told, and how much depends on who chose the tokenizer.
func TestTokenCount(t *testing.T) {
	f := func(kind string, least, most int, server float64, want finding.Severity) {
		t.Helper()
		facts := healthy()
		facts.Plan.Run.Spec.Workload.Tokenizer.Kind = kind
		facts.Estimates.Counts = []metric.Count{{Of: metric.OfPrompt, Requests: 9, Ours: 100, Server: server, Least: least, Most: most}}
		got := Run(facts).Findings
		if finding.Worst(got) != want {
			t.Errorf("%s, %d to %d: %+v, want %q", kind, least, most, got, want)
		}
		if want != "" && (got[0].Check != TokenCount.ID || !strings.HasPrefix(got[0].Message, "rate=50/s: ")) {
			t.Errorf("%s: the message does not say where: %s", got[0].Check, got[0].Message)
		}
	}
	f(spec.TokenizerFile, 0, 0, 100, "")
	f(spec.TokenizerFile, 7, 7, 107, finding.Note)
	f(spec.TokenizerServer, 0, 1, 100.4, finding.Note)
	f(spec.TokenizerFile, 2, 20, 111, finding.Caution)
	f(spec.TokenizerFile, -9, -9, 91, finding.Caution)
	f(spec.TokenizerDefault, 2, 20, 111, "") // it is no model's: that they differ is expected
}
