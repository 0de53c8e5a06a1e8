package stats

import (
	"math"
	"testing"
)

func nearly(got, want, tolerance float64) bool { return math.Abs(got-want) <= tolerance }

func TestPettitt(t *testing.T) {
	got := Pettitt([]float64{10, 11, 10, 11, 10, 11, 20, 21, 20, 21, 20, 21})
	if got.K != 36 || got.At != 6 || !nearly(got.P, .0314, 5e-5) {
		t.Errorf("got %+v, want K 36 at 6, p .0314", got)
	}
	if got := Pettitt(nil); got.P != 1 {
		t.Errorf("nothing: %+v", got)
	}
}

func TestMSER(t *testing.T) {
	xs := []float64{50, 30, 20, 12, 10, 11, 10, 9, 10, 11, 10, 9, 10, 11, 10, 10}
	if got := MSER(xs); got.Drop != 4 || got.Rejected || !nearly(got.Statistic, .034144, 5e-7) {
		t.Errorf("got %+v, want 4 dropped, statistic .034144", got)
	}
	rise := make([]float64, 40)
	for i := range rise {
		rise[i] = float64(i)
	}
	if got := MSER(rise); !got.Rejected {
		t.Errorf("a rise without end: %+v", got)
	}
	if got := MSER([]float64{1, 2, 3}); !got.Rejected {
		t.Errorf("three values: %+v", got)
	}
	slow := make([]float64, 200)
	for i := range slow {
		slow[i] = 10 + float64(i%3)
		if i < 30 {
			slow[i] += 20
		}
	}
	if got := MSER5(slow); got.Drop != 30 || got.Rejected {
		t.Errorf("30 slow ones first: %+v", got)
	}
	// A spread that is small beside the level is not lost.
	for i := range slow {
		slow[i] += 1e9
	}
	if got := MSER5(slow); got.Drop != 30 {
		t.Errorf("on a high level: %+v", got)
	}
}
