package accuracy

import (
	"strings"

	"assay/accuracy/lexical"
)

// textGraders hold an answer against the references, the best of which counts.
var textGraders = []Grader{
	{Name: "exact_match", Doc: "Equal to a reference, spaces at both ends aside.", grade: best(strings.TrimSpace, equal)},
	{Name: "quasi_exact_match", Doc: "Equal to a reference after SQuAD's normalisation: lower case, no punctuation, no articles.", grade: among(lexical.SQuADNormalize, matches(lexical.SQuADExact))},
	{Name: "token_f1", Doc: "F1 of the words that answer and reference share, after SQuAD's normalisation.", grade: among(lexical.SQuADNormalize, lexical.SQuADF1)},
	{Name: "contains", Doc: "A reference occurs in the answer, after SQuAD's normalisation.", grade: best(lexical.SQuADNormalize, contains)},
}

// best is a grader by the reference that fits best.
func best(normal func(string) string, score func(answer, reference string) float64) func(*Answer) (Mark, error) {
	return func(a *Answer) (Mark, error) {
		answer := normal(a.Text)
		mark := Mark{Extracted: answer, Unparsed: answer == ""}
		for _, reference := range a.Key.References {
			mark.Score = max(mark.Score, score(answer, normal(reference)))
		}
		return mark, nil
	}
}

// among is a grader by a score that looks for the best reference itself. The extract is
// what the score sees of the answer.
func among(seen func(string) string, score func(answer string, references []string) float64) func(*Answer) (Mark, error) {
	return func(a *Answer) (Mark, error) {
		answer := seen(a.Text)
		return Mark{Extracted: answer, Unparsed: answer == "", Score: score(a.Text, a.Key.References)}, nil
	}
}

func asIs(text string) string { return text }

func equal(answer, reference string) float64 { return truth(answer == reference) }

func contains(answer, reference string) float64 {
	return truth(reference != "" && strings.Contains(answer, reference))
}

// matches is the score of a comparison that says yes or no.
func matches[R string | []string](match func(answer string, reference R) bool) func(answer string, reference R) float64 {
	return func(answer string, reference R) float64 { return truth(match(answer, reference)) }
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
