package scaling

import (
	"strings"
	"testing"
)

// three is a series of one launch each at 512, 1024 and 2048 workers, as published
// results have them.
func three() Study {
	return Study{Kind: Strong, Quantity: Time, Baseline: Smallest, Points: []Point{
		{Workers: 512, Values: []float64{10}}, {Workers: 1024, Values: []float64{5.07}}, {Workers: 2048, Values: []float64{2.9}},
	}}
}

// Without a criterion no law fits best, and the result says so.
func TestNoLawWithoutACriterion(t *testing.T) {
	s := three()
	s.Points[0].Values = append(s.Points[0].Values, 10.1)
	r, err := Analyse(s)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Fits) != 2 {
		t.Fatalf("%d laws, want both", len(r.Fits))
	}
	for _, f := range r.Fits {
		if f.Best || strings.Contains(f.Sentence, "fits best") {
			t.Errorf("%s is called the best without a criterion: %s", f.Law, f.Sentence)
		}
	}
	said := ""
	for _, f := range r.Findings {
		said += f.Message + "\n"
	}
	for _, want := range []string{
		"4 launches cannot choose between Amdahl and Universal Scalability Law",
		"1024 workers give 1.98 times what 512 give: a speed-up as large as the growth of the workers, 2 times,",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not among\n%s", want, said)
		}
	}
}

// A law with as many coefficients as there are launches is refused, by name.
func TestLawIsRefusedByName(t *testing.T) {
	r, err := Analyse(three())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Unfitted) != 1 || !strings.Contains(r.Unfitted[0], "Universal Scalability Law: not fitted: 3 launches, and more than its 3 coefficients") {
		t.Errorf("unfitted %q", r.Unfitted)
	}
	if len(r.Fits) != 1 || !r.Fits[0].Best {
		t.Errorf("the only law is not the best one: %+v", r.Fits)
	}
}
