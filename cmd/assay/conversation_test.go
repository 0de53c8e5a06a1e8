package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/accuracy"
	"assay/finding"
	"assay/sim"
	"assay/sim/simtest"
	"assay/tests/whole"
)

// conversations are so many of three turns: the second is about the answer to the first, and
// the third about what a tool said.
const conversations = 40

// talk is the file of conversations, and the script of a server that is right about nine of
// ten first turns and half of the last ones. It goes on from what was said to the first turn:
// from a wrong answer it comes to a wrong one. One request in all fails, that of a second turn.
func talk() (file, script string) {
	var questions, answers strings.Builder
	for i := range conversations {
		fmt.Fprintf(&questions, `{"id": "c%[1]d", "turns": [{"prompt": "Case %[1]d: which word?", "answer": "right%[1]dx"}, {"prompt": "Go on.", "answer": "on%[1]d", "grader": "contains"}, {"tool": "lookup", "result": "row %[1]d:", "takes": "1ms"}, {"answer": "%[1]d", "grader": "number"}]}`+"\n", i)
		first := fmt.Sprintf("right%dx", i)
		if i%10 == 0 {
			first = fmt.Sprintf("wrong%dx", i)
		}
		fmt.Fprintf(&answers, `{"prompt": "Case %d:", "text": %q}`+"\n", i, first)
		if i == 7 {
			fmt.Fprintf(&answers, `{"prompt": "right%dx", "fault": "html-500"}`+"\n", i)
		} else {
			fmt.Fprintf(&answers, `{"prompt": "right%[1]dx", "text": "and on%[1]d it goes"}`+"\n", i)
		}
		fmt.Fprintf(&answers, `{"prompt": "wrong%dx", "text": "astray"}`+"\n", i)
		last := fmt.Sprint(i)
		if i%2 == 0 {
			last = "none"
		}
		fmt.Fprintf(&answers, `{"prompt": "row %d:", "text": %q}`+"\n", i, last)
	}
	return questions.String(), answers.String()
}

// converse asks the conversations in a style and returns the bundle and its report.
func converse(t *testing.T, style string, more ...string) (dir string, r accuracy.Report, found []finding.Finding) {
	t.Helper()
	file, script := talk()
	rows, err := sim.ReadScript(strings.NewReader(script))
	if err != nil {
		t.Fatal(err)
	}
	url := simtest.Serve(t, sim.Config{Fixed: &sim.Fixed{}, Script: rows})
	out := t.TempDir()
	path := filepath.Join(out, "talk.jsonl")
	if err := os.WriteFile(path, []byte(file), 0o644); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"eval", url, "--task", "own:" + style + "=" + path, "--quiet", "--json", "-o", filepath.Join(out, "runs")}, more...)
	stdout, stderr, code := call(t, args...)
	if code != exitOK {
		t.Fatalf("eval: exit %d\n%s", code, stderr)
	}
	var read struct {
		Accuracy accuracy.Report
		Findings []finding.Finding
	}
	if err := json.Unmarshal([]byte(stdout), &read); err != nil {
		t.Fatal(err)
	}
	return onlyBundle(t, filepath.Join(out, "runs")), read.Accuracy, read.Findings
}

// wantTurns wants the share of right answers of each turn, and the conversations that have an
// answer to it.
func wantTurns(t *testing.T, p accuracy.Point, shares [3]float64, answered [3]int) {
	t.Helper()
	turns := p.Scores[0].Turns
	if len(turns) != 3 {
		t.Fatalf("%s has %d turns, want 3", p.Name, len(turns))
	}
	for i, turn := range turns {
		if math.Abs(turn.Estimate.Value-shares[i]) > 1e-12 || turn.Conversations != answered[i] || turn.Estimate.Interval.Lo >= turn.Estimate.Interval.Hi {
			t.Errorf("%s: turn %d is %g of %d conversations %v, want %g of %d and an interval", p.Name, turn.Turn, turn.Estimate.Value, turn.Conversations, turn.Estimate.Interval, shares[i], answered[i])
		}
	}
}

