package accuracy

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"assay/finding"
	"assay/plan"
	"assay/record"
	"assay/spec"
	"assay/stats"
)

// turnGrades are conversations of right and wrong answers, one word for each: r is right, w
// wrong and f failed, as is every turn after it.
func turnGrades(conversations ...string) (rows []Grade) {
	for i, word := range conversations {
		failed := false
		for turn, letter := range word {
			g := Grade{Task: "talk", Conversation: fmt.Sprint(i), Item: fmt.Sprintf("%d/%d", i, turn+1), Cluster: fmt.Sprint(i), Turn: int32(turn + 1), Grader: "exact_match", State: Answered}
			if failed = failed || letter == 'f'; failed {
				g.State = Failed
			} else {
				score := truth(letter == 'r')
				g.Score = &score
			}
			rows = append(rows, g)
		}
	}
	return rows
}

func reportOf(rows []Grade) Report {
	g, _ := Find("exact_match")
	r := Report{Tasks: []Task{{Name: "talk", Points: []Point{{Scores: []Score{scoreOf(g, rows, .95)}}}}}}
	r.settleTurns()
	return r
}

// Each turn has the score of its own answers, and its change only of conversations that have
// both answers.
func TestTurnScores(t *testing.T) {
	r := reportOf(turnGrades("rrw", "rwf", "rrr", "wrw", "frr"))
	turns := r.Tasks[0].Points[0].Scores[0].Turns
	want := []TurnScore{
		{Turn: 1, Conversations: 4, Asked: 5, Failed: 1, Estimate: stats.Estimate{Value: .75}},
		{Turn: 2, Conversations: 4, Asked: 5, Failed: 1, Estimate: stats.Estimate{Value: .75}, Change: &TurnChange{Conversations: 4}},
		{Turn: 3, Conversations: 3, Asked: 5, Failed: 2, Estimate: stats.Estimate{Value: 1. / 3}, Change: &TurnChange{Conversations: 3, Difference: stats.Estimate{Value: -1. / 3}}},
	}
	if len(turns) != len(want) {
		t.Fatalf("%d turns, want %d", len(turns), len(want))
	}
	for i, w := range want {
		got := turns[i]
		if got.Turn != w.Turn || got.Conversations != w.Conversations || got.Asked != w.Asked || got.Failed != w.Failed || math.Abs(got.Estimate.Value-w.Estimate.Value) > 1e-12 {
			t.Errorf("turn %d is %+v, want %+v", w.Turn, got, w)
		}
		if (got.Change == nil) != (w.Change == nil) {
			t.Errorf("turn %d: change %+v, want %+v", w.Turn, got.Change, w.Change)
		} else if c := got.Change; c != nil && (c.From != 1 || c.Conversations != w.Change.Conversations || math.Abs(c.Difference.Value-w.Change.Difference.Value) > 1e-12 || c.Adjusted == nil || *c.Adjusted < c.P) {
			t.Errorf("turn %d: change %+v, want %+v and an adjusted P", w.Turn, c, w.Change)
		}
	}
	if falls := r.Tasks[0].Points[0].Falls(); len(falls) != 0 {
		t.Errorf("one loss of three conversations is taken for a fall: %+v", falls)
	}
	if s := reportOf(nil).Tasks[0].Points[0].Scores[0]; s.Turns != nil {
		t.Errorf("turns of nothing: %+v", s.Turns)
	}
}

// A fall is found and named by its turn; a rise of the same size is none, and a fall of a
// score of which less is better is one upwards.
func TestFallsByTurn(t *testing.T) {
	f := func(word string, lower bool, want string) {
		t.Helper()
		r := reportOf(turnGrades(slices.Repeat([]string{word, "rrr", "www"}, 10)...))
		r.Tasks[0].Points[0].Scores[0].Lower = lower
		i := slices.IndexFunc(r.Findings(), func(f finding.Finding) bool { return f.Check == "score-falls-by-turn" })
		switch {
		case want == "" && i >= 0:
			t.Errorf("%s: %s, want nothing found", word, r.Findings()[i].Message)
		case want != "" && i < 0:
			t.Errorf("%s: nothing found, want %q", word, want)
		case want != "" && !strings.Contains(r.Findings()[i].Message, want):
			t.Errorf("%s: %s, want %q", word, r.Findings()[i].Message, want)
		}
	}
	f("rrw", false, "turn 3 scores worse than turn 1 of the same conversations: turn 3 by -0.333")
	f("rww", false, "turns 2 and 3 score worse")
	f("wrr", false, "")
	f("rww", true, "")
	f("wwr", true, "turn 3 scores worse")
}

