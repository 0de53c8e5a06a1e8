package bottleneck

import (
	"slices"
	"strings"
	"testing"

	"assay/analysis/breakdown"
)

// split makes a breakdown of three launches of one second.
func split(parts map[breakdown.Class]float64) breakdown.Breakdown {
	b := breakdown.Breakdown{Of: "step", Whole: []float64{1, 1, 1}}
	for class, share := range parts {
		b.Parts = append(b.Parts, breakdown.Part{Name: string(class), Class: class, Values: []float64{share, share, share}})
	}
	return b
}

func TestJudge(t *testing.T) {
	of := func(v float64) *float64 { return &v }
	const compute, communication, input, control, client, unknown = breakdown.Compute, breakdown.Communication, breakdown.Input, breakdown.ControlPlane, breakdown.Client, breakdown.Unexplained
	tests := []struct {
		name  string
		parts map[breakdown.Class]float64
		signs Signs
		want  breakdown.Class
		how   string
	}{
		{"computes", map[breakdown.Class]float64{compute: .9, input: .1}, Signs{GPUBusy: of(.95)}, compute, "clear"},
		{"computes, nobody looked at the device", map[breakdown.Class]float64{compute: .9, input: .1}, Signs{}, compute, "likely"},
		{"seems to compute, device idle", map[breakdown.Class]float64{compute: .9, input: .1}, Signs{GPUBusy: of(.2)}, Undetermined, "say waiting"},
		{"sends", map[breakdown.Class]float64{compute: .25, communication: .75}, Signs{Retransmits: of(12)}, communication, "clear"},
		{"sends over poor links", map[breakdown.Class]float64{compute: .25, communication: .75}, Signs{Exchange: true, Fabric: []string{"all_gather carries 10 %"}}, communication, "clear"},
		{"reads", map[breakdown.Class]float64{compute: .45, input: .55}, Signs{}, input, "likely"},
		{"waits", map[breakdown.Class]float64{compute: .2, control: .8}, Signs{KVCacheMax: of(.99)}, control, "clear"},
		{"slow client", map[breakdown.Class]float64{compute: .3, client: .7}, Signs{}, client, "likely"},
		{"nothing stands out", map[breakdown.Class]float64{compute: .34, input: .33, communication: .33}, Signs{}, Undetermined, "no class stands out"},
		{"unknown", map[breakdown.Class]float64{compute: .3, unknown: .7}, Signs{}, Undetermined, "no known cause"},
		{"a third, far ahead", map[breakdown.Class]float64{input: .4, compute: .2, communication: .2, control: .2}, Signs{}, input, "likely"},
	}
	for _, tt := range tests {
		d := Judge("p", split(tt.parts), tt.signs)
		if d.Class != tt.want || !strings.Contains(d.How, tt.how) || d.Inspect == "" {
			t.Errorf("%s: %s (%s), want %s (%s)", tt.name, d.Class, d.How, tt.want, tt.how)
		}
	}
}

// Whatever the accelerators show, without a split of the time there is no class.
func TestUtilisationAloneNeverDecides(t *testing.T) {
	for _, busy := range []float64{0, .1, .5, .9, 1} {
		d := Judge("p", breakdown.Breakdown{}, Signs{GPUBusy: &busy})
		if d.Class != Undetermined || len(d.Missing) == 0 {
			t.Errorf("busy %v: %+v", busy, d)
		}
		for _, cause := range []string{"loader starvation", "processors held back or contended", "queueing before the engine", "network stalls", "slow collectives", "bad placement of processes and devices"} {
			if !slices.Contains(d.Alternatives, cause) {
				t.Errorf("busy %v: %s is not among the alternatives %v", busy, cause, d.Alternatives)
			}
		}
	}
}

func TestAlternativesAreExcludedByEvidence(t *testing.T) {
	zero := 0.0
	d := Judge("p", split(map[breakdown.Class]float64{breakdown.Compute: .97, breakdown.Input: .01, breakdown.Communication: .02}), Signs{Throttled: &zero, CPUPressure: &zero, QueueDepth: &zero})
	if len(d.Alternatives) != 1 || !strings.Contains(d.Alternatives[0], "placement") {
		t.Errorf("alternatives %v, want placement alone", d.Alternatives)
	}
}

// A part below zero is a difference within the noise of two measurements: nobody spent
// a negative time.
func TestNoNegativeTime(t *testing.T) {
	b := breakdown.Breakdown{Of: "E2E", Whole: []float64{1}, Parts: []breakdown.Part{
		{Name: "network", Class: breakdown.Communication, Values: []float64{-.00279}, Source: "a − b"},
		{Name: "decode", Class: breakdown.Compute, Values: []float64{11e-6}, Source: "c"},
	}}
	d := Judge("p", b, Signs{})
	if want := []string{"network: 0 s, 0.0 % of the E2E (a − b)", "decode: 11.0 µs, 0.0 % of the E2E (c)"}; len(d.Because) < 2 || d.Because[0] != want[0] || d.Because[1] != want[1] {
		t.Errorf("got %q, want %q first", d.Because, want)
	}
}

// A class that the document does not know is not named as the limit, and why is said.
func TestWithinTaxonomy(t *testing.T) {
	d := Judge("p", split(map[breakdown.Class]float64{breakdown.Communication: .9, breakdown.Compute: .1}), Signs{})
	if got := d.Within([]string{"compute_bound", "comm_bound"}); got.Class != breakdown.Communication {
		t.Errorf("a class of the document became %+v", got)
	}
	got := d.Within([]string{"compute_bound"})
	if got.Class != Undetermined || !strings.Contains(got.Sentence(), "the time says communication, which bottleneckAnalysis.taxonomy leaves out") {
		t.Errorf("a class that the document leaves out became %+v", got)
	}
	client := Diagnosis{Class: breakdown.Client}
	if got := client.Within([]string{"compute_bound"}); got.Class != breakdown.Client {
		t.Errorf("the client's own limit became %+v", got)
	}
}
