package exam

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/record"
	"assay/spec"
	"assay/workload/session"
)

// conversationSheet writes lines to a file and puts them on a sheet.
func conversationSheet(t *testing.T, style string, samples int, lines ...string) (*Sheet, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "talk.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	digest, err := Digest(spec.FamilyOwn, path)
	if err != nil {
		t.Fatal(err)
	}
	return Write(&spec.Evaluation{Tasks: []spec.Task{{Name: "talk", Family: spec.FamilyOwn, Style: style, Path: path, DatasetRef: digest, Samples: samples}}}, 7)
}

// A conversation is one session: a step for each turn and tool, a question for each turn that
// is graded, and what the answers are held against.
func TestConversations(t *testing.T) {
	sheet, err := conversationSheet(t, "conversation", 2,
		`{"id": "a", "group": "trips", "system": "Be short.", "turns": [{"prompt": "Where to?", "graded": false}, {"prompt": "How far?", "answer": ["12", "twelve"], "grader": "number", "think": "250ms"}, {"tool": "map", "result": "left", "takes": "3ms"}, {"answer": "left"}]}`,
		`{"id": "b", "turns": ["One?", "Two?"], "answer": ["1", ["2", "zwei"]]}`,
		`{"id": "c", "prompt": "Alone?", "answer": "yes", "cluster": "x"}`)
	if err != nil {
		t.Fatal(err)
	}
	if !sheet.Converses() || sheet.Sessions() != 6 || sheet.Longest() != 4 || len(sheet.Asks) != 10 {
		t.Fatalf("%d sessions of up to %d steps and %d questions, want 6 of up to 4 and 10", sheet.Sessions(), sheet.Longest(), len(sheet.Asks))
	}
	want := []record.Ask{
		{Item: "a/2", Conversation: "a", Turn: 2, Cluster: "a", Group: "trips", Prompt: "How far?", Key: `{"references":["12","twelve"],"grader":"number"}`},
		{Item: "a/3", Conversation: "a", Turn: 3, Cluster: "a", Group: "trips", Prompt: "left", Key: `{"references":["left"]}`},
		{Item: "b/1", Conversation: "b", Turn: 1, Cluster: "b", Prompt: "One?", Key: `{"references":["1"]}`},
		{Item: "b/2", Conversation: "b", Turn: 2, Cluster: "b", Prompt: "Two?", Key: `{"references":["2","zwei"]}`},
		{Item: "c/1", Conversation: "c", Turn: 1, Cluster: "x", Prompt: "Alone?", Key: `{"references":["yes"]}`},
	}
	for i, w := range want {
		for sample := range 2 {
			at := int32(i + sample*len(want))
			w.ID, w.Task, w.Sample, w.Choice, w.Limit = at, "talk", int32(sample), -1, 512
			if got := sheet.Asks[at]; got != w {
				t.Errorf("question %d is\n%+v, want\n%+v", at, got, w)
			}
		}
	}
	s := sheet.Session(6 + 3) // the second time round, the first session of the second sample
	if s.Name != "a" || s.System != "Be short." || s.Check() != nil {
		t.Errorf("session %+v: %v", s, s.Check())
	}
	if tool := s.Steps[2]; tool.Kind != session.Tool || tool.Takes != 3*time.Millisecond || s.Steps[1].Think != 250*time.Millisecond || s.Steps[3].Text != "" {
		t.Errorf("steps %+v", s.Steps)
	}
	if got := s.Recorded(); got[1] != "12" || got[2] != "left" {
		t.Errorf("taken to have been answered: %q", got)
	}
	var call record.Call
	sheet.Address(&call, 9, 0)
	if call.Ask != nil || *call.Sampling.Seed != 8 {
		t.Errorf("a turn that is not graded asks %v with seed %d, want nothing and 8", call.Ask, *call.Sampling.Seed)
	}
	sheet.Address(&call, 9, 3)
	if call.Ask == nil || *call.Ask != 6 {
		t.Errorf("the last turn asks %v, want question 6", call.Ask)
	}
}

// A file that cannot be played or graded is refused, by line and turn.
func TestConversationsRefused(t *testing.T) {
	f := func(style, line, want string) {
		t.Helper()
		if _, err := conversationSheet(t, style, 1, line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
	f("generate", `{"turns": ["a"], "answer": ["b"]}`, "line 1: the row has turns: want the style conversation")
	f("conversation", `{"turns": []}`, "turns is empty")
	f("conversation", `{"turns": [{"prompt": "a"}]}`, "turn 1: no right answer: want the field answer")
	f("conversation", `{"turns": [{"answer": "a"}]}`, "turn 1: no prompt")
	f("conversation", `{"turns": ["a", "b"], "answer": ["x"]}`, "turn 2: no right answer")
	f("conversation", `{"turns": [{"tool": "x", "result": "r"}, {"answer": "a"}]}`, "turn 1 is a tool")
	f("conversation", `{"turns": [{"prompt": "a", "answer": "b"}, {"tool": "x", "result": "r"}]}`, "turn 2 is a tool and the last")
	f("conversation", `{"turns": [{"prompt": "a", "answer": "b"}, {"tool": "x"}, {"answer": "a"}]}`, "turn 2: the tool x has no result")
	f("conversation", `{"turns": [{"prompt": "a", "graded": false}]}`, "no turn is graded")
	f("conversation", `{"turns": [{"prompt": "a", "answer": "b", "grader": "bleu"}]}`, `turn 1: grader "bleu": want one of exact_match, `)
	f("conversation", `{"turns": [{"prompt": "a", "answer": "b", "think": "long"}]}`, "turn 1: think is long: want a time")
	f("conversation", `{"turns": [{"prompt": "a", "choices": ["x", "y"], "target": 2}]}`, "turn 1: target 2 is none of the 2 choices")
}
