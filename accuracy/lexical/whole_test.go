package lexical

import (
	"slices"
	"unicode/utf8"

	"assay/stats"
)

// What the metrics do piece by piece, done for whole lists, so that it can be held against
// the libraries that define it.

// stemOf is the stem of a word as it is written.
func stemOf(word string) string {
	text := Lower(word)
	if utf8.RuneCountInString(word) <= 2 {
		return text
	}
	if len(text) == utf8.RuneCountInString(text) {
		return string(stem([]byte(text)))
	}
	return string(stem([]rune(text)))
}

// confuse counts pairs of labels and predictions, of which there are as many.
func confuse(labels, predictions []string) Confusion {
	classes := slices.Concat(labels, predictions)
	slices.Sort(classes)
	classes = slices.Compact(classes)
	index := make(map[string]int, len(classes))
	counts := make([][]float64, len(classes))
	for i, class := range classes {
		index[class], counts[i] = i, make([]float64, len(classes))
	}
	for i, label := range labels {
		counts[index[label]][index[predictions[i]]]++
	}
	return Confusion{classes, counts}
}

// accuracyOf is the share of predictions that are right.
func accuracyOf(c Confusion) float64 {
	_, _, both, total := c.sums()
	return ratio(sumOf(both), total)
}

func pearson(xs, ys []float64) float64 {
	sums := make([]float64, len(Moments(0, 0)))
	for i := range xs {
		for j, v := range Moments(xs[i], ys[i]) {
			sums[j] += v
		}
	}
	return Correlation(sums)
}

func spearman(xs, ys []float64) float64 { return pearson(stats.Ranks(xs), stats.Ranks(ys)) }

func calibrationError(confidences []float64, right []bool, bins int) float64 {
	sums := make([]float64, 3*bins)
	for i := range confidences {
		for j, v := range Calibrated(confidences[i], right[i], bins) {
			sums[j] += v
		}
	}
	return CalibrationError(sums)
}
