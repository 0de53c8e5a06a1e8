package report

import (
	"slices"
	"testing"

	"assay/spec"
	"assay/unit"
)

func TestLengths(t *testing.T) {
	f := func(p spec.Prompt, want string) {
		t.Helper()
		w := spec.Workload{SequenceLengthMix: []spec.SequenceLength{{InputTokens: 5, OutputTokens: 6, Weight: 1}}, DatasetRef: "sha256:1", Prompt: p}
		if got := lengths(w); !slices.Equal(got, []string{want}) {
			t.Errorf("%+v: %q, want %q", p, got, want)
		}
	}
	f(spec.Prompt{Distribution: "fixed"}, "5 tokens in, 6 out, weight 1")
	f(spec.Prompt{Distribution: "normal", Spread: 0.5}, "5 tokens in, 6 out, weight 1; normal with spread 0.5")
	f(spec.Prompt{Scenario: "D(5,6)"}, "D(5,6): about 5 tokens in and 6 out on average")
	f(spec.Prompt{Dataset: &spec.Dataset{}}, "6 tokens out where a row of sha256:1 names none, weight 1")
	f(spec.Prompt{Task: spec.TextToEmbeddings, Scenario: "E(64)", Details: spec.Details{Documents: 8}}, "text-to-embeddings: E(64), 8 documents a request")
	f(spec.Prompt{Scenarios: []string{"D(7,8)"}}, "D(7,8): about 7 tokens in and 8 out on average")
	f(spec.Prompt{Task: spec.TextToEmbeddings, Scenarios: []string{"E(64)"}}, "text-to-embeddings: E(64)")
	f(spec.Prompt{Task: spec.ImageTextToText, Dataset: &spec.Dataset{}}, "image-text-to-text: rows of sha256:1")
	f(spec.Prompt{Task: spec.SpeechToText, Details: spec.Details{Sound: unit.Duration(5e9)}}, "speech-to-text: recordings of 5s")
}
