package accuracy

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"assay/accuracy/lexical"
	"assay/stats"
)

// labelGraders judge answers that name one of several classes, and numbers on a scale. An
// answer that names none is a class of its own, which is never right.
var labelGraders = []Grader{
	{Name: "label", Doc: "The label that the answer begins with, or the only one that it names.", grade: gradeLabel},
	byConfusion("mcc", "Correlation coefficient of Matthews over all answers, as CoLA is scored.", lexical.Confusion.MCC),
	byConfusion("f1", "F1 of the second label, as MRPC and QQP are scored.", func(c lexical.Confusion) float64 { return second(c).F }),
	byConfusion("precision", "Precision of the second label: of the answers that name it, how many are right.", func(c lexical.Confusion) float64 { return second(c).Precision }),
	byConfusion("recall", "Recall of the second label: of the questions whose label it is, how many were answered with it.", func(c lexical.Confusion) float64 { return second(c).Recall }),
	byConfusion("f1_macro", "Mean of the F1 of every label, as CB is scored.", macro),
	byConfusion("f1_micro", "F1 over all answers, as scikit-learn's micro average has it: the share that is right.", func(c lexical.Confusion) float64 { return c.Micro().F }),
	byConfusion("f1_weighted", "Mean of the F1 of every label, weighted by how often it is the right one.", func(c lexical.Confusion) float64 { return c.Weighted().F }),
	{Name: "pearson", Doc: "Correlation of the number in the answer with the right one, as STS-B is scored.", Corpus: correlation, grade: gradeScale},
	{Name: "spearman", Doc: "The same of their ranks.", Corpus: correlation, grade: gradeScale, prepare: rank},
}

var (
	errNoLabels    = errors.New("the question has no labels: want another grader")
	errNoReference = errors.New("the question has no reference: want another grader")
)