// Turns are graded one by one, each conversation is asked once, a turn after one that failed
// is no wrong answer, and worse turns are named. With live history a wrong first answer spoils
// the second; with recorded history it does not.
func TestConversationsByTurn(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	whole, left := float64(conversations), [3]int{conversations, conversations - 1, conversations - 1}
	t.Run("live", func(t *testing.T) {
		t.Parallel()
		dir, r, found := converse(t, "conversation", "--quick", "--concurrency", "1,8")
		for _, p := range r.Tasks[0].Points {
			wantTurns(t, p, [3]float64{36 / whole, 35. / 39, 19. / 39}, left)
			if p.Asked != 3*conversations || p.States[accuracy.Failed] != 2 || p.Items != 3*conversations {
				t.Errorf("%s: %d asked, %d failed, want every turn once and two of them failed", p.Name, p.Asked, p.States[accuracy.Failed])
			}
		}
		i := slices.IndexFunc(found, func(f finding.Finding) bool { return f.Check == "score-falls-by-turn" })
		if i < 0 || !strings.Contains(found[i].Message, "turn 3 scores worse than turn 1") {
			t.Errorf("findings %+v, want the third turn named", found)
		}
		stdout, _, _ := call(t, "grade", dir, "--rows", "--grader", "named")
		for _, want := range []string{`"conversation":"c7","turn":3,`, `not asked: turn 2 failed`} {
			if !strings.Contains(stdout, want) {
				t.Errorf("%q is not among the marks", want)
			}
		}
		turnsShown(t, dir)
	})
	t.Run("recorded", func(t *testing.T) {
		t.Parallel()
		_, r, _ := converse(t, "conversation-recorded", "--quick", "--concurrency", "4")
		wantTurns(t, r.Tasks[0].Points[0], [3]float64{36 / whole, 1, 19. / 39}, left)
	})
	t.Run("under load", func(t *testing.T) {
		t.Parallel()
		_, r, _ := converse(t, "conversation", "--quick", "--concurrency", "4", "--under-load", "--duration", "5s", "--warmup", "1s")
		p := r.Tasks[0].Points[0]
		if first := p.Scores[0].Turns[0]; first.Asked <= conversations || first.Conversations != conversations {
			t.Fatalf("%d of %d conversations in 5 s, want all of them again and again", first.Asked, first.Conversations)
		}
		wantTurns(t, p, [3]float64{36 / whole, 35. / 39, 19. / 39}, left)
	})
}

// turnsShown wants the turns in every format of the report.
func turnsShown(t *testing.T, dir string) {
	t.Helper()
	f := func(want string, args ...string) {
		t.Helper()
		stdout, stderr, code := call(t, append([]string{"report", dir}, args...)...)
		if code != exitOK || !strings.Contains(stdout, want) {
			t.Errorf("report %v: exit %d, %q is not in it\n%s", args, code, want, stderr)
		}
	}
	f("turns of own-conversation", "--all")
	f("score_by_turn.v1,own-conversation,\"named, turn 3\"", "--format", "csv")
	f("Score by turn", "--format", "html")
}

// What cannot be asked in conversations is refused, by name.
func TestConversationsRefused(t *testing.T) {
	t.Parallel()
	file, _ := talk()
	path := filepath.Join(t.TempDir(), "talk.jsonl")
	if err := os.WriteFile(path, []byte(file), 0o644); err != nil {
		t.Fatal(err)
	}
	url := simtest.Serve(t, sim.Config{Fixed: &sim.Fixed{}})
	f := func(want string, args ...string) {
		t.Helper()
		args = append([]string{"eval", url, "--quick", "--quiet", "-o", t.TempDir()}, args...)
		if _, stderr, code := call(t, args...); code == exitOK || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit %d, want %q in\n%s", args, code, want, stderr)
		}
	}
	f("want the style conversation", "--task", "own="+path)
	f("want a chat API", "--task", "own:conversation="+path, "--api", "openai-completions")
	f("need a run each", "--task", "own:conversation="+path, "--task", "own:conversation-recorded="+path)
}
