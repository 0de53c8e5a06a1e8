package report

import (
	"strings"
	"testing"

	"assay/metric"
	"assay/spec"
)

func TestTokenizer(t *testing.T) {
	f := func(tok spec.Tokenizer, want string) {
		t.Helper()
		if got := TokenizerText(tok); !strings.Contains(got, want) {
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
		if got := CountText(metric.Count{Requests: 3, Ours: 100, Server: 101.5, Least: least, Most: most}); !strings.HasSuffix(got, want) {
			t.Errorf("%d to %d: %s, want %s", least, most, got, want)
		}
	}
	f(0, 0, "101.5 by the server: the same in each of 3 requests")
	f(7, 7, ": +7 in each of 3 requests")
	f(-1, 4, ": -1 to +4 over 3 requests")
}