// labelOf is the number of the label that an answer names; -1 for none, or several.
func labelOf(text string, labels []string) int {
	said := strings.ToLower(strings.TrimLeft(text, " \t\r\n\"'(*`"))
	best := -1
	for i, label := range labels { // of labels that begin alike the longest
		if beginsWith(said, strings.ToLower(label)) && (best < 0 || len(label) > len(labels[best])) {
			best = i
		}
	}
	if best >= 0 {
		return best
	}
	found := -1
	padded := " " + strings.Join(strings.FieldsFunc(said, func(r rune) bool { return strings.ContainsRune(" \t\r\n.,;:!?\"'()*`", r) }), " ") + " "
	for i, label := range labels {
		if strings.Contains(padded, " "+strings.ToLower(label)+" ") {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}

// beginsWith reports whether text begins with the word or words of prefix.
func beginsWith(text, prefix string) bool {
	rest, ok := strings.CutPrefix(text, prefix)
	if !ok || prefix == "" {
		return false
	}
	return rest == "" || !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789_-", rune(rest[0]))
}

// classes are the right label and the one that the answer names, by number.
func classes(a *Answer) (right, said int, err error) {
	if len(a.Key.Labels) == 0 || len(a.Key.References) == 0 {
		return 0, 0, errNoLabels
	}
	if right = slices.Index(a.Key.Labels, a.Key.References[0]); right < 0 {
		return 0, 0, errNoLabels
	}
	return right, labelOf(a.Text, a.Key.Labels), nil
}

func gradeLabel(a *Answer) (Mark, error) {
	right, said, err := classes(a)
	if err != nil || said < 0 {
		return Mark{Unparsed: err == nil}, err
	}
	return Mark{Extracted: a.Key.Labels[said], Score: truth(right == said)}, nil
}

// byConfusion is a grader by how often each label was taken for each. The counts of k
// labels are k rows of k+1: the last is of answers that name none.
func byConfusion(name, doc string, score func(lexical.Confusion) float64) Grader {
	return Grader{
		Name: name, Doc: doc,
		Corpus: func(sums []float64) float64 { return score(confusion(sums)) },
		grade: func(a *Answer) (Mark, error) {
			right, said, err := classes(a)
			if err != nil {
				return Mark{}, err
			}
			k := len(a.Key.Labels)
			mark := Mark{Stats: make([]float64, k*(k+1)), Score: truth(right == said), Unparsed: said < 0}
			if said < 0 {
				said = k
			} else {
				mark.Extracted = a.Key.Labels[said]
			}
			mark.Stats[right*(k+1)+said] = 1
			return mark, nil
		},
	}
}

// none is the class of answers that name none.
const none = "none"

// confusion is a table of counts, with a class for answers that name none where there are
// any.
func confusion(sums []float64) lexical.Confusion {
	k := int(math.Sqrt(float64(len(sums)))) // the largest with k(k+1) counts
	var c lexical.Confusion
	unnamed := 0.0
	for i := range k {
		c.Classes = append(c.Classes, strconv.Itoa(i))
		c.Counts = append(c.Counts, slices.Clone(sums[i*(k+1):(i+1)*(k+1)]))
		unnamed += sums[i*(k+1)+k]
	}
	if unnamed > 0 {
		c.Classes = append(c.Classes, none)
		c.Counts = append(c.Counts, make([]float64, k+1))
		return c
	}
	for i := range c.Counts {
		c.Counts[i] = c.Counts[i][:k]
	}
	return c
}

// second is the score of the second label, which is what two-way tasks look for.
func second(c lexical.Confusion) lexical.FScore { return c.Of("1") }

// macro leaves out the class of answers that name none, which is nobody's label.
func macro(c lexical.Confusion) float64 {
	labels := slices.DeleteFunc(slices.Clone(c.Classes), func(class string) bool { return class == none })
	return c.Macro(labels).F
}

// gradeScale reads a number and compares it with the right one. An answer without a number
// cannot be correlated: it is left out, and counted as unparsed.
func gradeScale(a *Answer) (Mark, error) {
	if len(a.Key.References) == 0 {
		return Mark{}, errNoReference
	}
	right, err := strconv.ParseFloat(a.Key.References[0], 64)
	if err != nil {
		return Mark{}, errNoReference
	}
	found, _ := firstOf(mlperfLast)(a.Text)
	said, err := strconv.ParseFloat(withoutCommas(found), 64)
	if err != nil {
		return Mark{Unparsed: true, Why: "no number"}, nil
	}
	return Mark{Extracted: found, Score: truth(said == right), Stats: lexical.Moments(said, right)}, nil
}

// correlation is Pearson's; 0 where one side does not vary.
func correlation(sums []float64) float64 {
	value := lexical.Correlation(sums)
	if math.IsNaN(value) {
		return 0
	}
	return value
}

// rank replaces the numbers of all grades of one system at a point by their ranks. Intervals
// draw from these ranks and do not rank what was drawn again.
func rank(rows []Grade) {
	var kept []int
	for i, row := range rows {
		if row.Stats != nil {
			kept = append(kept, i)
		}
	}
	where := func(i int) side { return side{rows[i].Side, rows[i].Point} }
	slices.SortStableFunc(kept, func(a, b int) int {
		return cmp.Or(cmp.Compare(rows[a].Side, rows[b].Side), cmp.Compare(rows[a].Point, rows[b].Point))
	})
	for len(kept) > 0 {
		end := 1
		for end < len(kept) && where(kept[end]) == where(kept[0]) {
			end++
		}
		xs, ys := make([]float64, end), make([]float64, end)
		for i, at := range kept[:end] {
			xs[i], ys[i] = rows[at].Stats[1], rows[at].Stats[2]
		}
		xs, ys = stats.Ranks(xs), stats.Ranks(ys)
		for i, at := range kept[:end] {
			rows[at].Stats = lexical.Moments(xs[i], ys[i])
		}
		kept = kept[end:]
	}
}
