package accuracy

import (
	"fmt"
	"testing"

	"assay/record"
)

// Answers to questions are graded as the official script of SQuAD, HELM and inspect_ai
// grade them.
func TestAnswersAgree(t *testing.T) {
	var want struct{ Cases []map[string]any }
	golden(t, "qa_em_f1.json", &want)
	graders := map[string]string{
		"squad_em": "quasi_exact_match", "squad_f1": "token_f1",
		"helm_exact_match": "helm_exact", "helm_quasi_exact_match": "helm_quasi_exact", "helm_quasi_prefix_exact_match": "helm_quasi_prefix", "helm_f1_set": "helm_f1",
		"inspect_exact": "inspect_exact", "inspect_f1": "inspect_f1",
	}
	for _, c := range want.Cases {
		key := &record.AnswerKey{}
		for _, gold := range c["golds"].([]any) {
			key.References = append(key.References, gold.(string))
		}
		for theirs, ours := range graders {
			got := score(t, ours, &Answer{Text: c["prediction"].(string), Key: key}).Estimate.Value
			if right, ok := c[theirs].(float64); !ok || !near(got, right) {
				t.Errorf("%s of %q against %q = %v, want %v", ours, c["prediction"], key.References, got, c[theirs])
			}
		}
	}
}

// What the reference values leave out.
func TestTextGraders(t *testing.T) {
	f := func(grader, text string, want float64, references ...string) {
		t.Helper()
		if got := score(t, grader, &Answer{Text: text, Key: &record.AnswerKey{References: references}}).Estimate.Value; !near(got, want) {
			t.Errorf("%s of %q against %q = %v, want %v", grader, text, references, got, want)
		}
	}
	f("helm_prefix", " Yes, indeed", 1, "No", "Yes")
	f("helm_prefix", "yes, indeed", 0, "Yes")
	f("helm_final_number", "so 1,234 eggs", 1, "1234")
	f("helm_final_number", "that makes ٤٢", 1, "٤٢") // digits of every script, as in Python
	f("helm_final_number", "none", 0, "none")
	f("gsm8k_helm", "so 1,234 eggs", 1, "#### 1,234")

	f("squad2_exact", "The Normans", 1, "normans", "the people")
	f("squad2_f1", "the old Normans", 2./3, "Normans")
	f("squad2_exact", "Unanswerable.", 1, record.Unanswerable)
	f("squad2_f1", "unanswerable", 1, record.Unanswerable)
	f("squad2_f1", "", 1, record.Unanswerable)
	f("squad2_f1", "the a", 1)              // articles are no words
	f("squad2_f1", "unanswerable", 0, "42") // it has an answer
	f("squad2_f1", "42", 0, record.Unanswerable)
	f("squad2_exact", "", 0, "42", "the") // a reference without words does not count
	f("squad2_f1", "", 1, "the")          // unless there is no other
}

// The averages of scikit-learn, with an answer that names no label: it lowers recall and
// is nobody's class.
func TestAverages(t *testing.T) {
	labels := []string{"red", "green", "blue"}
	var answers []*Answer
	for _, pair := range [][2]string{{"red", "red"}, {"red", "green"}, {"green", "green"}, {"green", "green"}, {"green", "nothing"}, {"blue", "red"}} {
		answers = append(answers, &Answer{Text: pair[1], Key: &record.AnswerKey{Labels: labels, References: pair[:1]}})
	}
	for grader, want := range map[string]float64{
		"precision":   2. / 3,
		"recall":      2. / 3,
		"f1":          2. / 3,
		"f1_micro":    3. / 6,
		"f1_macro":    (1./2 + 2./3 + 0) / 3,
		"f1_weighted": (2*(1./2) + 3*(2./3) + 0) / 6,
	} {
		if got := score(t, grader, answers...).Estimate.Value; !near(got, want) {
			t.Errorf("%s = %v, want %v", grader, got, want)
		}
	}
}

// A correlation with a side that does not vary is 0, and a report can still be written.
func TestConstantCorrelation(t *testing.T) {
	var answers []*Answer
	for i := range 3 {
		answers = append(answers, &Answer{Text: "3", Key: &record.AnswerKey{References: []string{fmt.Sprint(i)}}})
	}
	for _, grader := range []string{"pearson", "spearman"} {
		if s := score(t, grader, answers...); s.Estimate.Value != 0 || s.Unavailable != "" {
			t.Errorf("%s = %+v, want 0", grader, s)
		}
	}
}
