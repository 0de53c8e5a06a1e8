package changes

import "testing"

// A score on a scale of its own rises and falls; only a mark from 0 to 1 is right or wrong,
// and better where its grader says so.
func TestScales(t *testing.T) {
	f := func(grader string, before, after float64, want Kind) {
		t.Helper()
		a, b := sides()
		for _, s := range []*Side{&a, &b} {
			s.Report.Tasks[0].Points[0].Scores[0].Grader = grader
			for i := range s.Grades {
				s.Grades[i].Grader = grader
			}
		}
		for i := range a.Grades {
			if a.Grades[i].Item == "lost" {
				a.Grades[i].Score = &before
			}
		}
		for i := range b.Grades {
			if b.Grades[i].Item == "lost" {
				b.Grades[i].Score = &after
			}
		}
		for _, item := range Between(a, b, Filter{}).Items {
			if item.Item == "lost" && item.Kind != want {
				t.Errorf("%s from %g to %g is %s, want %s", grader, before, after, item.Kind, want)
			}
		}
	}
	f("exact_match", 1, 0, Lost)
	f("token_f1", .4, .5, Gained)
	f("token_perplexity", 12, 9, Fell)
	f("token_perplexity", .4, .5, Rose)
	f("scorer:judge/score", .4, .5, Gained)
	f("scorer:judge/score", -3.5, -2, Rose)
	f("scorer:judge/loss:lower", .4, .5, Lost)
}
