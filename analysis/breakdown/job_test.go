package breakdown

import (
	"math"
	"testing"

	"assay/metric"
)

func jobs(parts ...metric.JobPart) metric.Estimates {
	var e metric.Estimates
	for launch := range 3 {
		j := metric.Job{Launch: launch, Parts: parts}
		for _, p := range parts {
			j.Seconds += p.Seconds
		}
		e.Jobs = append(e.Jobs, j)
	}
	return e
}

// Two jobs are compared by what both have recorded: a part that one lacks goes where it
// was in the other, and both still add up.
func TestJobsAlike(t *testing.T) {
	full := jobs(metric.JobPart{Name: metric.JobSetup, Seconds: 2}, metric.JobPart{Name: metric.JobCompute, Seconds: 5}, metric.JobPart{Name: metric.JobExposed, Seconds: 1},
		metric.JobPart{Name: metric.JobHost, Seconds: .25}, metric.JobPart{Name: metric.JobPauses, Seconds: .5}, metric.JobPart{Name: metric.JobOther, Seconds: .1})
	bare := jobs(metric.JobPart{Name: metric.JobSetup, Seconds: 2}, metric.JobPart{Name: metric.JobCompute, Seconds: 6}, metric.JobPart{Name: metric.JobOther, Seconds: .35})
	a, okA := Job(full, 0)
	b, okB := Job(bare, 0)
	if !okA || !okB {
		t.Fatal("no jobs")
	}
	if i := b.index(metric.JobCompute); b.Parts[i].Class != Unexplained {
		t.Errorf("computation with communication in it is %s", b.Parts[i].Class)
	}
	a, b = Alike(a, b)
	sums(t, a)
	sums(t, b)
	for i, p := range a.Parts {
		if p.Name != b.Parts[i].Name || p.Class != b.Parts[i].Class || math.Abs(p.Values[0]-b.Parts[i].Values[0]) > 1e-12 {
			t.Errorf("%s is %v on one side, %s is %v on the other; the two jobs are the same", p.Name, p.Values, b.Parts[i].Name, b.Parts[i].Values)
		}
	}
	if len(a.Missing) <= len(b.Missing)-4 {
		t.Errorf("missing: %q", a.Missing)
	}
	if _, ok := Job(full, 7); ok {
		t.Error("a point without jobs was split")
	}
}
