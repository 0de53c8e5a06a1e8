package shift

import (
	"errors"
	"math"
	"testing"

	"assay/analysis/breakdown"
)

func run(queue, decode []float64) breakdown.Breakdown {
	b := breakdown.Breakdown{Of: "E2E", Parts: []breakdown.Part{
		{Name: "server queue", Class: breakdown.ControlPlane, Values: queue}, {Name: "decode", Class: breakdown.Compute, Values: decode},
	}}
	for i := range queue {
		b.Whole = append(b.Whole, queue[i]+decode[i])
	}
	return b
}

func TestBetween(t *testing.T) {
	before := run([]float64{.1, .11, .09}, []float64{.5, .51, .49})
	after := run([]float64{.3, .31, .29}, []float64{.5, .49, .52})
	s, err := Between(before, after, .95)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, p := range s.Parts {
		sum += p.Change.Value
	}
	if math.Abs(sum-s.Whole.Change.Value) > 1e-12 {
		t.Errorf("parts change by %v, the whole by %v", sum, s.Whole.Change.Value)
	}
	if s.Largest != "server queue" || !s.Parts[0].Clear || s.Parts[1].Clear || s.Parts[0].Share < .9 {
		t.Errorf("%+v", s)
	}
	if math.Abs(s.Groups[breakdown.ControlPlane]-.2) > 1e-12 {
		t.Errorf("groups %v", s.Groups)
	}
	if len(s.Kinds) != 2 || s.Kinds[0].Name != "compute" || s.LargestKind != "orchestration" {
		t.Errorf("kinds %+v, the largest %q", s.Kinds, s.LargestKind)
	}
	if math.Abs(s.Kinds[0].Change.Value+s.Kinds[1].Change.Value-s.Whole.Change.Value) > 1e-12 {
		t.Errorf("kinds %+v do not add up to %v", s.Kinds, s.Whole.Change.Value)
	}
	if s, err = Between(before, before, .95); err != nil || s.Largest != "" {
		t.Errorf("the same run twice: %+v, %v", s, err)
	}
	after.Parts = after.Parts[:1]
	if _, err = Between(before, after, .95); !errors.Is(err, ErrOtherParts) {
		t.Errorf("%v, want ErrOtherParts", err)
	}
}

// One launch has a difference and no certainty.
func TestSingleLaunch(t *testing.T) {
	s, err := Between(run([]float64{.1}, []float64{.5}), run([]float64{.3}, []float64{.5}), .95)
	if err != nil || s.Largest != "" || s.Whole.Change.Interval.Bounded() {
		t.Errorf("%+v, %v", s, err)
	}
}
