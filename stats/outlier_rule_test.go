package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// How often a rule errs is measured again, with a seed, so that the words in a report
// hold.
func TestOutlierChance(t *testing.T) {
	const samples = 40_000
	for name, rule := range map[string]OutlierRule{"mad": MADRule, "tukey": TukeyRule} {
		random := rand.New(rand.NewPCG(1, 2))
		for n := 3; n <= 10; n++ {
			marked := 0
			xs := make([]float64, n)
			for range samples {
				for i := range xs {
					xs[i] = random.NormFloat64()
				}
				for _, mark := range rule.Mark(xs) {
					if mark == Severe {
						marked++
						break
					}
				}
			}
			got, want := float64(marked)/samples, rule.Chance(n)
			if math.Abs(got-want) > .005 {
				t.Errorf("%s marks %.3f of the samples of %d, and says %.3f", name, got, n, want)
			}
		}
	}
}

// Three launches show what they can: Tukey's fences nothing, the deviation a launch
// that is far from two close ones.
func TestOutlying(t *testing.T) {
	tests := []struct {
		name  string
		xs    []float64
		rules []OutlierRule
		third Mark
		words string
	}{
		{"three by MAD", []float64{100, 100.3, 200}, []OutlierRule{MADRule}, Severe, "far beyond the robust deviation from the median, as in up to 1 % of 3 normal launches"},
		{"three evenly by MAD", []float64{100, 150, 200}, []OutlierRule{MADRule}, Usual, "far beyond the robust deviation from the median, as in up to 1 % of 3 normal launches"},
		{"three by Tukey", []float64{100, 100, 1e9}, []OutlierRule{TukeyRule}, Usual, ""},
		{"four by Tukey", []float64{100, 100, 1e9, 100}, []OutlierRule{TukeyRule}, Usual, ""},
		{"five by Tukey", []float64{100, 101, 1e9, 102, 103}, []OutlierRule{TukeyRule}, Severe, "beyond Tukey's outer fences, as in up to 14 % of 5 normal launches"},
		{"three by both", []float64{100, 100.3, 200}, []OutlierRule{TukeyRule, MADRule}, Severe, "far beyond the robust deviation from the median, as in up to 1 % of 3 normal launches"},
		{"five by both", []float64{100, 101, 200, 102, 103}, []OutlierRule{TukeyRule, MADRule}, Severe, "beyond Tukey's outer fences or far beyond the robust deviation from the median, as in up to 14 % of 5 normal launches"},
	}
	for _, tt := range tests {
		marks, words := Outlying(tt.xs, tt.rules...)
		if marks[2] != tt.third || words != tt.words {
			t.Errorf("%s: mark %v, %q; want %v, %q", tt.name, marks[2], words, tt.third, tt.words)
		}
	}
}
