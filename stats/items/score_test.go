package items

import "testing"

// TestScoreNearItsEnds: three answers to each item say more than one, and no interval of a
// share leaves 0 to 1 or has no width.
func TestScoreNearItsEnds(t *testing.T) {
	score := func(n, wrong int) (lo, hi float64) {
		list := make([]Scored, n)
		for i := range list {
			list[i].Scores = []float64{1, 1, 1}
			if i < wrong {
				list[i].Scores[i%3] = 0
			}
		}
		e, err := Score(list, .95)
		if err != nil {
			t.Fatal(err)
		}
		if e.Method != EffectiveWilson {
			t.Errorf("%d of %d: method %s, want %s", wrong, n, e.Method, EffectiveWilson)
		}
		return e.Interval.Lo, e.Interval.Hi
	}
	plain, err := Share(Wilson, 10, 10, .95)
	if err != nil {
		t.Fatal(err)
	}
	if lo, hi := score(10, 0); lo != plain.Interval.Lo || hi != 1 {
		t.Errorf("all right: %v to %v, want Wilson's of ten single answers, %v to 1", lo, hi, plain.Interval.Lo)
	}
	for _, wrong := range []int{1, 2, 5, 9} {
		if lo, hi := score(10, wrong); lo < 0 || hi > 1 || hi-lo < .1 {
			t.Errorf("%d of 10 items once wrong: %v to %v", wrong, lo, hi)
		}
	}
	// Half of 300 items once wrong: 750 of 900 answers, and items alike say more than one answer each.
	lo, hi := score(300, 150)
	if width := hi - lo; !(width < .06) {
		t.Errorf("150 of 300 items once wrong: %v wide, want less than three single answers would leave", width)
	}
}

// TestScoreBeyondShares: a rating of one to five is no share.
func TestScoreBeyondShares(t *testing.T) {
	e, err := Score([]Scored{{Scores: []float64{5}}, {Scores: []float64{4}}, {Scores: []float64{3}}}, .95)
	if err != nil || e.Method != ScoreMethod || e.Interval.Hi <= 5 {
		t.Errorf("%+v, %v: want Student's t, whose interval of three ratings reaches beyond five", e, err)
	}
	if alone, err := Score([]Scored{{Scores: []float64{.5}}}, .95); err != nil || alone.Interval.Bounded() {
		t.Errorf("one item: %+v, %v: want no bounds", alone, err)
	}
}
