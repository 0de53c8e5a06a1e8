package stats

import (
	"fmt"
	"strings"
)

// An OutlierRule is a way to find the values that stand out.
type OutlierRule struct {
	Beyond string // what a severe value lies beyond, in words
	Fewest int    // values of which it can mark one; of fewer it marks none, whatever they are
	Mark   func([]float64) []Mark

	// chance is the share of normal samples in which it marks a value as severe, by the
	// number of values from 3 to 10; of more it is at most the last.
	chance []float64
}

// The rules. Of three or four values the quartiles lie so far out that no value can be
// three interquartile ranges beyond them: of 0, 0, 0 and x the fence is x itself. The
// median absolute deviation of three is the smaller of the two gaps, and the third value
// stands out where the other gap is a hundred and eighty times as wide.
var (
	MADRule = OutlierRule{
		"far beyond the robust deviation from the median", 3, MADMarks,
		[]float64{.010, .007, .002, .010, .012, .004, .005, .002},
	}
	TukeyRule = OutlierRule{
		"beyond Tukey's outer fences", 5, TukeyMarks,
		[]float64{0, 0, .135, .075, .049, .046, .069, .046},
	}
)

// Chance is how often the rule marks one of n values of a normal sample.
func (r OutlierRule) Chance(n int) float64 {
	if n < r.Fewest {
		return 0
	}
	return r.chance[min(n-3, len(r.chance)-1)]
}

// Outlying marks values by several rules; a value has the worst mark of any. The words
// say what marked values lie beyond, and how often one of as many normal values does.
// What a rule cannot say of so few is left out of both.
func Outlying(xs []float64, rules ...OutlierRule) (marks []Mark, words string) {
	marks = make([]Mark, len(xs))
	var beyond []string
	chance := 0.0
	for _, r := range rules {
		if len(xs) < r.Fewest {
			continue
		}
		for i, mark := range r.Mark(xs) {
			marks[i] = max(marks[i], mark)
		}
		beyond, chance = append(beyond, r.Beyond), chance+r.Chance(len(xs))
	}
	if len(beyond) == 0 {
		return marks, ""
	}
	return marks, fmt.Sprintf("%s, as in up to %.2g %% of %d normal launches", strings.Join(beyond, " or "), 100*chance, len(xs))
}
