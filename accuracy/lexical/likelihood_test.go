package lexical

import (
	"math"
	"testing"
)

func TestLikelihood(t *testing.T) {
	l := LikelihoodOf(" two words\n", []float64{-1, -2, -3}) // four pieces, as re.split has it
	if l.Words != 4 || l.Bytes != 11 || l.Tokens != 3 {
		t.Errorf("LikelihoodOf = %+v, want 4 words, 11 bytes, 3 tokens", l)
	}
	other := LikelihoodOf("é", []float64{-2})
	l = Likelihood{l.Log + other.Log, l.Tokens + other.Tokens, l.Words + other.Words, l.Bytes + other.Bytes}
	near(t, "perplexity of a token", l.PerToken(), math.Exp(2))
	near(t, "perplexity of a word", l.PerWord(), math.Exp(8.0/5))
	near(t, "perplexity of a byte", l.PerByte(), math.Exp(8.0/13))
	near(t, "bits per byte", l.BitsPerByte(), 8.0/13/math.Ln2)
	if got := LikelihoodOf("", nil).Words; got != 1 {
		t.Errorf("an empty text has %d words, want 1 as re.split has it", got)
	}
}

func TestCalibrationError(t *testing.T) {
	// Two bins: 0.5 is in the lower. |0.25+0.5-1|/4 + |0.75+1-1|/4.
	got := calibrationError([]float64{0.25, 0.5, 0.75, 1}, []bool{true, false, true, false}, 2)
	near(t, "CalibrationError", got, 0.25)
	near(t, "CalibrationError of perfect answers", calibrationError([]float64{0, 1}, []bool{false, true}, 10), 0)
	if got := calibrationError(nil, nil, 10); !math.IsNaN(got) {
		t.Errorf("CalibrationError without answers = %v, want NaN", got)
	}
}

// TestDivergeIsABound compares lists cut short with the whole distributions.
func TestDivergeIsABound(t *testing.T) {
	base := map[string]float64{"a": math.Log(0.5), "b": math.Log(0.3), "c": math.Log(0.15), "d": math.Log(0.05)}
	other := map[string]float64{"a": math.Log(0.3), "b": math.Log(0.4), "c": math.Log(0.2), "d": math.Log(0.1)}
	whole := 0.0
	for token, p := range base {
		whole += math.Exp(p) * (p - other[token])
	}
	got := Diverge(base, other)
	near(t, "divergence of whole lists", got.KL, whole)
	if got.SameTop {
		t.Error("a and b are the same token")
	}
	cut := Diverge(map[string]float64{"a": base["a"], "b": base["b"]}, map[string]float64{"b": other["b"], "a": other["a"]})
	if cut.KL <= 0 || cut.KL > whole {
		t.Errorf("divergence of lists cut short = %v, want above 0 and at most %v", cut.KL, whole)
	}
	near(t, "unseen in the first", cut.Unseen[0], 0.2)
	near(t, "unseen in the second", cut.Unseen[1], 0.3)
	if same := Diverge(base, base); math.Abs(same.KL) > 1e-12 || !same.SameTop {
		t.Errorf("Diverge of a list and itself = %+v, want 0 and the same token", same)
	}
}

func TestYesProbability(t *testing.T) {
	p, ok := YesProbability([]TokenLogprob{{"Yes", math.Log(0.4)}, {" yes", math.Log(0.2)}, {"No", math.Log(0.3)}})
	if near(t, "yes in two spellings", p, 0.6); !ok {
		t.Error("yes is not found")
	}
	p, ok = YesProbability([]TokenLogprob{{"no", math.Log(0.7)}, {"No", math.Log(0.2)}})
	if near(t, "no in two spellings", p, 0.1); !ok {
		t.Error("no is not found")
	}
	if _, ok := YesProbability([]TokenLogprob{{"Perhaps", 0}}); ok {
		t.Error("perhaps is found to be yes")
	}
}
