package accuracy

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"assay/record"
)

// golden reads a file of reference values, which are no part of the repository.
func golden(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "shared", "golden", "accuracy", name))
	if os.IsNotExist(err) {
		t.Skip("no reference values: want shared/golden/accuracy beside the repository")
	}
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// harness names our graders as the reference values do.
var harness = map[string]string{
	"openai": "gsm8k_openai", "lm_eval_strict": "gsm8k_strict", "lm_eval_flexible": "gsm8k_flexible",
	"vllm_sglang": "gsm8k_last_number", "mlperf_mixtral": "gsm8k_mlperf", "helm_final_number": "gsm8k_helm",
}

// Each grader decides as the harness that it is named after.
func TestGSM8KCases(t *testing.T) {
	var cases struct {
		Cases []struct {
			ID           int
			Output, Gold string
			Correct      map[string]float64
		}
	}
	golden(t, "gsm8k_grader_cases.json", &cases)
	for _, c := range cases.Cases {
		for theirs, ours := range harness {
			g, err := Find(ours)
			if err != nil {
				t.Fatal(err)
			}
			row, err := one(g, &Answer{State: Answered, Text: c.Output, Key: &record.AnswerKey{References: []string{c.Gold}}})
			if err != nil {
				t.Fatal(err)
			}
			if *row.Score != c.Correct[theirs] {
				t.Errorf("case %d, %s: got %v for %q (found %q, want %s), the harness says %v", c.ID, ours, *row.Score, c.Output, row.Extracted, c.Gold, c.Correct[theirs])
			}
		}
	}
}

// one is the grade of one answer.
func one(g Grader, a *Answer) (Grade, error) {
	rows, err := g.all([]*Answer{a})
	if err != nil {
		return Grade{}, err
	}
	return rows[0], nil
}
