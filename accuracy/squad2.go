package accuracy

import (
	"slices"

	"assay/accuracy/lexical"
	"assay/record"
)

// squad2Graders grade as the official script of SQuAD 2.0 does, in which a question may
// have no answer. To say nothing, or the word that the prompt asks for, is to say that.
var squad2Graders = []Grader{
	{Name: "squad2_f1", Doc: "SQuAD 2.0's F1: token_f1, but 1 where neither the answer nor the reference has words, and 0 where one has none. \"unanswerable\" counts as no words.", grade: squad2(lexical.SQuAD2F1)},
	{Name: "squad2_exact", Doc: "SQuAD 2.0's exact match: quasi_exact_match, where \"unanswerable\" and nothing are the same.", grade: squad2(matches(lexical.SQuAD2Exact))},
}

// squad2 grades with the word for no answer taken away. An answer without words is one.
func squad2(score func(answer string, references []string) float64) func(*Answer) (Mark, error) {
	return func(a *Answer) (Mark, error) {
		answer, references := a.Text, a.Key.References
		if lexical.SQuADNormalize(answer) == record.Unanswerable {
			answer = ""
		}
		if slices.Equal(references, []string{record.Unanswerable}) {
			references = nil
		}
		return Mark{Extracted: lexical.SQuADNormalize(answer), Score: score(answer, references)}, nil
	}
}
