package accuracy

import (
	"testing"

	"assay/spec"
)

// Everything that changes what is asked or graded changes what a score means, and nothing
// else does.
func TestIdentity(t *testing.T) {
	base := spec.Task{
		Name: "mine", Family: "gsm8k", Style: "lm-eval", Split: "test", Path: "a.jsonl",
		DatasetRef: "a@sha256:3730d312f6e3440559ace48831e51066", Graders: []string{"gsm8k_strict"}, Samples: 1,
	}
	want := "gsm8k lm-eval; test of sha256:3730d312f6e3; no examples; graded by gsm8k_strict; tasks " + spec.TaskVersion
	if got := Identity(base); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	f := func(other bool, change func(*spec.Task)) {
		t.Helper()
		task := base
		change(&task)
		if got := Identity(task); (got != want) != other {
			t.Errorf("%+v has the identity %s: want another %v", task, got, other)
		}
	}
	f(false, func(t *spec.Task) { t.Name = "theirs" })
	f(false, func(t *spec.Task) { t.Path = "b.jsonl" })
	f(false, func(t *spec.Task) { t.DatasetRef = "sha256:3730d312f6e3440559ace48831e51066" })
	f(false, func(t *spec.Task) { t.MinScore = .5 })
	f(true, func(t *spec.Task) { t.DatasetRef = "a@sha256:111111111111" })
	f(true, func(t *spec.Task) { t.Family = "own" })
	f(true, func(t *spec.Task) { t.Style = "instruct" })
	f(true, func(t *spec.Task) { t.Split = "train" })
	f(true, func(t *spec.Task) { t.Limit = 10 })
	f(true, func(t *spec.Task) { t.FewShot, t.FewShotRef = 5, "sha256:222222222222" })
	f(true, func(t *spec.Task) { t.Template = "{{question}}" })
	f(true, func(t *spec.Task) { t.Fields = map[string]string{"answer": "gold"} })
	f(true, func(t *spec.Task) { t.MaxTokens = 9 })
	f(true, func(t *spec.Task) { t.Stop = []string{"\n"} })
	f(true, func(t *spec.Task) { t.Stop = []string{} })
	f(true, func(t *spec.Task) { t.Temperature = .7 })
	f(true, func(t *spec.Task) { t.Samples = 4 })
	f(true, func(t *spec.Task) { t.Graders = []string{"gsm8k_openai"} })
	f(true, func(t *spec.Task) { t.Scenario = &spec.Scenario{Instructions: "Be brief."} })
}
