package pairwise

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"assay/accuracy"
	"assay/accuracy/scorer"
	"assay/record"
	"assay/spec"
)

// judge is a chat endpoint that decides by the text of the two answers.
func judge(t *testing.T, decide func(a, b string, seed float64) string) scorer.Chat {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Seed     float64
			Messages []struct{ Content string }
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		between := func(name string) string {
			_, rest, _ := strings.Cut(asked.Messages[0].Content, "["+name+"]\n")
			text, _, _ := strings.Cut(rest, "\n[end of "+name+"]")
			return text
		}
		said := decide(between("answer A"), between("answer B"), asked.Seed)
		if said == "" {
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return
		}
		content, err := json.Marshal(said)
		if err != nil {
			t.Error(err)
		}
		fmt.Fprintf(w, `{"model": "judge-7b", "choices": [{"message": {"content": %s}}]}`, content)
	}))
	t.Cleanup(server.Close)
	chat, err := scorer.NewChat(spec.Scorer{Name: "judge", URL: server.URL, Model: "judge-7b"}.Settled(), scorer.Environment{})
	if err != nil {
		t.Fatal(err)
	}
	return chat
}

func pairs(list ...[2]string) (all []Pair) {
	for i, p := range list {
		all = append(all, Pair{Task: "t", Item: fmt.Sprint(i), Prompt: "q", First: p[0], Second: p[1]})
	}
	return all
}

// longer prefers the longer answer.
func longer(a, b string, _ float64) string {
	switch {
	case len(a) > len(b):
		return "A says more.\n**Verdict: A**"
	case len(a) < len(b):
		return "Verdict: [[B]]"
	}
	return "Verdict: tie"
}

// A judge that goes by the content gives each pair to the same system in both orders.
func TestJudgeByContent(t *testing.T) {
	t.Parallel()
	r, err := Judge{Chat: judge(t, longer), Repeat: 2}.Compare(t.Context(), pairs([2]string{"aaa", "b"}, [2]string{"aaa", "b"}, [2]string{"a", "bbb"}, [2]string{"aa", "bb"}), 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if r.First != 2 || r.Second != 1 || r.Ties != 1 || r.Swapped != 0 || r.WinRate.Value != 2.5/4 || r.FirstPlace.Value != 0.5 || *r.SelfAgreement != 1 {
		t.Errorf("got %+v", r)
	}
	if want := "pairwise model:judge-7b template:" + scorer.TemplateHash(usual); r.Signature != want {
		t.Errorf("signature %q; want %q", r.Signature, want)
	}
}

// A judge that goes by the place wins nobody anything, and is found out.
func TestJudgeByPlace(t *testing.T) {
	t.Parallel()
	chat := judge(t, func(string, string, float64) string { return "Verdict: A" })
	r, err := Judge{Chat: chat}.Compare(t.Context(), pairs([2]string{"aaa", "b"}, [2]string{"a", "bbb"}), 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if r.First+r.Second != 0 || r.Ties != 2 || r.Swapped != 2 || r.WinRate.Value != 0.5 || r.FirstPlace.Value != 1 || r.SelfAgreement != nil {
		t.Errorf("got %+v", r)
	}
}

// What cannot be read and what failed are counted apart, and a judge that wavers does not
// agree with itself.
func TestJudgeUndecided(t *testing.T) {
	t.Parallel()
	chat := judge(t, func(a, b string, seed float64) string {
		switch {
		case strings.Contains(a+b, "mute"):
			return "Both have their merits."
		case strings.Contains(a+b, "down"):
			return ""
		case strings.Contains(a+b, "odd") && seed == 3:
			return "Verdict: tie"
		}
		return longer(a, b, seed)
	})
	r, err := Judge{Chat: chat, Repeat: 3, Width: 5}.Compare(t.Context(), pairs([2]string{"mute", "b"}, [2]string{"down", "b"}, [2]string{"odd one", "b"}), 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if r.Unparsed != 1 || r.Failed != 1 || r.First != 1 || r.WinRate.N != 1 || math.Abs(*r.SelfAgreement-1./3) > 1e-12 {
		t.Errorf("got %+v", r)
	}
	if !strings.Contains(r.Rows[0].Why, "Both have their merits") || !strings.Contains(r.Rows[1].Why, "503") {
		t.Errorf("rows %+v", r.Rows)
	}
	if _, err := (Judge{Chat: chat}).Compare(t.Context(), pairs([2]string{"down", "b"}), 0.95); err == nil || !strings.Contains(err.Error(), "decided none of 1 pairs") {
		t.Errorf("got %v", err)
	}
	if _, err := (Judge{Chat: chat}).Compare(t.Context(), nil, 0.95); err != ErrNothing {
		t.Errorf("got %v", err)
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]Verdict{
		"Verdict: A": First, "verdict: b.": Second, "**Verdict:** tie": Tie, "Verdict: Answer B": Second, "Verdict: [[A]]": First,
		"Verdict: A would be wrong.\nVerdict: B": Second, "A": Unparsed, "": Unparsed, "Verdict: neither": Unparsed, "Verdict: about": Unparsed,
	} {
		if got := parse(text); got != want {
			t.Errorf("parse(%q) = %s; want %s", text, got, want)
		}
	}
}

// Pairs are the questions that both answered, put in the same words.
func TestPairs(t *testing.T) {
	answer := func(item, prompt, text string, state accuracy.State) accuracy.Answer {
		return accuracy.Answer{Task: "t", Item: item, Prompt: prompt, Text: text, State: state, Key: &record.AnswerKey{References: []string{"r"}}}
	}
	first := []accuracy.Answer{answer("1", "q", "a1", accuracy.Answered), answer("1", "q", "again", accuracy.Answered), answer("2", "q", "a2", accuracy.Answered), answer("3", "q", "a3", accuracy.Answered), answer("4", "q", "", accuracy.Failed)}
	second := []accuracy.Answer{answer("1", "q", "", accuracy.Failed), answer("1", "q", "b1", accuracy.Truncated), answer("2", "other", "b2", accuracy.Answered), answer("4", "q", "b4", accuracy.Answered)}
	got, alone := Pairs(first, second)
	if len(got) != 1 || got[0].First != "a1" || got[0].Second != "b1" || got[0].Reference != "r" || alone != 3 {
		t.Errorf("got %+v, %d alone", got, alone)
	}
}
