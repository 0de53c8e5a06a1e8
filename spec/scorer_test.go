package spec

import (
	"strings"
	"testing"
)

// scored is an evaluation with one scorer, whose fields are those of fields.
func scored(graders []string, fields map[string]any) []patch {
	scorer := map[string]any{"name": "s", "command": []string{"score"}, "scores": []string{"f1"}}
	for name, value := range fields {
		if value == nil {
			delete(scorer, name)
			continue
		}
		scorer[name] = value
	}
	return []patch{{"spec.evaluation", map[string]any{"tasks": []any{with(gsm8kTask(), "graders", graders)}, "scorers": []any{scorer}}}}
}

func TestScorerRules(t *testing.T) {
	own := []string{"scorer:s/f1"}
	tests := []struct {
		name    string
		graders []string
		fields  map[string]any
		path    string
		message string
	}{
		{"two ways", own, map[string]any{"url": "http://127.0.0.1:1"}, ".scorers[0]", "want exactly one of command and url"},
		{"no way", own, map[string]any{"command": nil}, ".scorers[0]", "want exactly one of command and url"},
		{"no address", own, map[string]any{"command": nil, "url": "nowhere"}, ".scorers[0].url", "want an address such as http://127.0.0.1:9000/score"},
		{"nothing scored", own, map[string]any{"scores": nil}, ".scorers[0].scores", "want the names of the scores that it gives, such as [f1]"},
		{"judge without model", []string{"scorer:s/rating"}, map[string]any{"kind": "rubric", "command": nil, "scores": nil, "url": "http://127.0.0.1:1"}, ".scorers[0].model", "the kind rubric needs the name of the model: it is part of what a score means"},
		{"judge by command", []string{"scorer:s/yes"}, map[string]any{"kind": "vqascore", "model": "m", "scores": nil}, ".scorers[0].url", "the kind vqascore asks a chat endpoint: want url and no command"},
		{"template without judge", own, map[string]any{"template": "x"}, ".scorers[0]", "model and template belong to the kinds vqascore and rubric"},
		{"repeat without rubric", own, map[string]any{"repeat": 3}, ".scorers[0]", "scale and repeat belong to the kind rubric"},
		{"headers of a program", own, map[string]any{"headers": map[string]any{"X": "y"}}, ".scorers[0]", "headers and tls belong to url"},
		{"variables of an address", own, map[string]any{"command": nil, "url": "http://127.0.0.1:1", "env": []string{"A"}}, ".scorers[0].env", "belongs to command: a header takes a variable as {env: NAME}"},
		{"unknown scorer", []string{"scorer:t/f1"}, nil, ".tasks[0].graders[0]", "names the scorer t: want it below spec.evaluation.scorers"},
		{"unknown score", []string{"scorer:s/recall:lower"}, nil, ".tasks[0].graders[0]", "the scorer s gives f1: want one of them"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wantFault(t, patched(t, example(t, minimal), scored(tt.graders, tt.fields)...), "A99", "spec.evaluation"+tt.path, tt.message)
		})
	}
}

// A grader that is neither assay's own nor a score of a scorer is refused with both forms.
func TestGradersByName(t *testing.T) {
	for name, want := range map[string]bool{"scorer:s/f1": true, "scorer:s/f1:lower": true, "gsm8k_strict": true, "scorer:s": false, "nonsense": false} {
		_, faults := Parse("spec.yaml", patched(t, example(t, minimal), scored([]string{name}, nil)...))
		refused := strings.Contains(faultText(faults), "scorer:NAME/SCORE")
		if refused == want {
			t.Errorf("grader %s: refused is %v; faults: %s", name, refused, faultText(faults))
		}
	}
}

func faultText(faults []Fault) string {
	var text strings.Builder
	for _, f := range faults {
		text.WriteString(f.Path + ": " + f.Want + "\n")
	}
	return text.String()
}

// Where a scorer runs is no part of what was asked; its model and its words are.
func TestScorerIdentity(t *testing.T) {
	digest := func(fields map[string]any) string {
		t.Helper()
		doc, faults := Parse("spec.yaml", patched(t, example(t, minimal), scored([]string{"scorer:s/f1"}, fields)...))
		if doc.Run == nil {
			t.Fatal(faultText(faults))
		}
		digest, err := WorkloadDigest(*doc.Run)
		if err != nil {
			t.Fatal(err)
		}
		return digest
	}
	judge := map[string]any{"kind": "rubric", "model": "m", "command": nil, "url": "http://127.0.0.1:1"}
	moved := map[string]any{"kind": "rubric", "model": "m", "command": nil, "url": "http://127.0.0.1:2", "batch": 3, "headers": map[string]any{"Authorization": map[string]any{"env": "KEY"}}}
	other := map[string]any{"kind": "rubric", "model": "n", "command": nil, "url": "http://127.0.0.1:1"}
	if digest(judge) != digest(moved) {
		t.Error("another address of the same judge changed the identity")
	}
	if digest(judge) == digest(other) {
		t.Error("another judge left the identity as it was")
	}
}

// Secrets of a scorer are found as those of a target are.
func TestScorerSecrets(t *testing.T) {
	run := Run{Spec: RunSpec{Evaluation: &Evaluation{Scorers: []Scorer{
		{URL: "https://me:hunter2hunter2@127.0.0.1/score", Headers: map[string]Secret{"Authorization": LiteralSecret("Bearer sk-12345678")}},
		{Command: []string{"score", "--api-key", "sk-abcdefgh"}},
	}}}}
	got := strings.Join(Secrets(run), " ")
	for _, want := range []string{"hunter2hunter2", "sk-12345678", "sk-abcdefgh"} {
		if !strings.Contains(got, want) {
			t.Errorf("secrets are %q: want %s among them", got, want)
		}
	}
}