// Where no turn is harder than another, at most one report in twenty speaks of a fall,
// however many turns there are.
func TestFallsByChance(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const reports, turns = 600, 8
	found := 0
	for range reports {
		var words []string
		for range 60 {
			able := .2 + .7*rng.Float64() // turns of a conversation are right together
			var word strings.Builder
			for range turns {
				word.WriteByte("wr"[int(truth(rng.Float64() < able))])
			}
			words = append(words, word.String())
		}
		if len(reportOf(turnGrades(words...)).Tasks[0].Points[0].Falls()) > 0 {
			found++
		}
	}
	if share := float64(found) / reports; share > .05 {
		t.Errorf("a fall is found in %.1f %% of reports without one, want at most 5 %%", 100*share)
	}
}

// Every grader that a row may name marks a single answer from 0 to 1.
func TestNamedGraders(t *testing.T) {
	target := 1
	key := func(name string) *record.AnswerKey {
		return &record.AnswerKey{Grader: name, References: []string{"42"}, Choices: []string{"41", "42"}, Target: &target}
	}
	for _, name := range append(spec.NamedGraders(), "") {
		right, err := gradeNamed(&Answer{Text: "42", Key: key(name)})
		if name == "letter" {
			right, err = gradeNamed(&Answer{Text: "B", Key: key(name)})
		}
		if name == "gsm8k_strict" || name == "gsm8k_openai" {
			right, err = gradeNamed(&Answer{Text: "so\n#### 42", Key: key(name)})
		}
		wrong, other := gradeNamed(&Answer{Text: "nothing of the kind", Key: key(name)})
		if err != nil || other != nil || right.Score != 1 || wrong.Score != 0 {
			t.Errorf("%q marks 42 with %v (%v) and another answer with %v (%v), want 1 and 0", name, right.Score, err, wrong.Score, other)
		}
		if g, err := Find(name); name != "" && (err != nil || g.Corpus != nil || g.Lower || g.Unit != "" || g.grade == nil) {
			t.Errorf("%s cannot mark single answers from 0 to 1: %v", name, err)
		}
	}
	if _, err := gradeNamed(&Answer{Text: "42", Key: key("bleu")}); err == nil {
		t.Error("a row may name a grader of whole corpora")
	}
}

// numbers are those of JSON that have a fraction.
var numbers = regexp.MustCompile(`-?\d+\.\d+(e-?\d+)?`)

// The report of some fixed marks is that of this Method. If this fails, other numbers come
// out of the same marks: raise the constant statistics, and then the digest here.
func TestMethodNamesTheStatistics(t *testing.T) {
	const method, digest = "statistics 2, tasks 1", "0971acb1adb03e76"
	rows := turnGrades(slices.Repeat([]string{"rrw", "rwf", "rrr", "wrw", "frr"}, 4)...)
	var answers []Answer
	for i, row := range rows {
		a := Answer{Task: row.Task, Item: row.Item, Conversation: row.Conversation, Cluster: row.Cluster, Turn: row.Turn, Launch: i % 2, State: row.State, Key: &record.AnswerKey{References: []string{"yes"}}, Text: "no"}
		if row.Score != nil && *row.Score == 1 {
			a.Text = "yes"
		}
		answers = append(answers, a)
	}
	e := &spec.Evaluation{Margin: .01, Tasks: []spec.Task{{Name: "talk", Family: spec.FamilyOwn, Style: "conversation", Graders: []string{"exact_match", "token_f1", "bleu"}}}}
	p := plan.Plan{}
	p.Run.Spec.Trials.ConfidenceLevel = .95
	r, _, err := GradeAll(answers, p, e, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	text = numbers.ReplaceAllFunc(text, func(number []byte) []byte { // processors differ in the last digits
		v, err := strconv.ParseFloat(string(number), 64)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Appendf(nil, "%.6g", v)
	})
	sum := sha256.Sum256(text)
	if got := hex.EncodeToString(sum[:8]); r.Method != method || got != digest {
		t.Errorf("method %q gives %s, want %q and %s:\n%s", r.Method, got, method, digest, text)
	}
}
