package report

import (
	"strings"
	"testing"

	"assay/finding"
	"assay/metric"
	"assay/spec"
)

// Counts that differ are told, and how much depends on who chose the tokenizer.
func TestFindings(t *testing.T) {
	f := func(kind string, least, most int, server float64, want finding.Severity) {
		t.Helper()
		p := example(t).Plan
		p.Run.Spec.Workload.Tokenizer.Kind = kind
		e := metric.Estimates{Counts: []metric.Count{{Of: metric.OfPrompt, Requests: 9, Ours: 100, Server: server, Least: least, Most: most}}}
		got := findings(p, e)
		if finding.Worst(got) != want {
			t.Errorf("%s, %d to %d: %+v, want %q", kind, least, most, got, want)
		}
		if want != "" && !strings.HasPrefix(got[0].Message, "concurrency=1: ") {
			t.Errorf("the message does not say where: %s", got[0].Message)
		}
	}
	f(spec.TokenizerFile, 0, 0, 100, "")
	f(spec.TokenizerFile, 7, 7, 107, finding.Note)
	f(spec.TokenizerServer, 0, 1, 100.4, finding.Note)
	f(spec.TokenizerFile, 2, 20, 111, finding.Caution)
	f(spec.TokenizerFile, -9, -9, 91, finding.Caution)
	f(spec.TokenizerDefault, 2, 20, 111, "") // it is no model's: that they differ is expected
}

func TestTokenizer(t *testing.T) {
	f := func(tok spec.Tokenizer, want string) {
		t.Helper()
		if got := tokenizer(tok); !strings.Contains(got, want) {
			t.Errorf("%+v: %s, want %s", tok, got, want)
		}
	}
	f(spec.Tokenizer{}, "prompts are words")
	f(spec.Tokenizer{Kind: spec.TokenizerDefault}, "no model's")
	f(spec.Tokenizer{Kind: spec.TokenizerServer}, "/tokenize")
	f(spec.Tokenizer{Kind: spec.TokenizerFile, Path: "t.json", Digest: "sha256:1"}, "t.json sha256:1")
}

func TestCountLine(t *testing.T) {
	f := func(least, most int, want string) {
		t.Helper()
		if got := countLine(metric.Count{Requests: 3, Ours: 100, Server: 101.5, Least: least, Most: most}); !strings.HasSuffix(got, want) {
			t.Errorf("%d to %d: %s, want %s", least, most, got, want)
		}
	}
	f(0, 0, "101.5 by the server: the same in each of 3 requests")
	f(7, 7, ": +7 in each of 3 requests")
	f(-1, 4, ": -1 to +4 over 3 requests")
}
