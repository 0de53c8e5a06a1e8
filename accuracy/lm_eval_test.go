package accuracy

import (
	"testing"

	"assay/record"
)

// Filters find what lm-eval's find, and the options of a task decide what is equal.
func TestLMEvalFilters(t *testing.T) {
	key := &record.AnswerKey{
		References: []string{"1200"},
		Filters: []record.Filter{
			{Name: "strict", Steps: []record.FilterStep{{Function: "regex", Pattern: `#### (\-?[0-9\.\,]+)`, Fallback: "[invalid]"}, {Function: "take_first"}}},
			{Name: "flexible", Steps: []record.FilterStep{{Function: "regex", Pattern: `(?<!\w)(?:(-?[$0-9.,]{2,})|(-?[0-9]+))`, Select: -1, Fallback: "[invalid]"}}},
		},
		Exact: &record.ExactMatch{Ignore: []string{",", `\$`}},
	}
	f := func(grader, text string, score float64, extracted string, unparsed bool) {
		t.Helper()
		g, err := Find(grader)
		if err != nil {
			t.Fatal(err)
		}
		row, err := one(g, &Answer{State: Answered, Text: text, Key: key})
		if err != nil || *row.Score != score || row.Extracted != extracted || row.Unparsed != unparsed {
			t.Errorf("%s of %q: got %+v with score %v, %v", grader, text, row, *row.Score, err)
		}
	}
	f("lm_eval", "so #### 1,200 or #### 7", 1, "1,200", false)
	f("lm_eval", "it is 1200", 0, "[invalid]", true)
	f("lm_eval_2", "first 7, then $1,200", 1, "$1,200", false)
	f("lm_eval_2", "x1200", 0, "[invalid]", true) // looking behind sees the letter
	f("lm_eval_2", "none", 0, "[invalid]", true)

	words := &record.AnswerKey{References: []string{"Yes"}, Exact: &record.ExactMatch{IgnoreCase: true, IgnorePunctuation: true},
		Filters: []record.Filter{{Steps: []record.FilterStep{{Function: "remove_whitespace"}, {Function: "uppercase"}}}}}
	key = words
	f("lm_eval", " yes.\n", 1, "YES.", false)
	g, err := Find("lm_eval_2")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := one(g, &Answer{State: Answered, Key: words}); err == nil {
		t.Error("a filter that the task does not have graded something")
	}
}
