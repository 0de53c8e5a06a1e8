package gate

import (
	"strings"
	"testing"

	"assay/analysis/compare"
	"assay/analysis/scene"
	"assay/metric"
)

var levels = Levels{Alpha: .05, Power: .8}

func noise(k int, centre, cv float64, seed uint64) []float64 { return scene.Noise(k, centre, cv, seed) }

func TestDecide(t *testing.T) {
	tests := []struct {
		name   string
		q      Question
		want   Verdict
		reason string
	}{
		{"slower by 20 %", Question{Values: compare.Values{A: noise(5, 1, .01, 1), B: noise(5, 1.2, .01, 2)}, Better: metric.Lower, Margin: .05}, Regressed, "significantly worse, and by more than the margin as measured"},
		{"faster by 20 %", Question{Values: compare.Values{A: noise(5, 1, .01, 1), B: noise(5, 1.2, .01, 2)}, Better: metric.Higher, Margin: .05}, NotWorse, "significantly better"},
		{"faster by 20 % beyond what it could see", Question{Values: compare.Values{A: noise(5, 1, .04, 1), B: noise(5, 1.4, .04, 2)}, Better: metric.Higher, Margin: .05}, NotWorse, "significantly better"},
		{"the same", Question{Values: compare.Values{A: noise(5, 1, .01, 1), B: noise(5, 1, .01, 2)}, Better: metric.Lower, Margin: .05}, NotWorse, "shown not to be worse by the margin or more"},
		{"worse by less than the margin", Question{Values: compare.Values{A: noise(8, 1, .005, 1), B: noise(8, 1.03, .005, 2)}, Better: metric.Lower, Margin: .05}, NotWorse, "shown not to be worse by the margin or more"},
		{"worse by about the margin", Question{Values: compare.Values{A: noise(10, 1, .01, 1), B: noise(10, 1.049, .01, 2)}, Better: metric.Lower, Margin: .05}, Inconclusive, "worse throughout, by less or by more than the margin"},
		{"too noisy", Question{Values: compare.Values{A: noise(3, 1, .03, 1), B: noise(3, 1, .03, 2)}, Better: metric.Lower, Margin: .03}, Inconclusive, "cannot see its own threshold"},
		{"too few", Question{Values: compare.Values{A: noise(5, 1, .01, 1), B: noise(2, 1, .01, 2)}, Better: metric.Lower, Margin: .05}, Inconclusive, "want at least 3"},
		{"too few requests", Question{Values: compare.Values{A: noise(5, 1, .01, 1), B: noise(5, 2, .01, 2)}, Better: metric.Lower, Margin: .05, Refused: "too few requests"}, Inconclusive, "too few requests"},
		{"zero", Question{Values: compare.Values{A: []float64{0, 1, 2}, B: []float64{0, 1, 2}}, Better: metric.Lower, Margin: .05}, Inconclusive, "want absoluteMargin"},
		{"paired", Question{Values: compare.Values{A: []float64{1, 2, 3, 4}, B: []float64{1.101, 2.2, 3.3, 4.41}, Paired: true}, Better: metric.Lower, Margin: .05}, Regressed, "significantly worse, and by more than the margin as measured"},
		{"values that never vary", Question{Values: compare.Values{A: []float64{1, 1, 1}, B: []float64{1.2, 1.2, 1.2}}, Better: metric.Lower, Margin: .05}, Regressed, "never vary"},
		{"values that never vary and are the same", Question{Values: compare.Values{A: []float64{1, 1, 1}, B: []float64{1, 1, 1}}, Better: metric.Lower, Margin: .05}, NotWorse, "never vary"},
		{"an absolute margin", Question{Values: compare.Values{A: []float64{0, .1, .2}, B: []float64{5, 5.1, 5.2}}, Better: metric.Lower, Absolute: 1}, Regressed, "significantly worse, and by more than the margin as measured"},
		{"an absolute margin that is kept", Question{Values: compare.Values{A: []float64{0, .1, .2}, B: []float64{.1, .1, .2}}, Better: metric.Lower, Absolute: 1}, NotWorse, "shown not to be worse by the margin or more"},
		{
			"no errors in many requests",
			Question{Values: compare.Values{A: make([]float64, 3), B: make([]float64, 3), TrialsA: []int{900, 900, 900}, TrialsB: []int{900, 900, 900}}, Better: metric.Lower, Absolute: .01},
			NotWorse, "shown not to be worse by the margin or more",
		},
		{
			"no errors in few requests",
			Question{Values: compare.Values{A: make([]float64, 3), B: make([]float64, 3), TrialsA: []int{20, 20, 20}, TrialsB: []int{20, 20, 20}}, Better: metric.Lower, Absolute: .01},
			Inconclusive, "holds everything from an improvement to a loss beyond the margin",
		},
		{
			"errors",
			Question{Values: compare.Values{A: make([]float64, 3), B: []float64{.1, .11, .12}, TrialsA: []int{900, 900, 900}, TrialsB: []int{900, 900, 900}}, Better: metric.Lower, Absolute: .01},
			Regressed, "significantly worse, and by more than the margin as measured",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Decide([]Question{tt.q}, levels)[0]
			if got.Verdict != tt.want || !strings.Contains(got.Reason, tt.reason) {
				t.Errorf("%s because %q (ratio %+v, difference %+v), want %s because of %q", got.Verdict, got.Reason, got.Ratio, got.Difference, tt.want, tt.reason)
			}
		})
	}
}

// TestFamily shows what nine equal metrics cost a tenth: the same figures alarm
// alone and not among ten.
func TestFamily(t *testing.T) {
	one := Question{Key: "one", Values: compare.Values{A: noise(4, 1, .03, 21), B: noise(4, 1.06, .03, 22)}, Better: metric.Lower, Margin: .03}
	alone := Decide([]Question{one}, levels)[0]
	family := []Question{one}
	for i := range uint64(9) {
		family = append(family, Question{Values: compare.Values{A: noise(4, 1, .03, 50+i), B: noise(4, 1, .03, 70+i)}, Better: metric.Lower, Margin: .03})
	}
	among := Decide(family, levels)[0]
	if alone.Verdict != Regressed || among.Verdict != Inconclusive || *alone.P != *among.P || *among.Corrected <= *alone.Corrected {
		t.Errorf("alone %s (p %v), among ten %s (corrected %v)", alone.Verdict, *alone.P, among.Verdict, *among.Corrected)
	}
	if among.Detectable == nil || *among.Detectable <= one.Margin {
		t.Errorf("detectable %v, want more than the margin", among.Detectable)
	}
}
