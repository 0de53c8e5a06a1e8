package accuracy

import (
	"math"
	"strings"
	"testing"

	"assay/record"
)

// The confidence is the share of the likeliest letter among the letters; how far it is
// from what came true is weighed by the answers of each bin.
func TestCalibrationGrader(t *testing.T) {
	letter := func(target int, top map[string]float64) *Answer {
		var list []record.Alternative
		for token, p := range top {
			list = append(list, record.Alternative{Token: token, Logprob: math.Log(p)})
		}
		return &Answer{
			Key:     &record.AnswerKey{Choices: []string{"w", "x", "y", "z"}, Target: &target},
			Replies: []Reply{{Logprobs: &record.Logprobs{Top: [][]record.Alternative{list}}}},
		}
	}
	sure := map[string]float64{"A": .72, " B": .08, "The": .2} // 0.9 of the letters
	answers := []*Answer{
		letter(0, sure), letter(0, sure), letter(1, sure),
		letter(2, map[string]float64{" C": .3, "D": .3}), // 0.5, and the first of equal ones is right
		letter(0, map[string]float64{"The": 1}),          // no letter: left out
	}
	s := score(t, "ece", answers...)
	want := (math.Abs(3*.9-2) + math.Abs(.5-1)) / 4
	if !near(s.Estimate.Value, want) || s.Unparsed != 1 || s.Graded != 5 {
		t.Errorf("got %+v, want %v with one unparsed of five", s, want)
	}
	g, err := Find("ece")
	if err != nil {
		t.Fatal(err)
	}
	if row, err := one(g, answers[2]); err != nil || row.Extracted != "A" || row.Why != "confidence 0.9" || !g.Lower || !strings.HasPrefix(g.Signature(1), "bins:10|") {
		t.Errorf("got %+v, %v", row, err)
	}
}
