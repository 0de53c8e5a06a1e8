package changes

import (
	"math"
	"testing"

	"assay/accuracy"
	"assay/record"
)

// logprobs are tokens with the same alternatives at each place.
func logprobs(top map[string]float64, tokens ...string) *record.Logprobs {
	l := &record.Logprobs{Tokens: tokens}
	for range tokens {
		var list []record.Alternative
		for token, p := range top {
			list = append(list, record.Alternative{Token: token, Logprob: math.Log(p)})
		}
		l.Top = append(l.Top, list)
	}
	return l
}

func replies(list ...*record.Logprobs) *accuracy.Answer {
	a := &accuracy.Answer{}
	for _, l := range list {
		a.Replies = append(a.Replies, accuracy.Reply{Logprobs: l})
	}
	return a
}

var (
	half  = map[string]float64{"a": .5, "b": .5}
	other = map[string]float64{"a": .25, "b": .75}
	kl    = .5*math.Log(.5/.25) + .5*math.Log(.5/.75)
)

// Places are compared until the answers differ, the first difference among them.
func TestDivergence(t *testing.T) {
	var d Divergence
	d.add(replies(logprobs(half, "a", "a", "b", "c")), replies(logprobs(other, "a", "b", "b", "c"))) // two places
	d.add(replies(logprobs(half, "a", "b")), replies(logprobs(half, "a", "b")))                      // two that are the same
	d.add(replies(nil), replies(logprobs(half, "a")))                                                // not kept
	got := *d.done()
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	near("mean", got.MeanKL, kl/2)
	near("largest", got.MaxKL, kl)
	near("share of the same token", got.SameTop, .5)
	near("unseen", got.UnseenA+got.UnseenB, 0)
	if got.Questions != 2 || got.Positions != 4 {
		t.Errorf("got %d questions and %d positions, want 2 and 4", got.Questions, got.Positions)
	}
	if new(Divergence).done() != nil {
		t.Error("nothing compared is something")
	}
}

// The question that stands before each choice is compared once.
func TestDivergenceOfChoices(t *testing.T) {
	var d Divergence
	a := replies(logprobs(half, "q", "?", "yes", "."), logprobs(half, "q", "?", "no", "."))
	b := replies(logprobs(other, "q", "?", "yes", "."), logprobs(other, "q", "?", "no", "."))
	d.add(a, b)
	if d.Positions != 5 { // q, ?, yes or no, and what follows each of them
		t.Errorf("compared %d positions, want 5", d.Positions)
	}
}

// Tokens that are spelt the same are one: half of a character is as likely as all that
// begin with it.
func TestDivergenceOfHalves(t *testing.T) {
	got := byToken([]record.Alternative{{Token: "\ufffd", Logprob: math.Log(.25)}, {Token: "a", Logprob: math.Log(.5)}, {Token: "\ufffd", Logprob: math.Log(.125)}})
	if math.Abs(math.Exp(got["\ufffd"])-.375) > 1e-12 || len(got) != 2 {
		t.Errorf("got %v", got)
	}
}
