package spec

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Every task can be written down with its example and its usual API, and no
// other than the listed APIs can be asked for it.
func TestTasks(t *testing.T) {
	parse := func(fields string) (*Document, []Fault) {
		return Parse("t.yaml", []byte(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: t}, spec: {workload: {model: m, prompt: {`+fields))
	}
	for _, task := range tasks {
		shape := fmt.Sprintf(`scenario: "%s"`, task.example)
		if task.example == "" {
			shape = "details: {sound: 5s}"
		}
		doc, faults := parse(fmt.Sprintf(`task: %s, %s}}, target: {url: "http://h:1"}}}`, task.name, shape))
		if !Valid(faults) {
			t.Errorf("%s: %v", task.name, faults)
			continue
		}
		resolved, _ := Resolve(*doc.Run)
		api := resolved.Spec.Target.API
		if !task.speaks(api) || (task.apis == nil) != (api == "openai-chat" && task.name == TextToText) {
			t.Errorf("%s is asked of %s", task.name, api)
		}
		for _, api := range task.apis {
			if !slices.Contains(Vocabularies["apis"], api) {
				t.Errorf("%s names %s, which is no API", task.name, api)
			}
		}
		if AnswersText(task.name) != strings.HasSuffix(task.name, "-text") {
			t.Errorf("%s: answers of text %v", task.name, task.text)
		}
	}
}

func TestTaskMean(t *testing.T) {
	f := func(p Prompt, input, output int) {
		t.Helper()
		resolved, _ := Resolve(Run{Spec: RunSpec{Workload: Workload{Model: "m", Prompt: p}}})
		if got, want := resolved.Spec.Workload.SequenceLengthMix, []SequenceLength{{input, output, 1}}; !slices.Equal(got, want) {
			t.Errorf("%+v: mix %v, want %v", p, got, want)
		}
	}
	f(Prompt{Task: TextToEmbeddings, Scenario: "E(64)", Details: Details{Documents: 8}}, 512, 1)
	f(Prompt{Task: TextToRerank, Scenario: "R(64,100)"}, 164, 1)
	f(Prompt{Task: ImageTextToText, Scenario: "I(512,512,2)", Details: Details{OutputTokens: 9}}, 32, 9)
	f(Prompt{Task: ImageToEmbeddings, Scenario: "I(512,512)"}, 1, 1)
	f(Prompt{Task: TextToSpeech, Scenario: "A(100)"}, 20, 1)
	f(Prompt{Task: SpeechToText}, 1, 1)
	f(Prompt{Task: TextToText, Scenario: "D(7,8)"}, 7, 8)
}

// Which tokenizer counts is part of what is asked; where its file lies is not.
func TestTokenizerIdentity(t *testing.T) {
	digest := func(tok Tokenizer) string {
		t.Helper()
		name, err := WorkloadDigest(Run{Spec: RunSpec{Workload: Workload{Model: "m", Tokenizer: tok}}})
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	here := digest(Tokenizer{Path: "here.json", Digest: "sha256:1"})
	if digest(Tokenizer{Path: "there.json", Digest: "sha256:1"}) != here {
		t.Error("the same tokenizer at another place has another digest")
	}
	if digest(Tokenizer{Path: "here.json", Digest: "sha256:2"}) == here || digest(Tokenizer{}) == here {
		t.Error("another tokenizer has the same digest")
	}
}
