package lexical

import (
	"math"
	"slices"
)

// A Confusion counts labels and predictions, for the scores of classifications that
// scikit-learn defines. What is undefined, such as the precision of a class that nobody
// predicts, is 0.
type Confusion struct {
	Classes []string // every label and every prediction, sorted

	// Counts[i][j] is how often the label is class i and the prediction class j.
	Counts [][]float64
}

// sums are, for each class, how often it is label, prediction, and both.
func (c Confusion) sums() (labels, predictions, both []float64, total float64) {
	labels, predictions, both = make([]float64, len(c.Counts)), make([]float64, len(c.Counts)), make([]float64, len(c.Counts))
	for i, row := range c.Counts {
		both[i] = row[i]
		for j, n := range row {
			labels[i], predictions[j], total = labels[i]+n, predictions[j]+n, total+n
		}
	}
	return labels, predictions, both, total
}

// Of is precision, recall and F1 of one class.
func (c Confusion) Of(class string) FScore {
	labels, predictions, both, _ := c.sums()
	i := slices.Index(c.Classes, class)
	if i < 0 {
		return FScore{}
	}
	return classScore(both[i], predictions[i], labels[i])
}

// Micro is precision, recall and F1 over all pairs.
func (c Confusion) Micro() FScore {
	_, _, both, total := c.sums()
	return classScore(sumOf(both), total, total)
}

// Macro is the mean over some classes, each of which counts the same.
func (c Confusion) Macro(classes []string) FScore {
	return c.mean(classes, func(string) float64 { return 1 / float64(len(classes)) })
}

// Weighted is the mean over all classes, by how often each is the label.
func (c Confusion) Weighted() FScore {
	labels, _, _, total := c.sums()
	return c.mean(c.Classes, func(class string) float64 { return labels[slices.Index(c.Classes, class)] / total })
}

func (c Confusion) mean(classes []string, weight func(class string) float64) (mean FScore) {
	for _, class := range classes {
		w, score := weight(class), c.Of(class)
		mean.Precision += w * score.Precision
		mean.Recall += w * score.Recall
		mean.F += w * score.F
	}
	return mean
}

func classScore(both, predicted, labelled float64) FScore {
	return FScore{ratio(both, predicted), ratio(both, labelled), ratio(2*both, predicted+labelled)}
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

func sumOf(xs []float64) (sum float64) {
	for _, x := range xs {
		sum += x
	}
	return sum
}

// MCC is the correlation coefficient of Matthews, which CoLA uses, for any number of
// classes (Gorodkin, Computational Biology and Chemistry 28, 2004).
func (c Confusion) MCC() float64 {
	labels, predictions, both, total := c.sums()
	cross, ofLabels, ofPredictions := sumOf(both)*total, total*total, total*total
	for i := range labels {
		cross -= labels[i] * predictions[i]
		ofLabels -= labels[i] * labels[i]
		ofPredictions -= predictions[i] * predictions[i]
	}
	return ratio(cross, math.Sqrt(ofLabels*ofPredictions))
}
