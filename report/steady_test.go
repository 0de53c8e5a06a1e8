package report

import (
	"bytes"
	"strings"
	"testing"

	"assay/analysis/steady"
	"assay/plan"
)

func TestSteadyOfChangingLoad(t *testing.T) {
	r := Report{Plan: plan.Plan{Points: []plan.Point{{Name: "stages"}}}}
	var b bytes.Buffer
	writeSteady(&b, r)
	if b.Len() > 0 {
		t.Errorf("without evidence: %s", b.String())
	}
	r.Steady.Points = []steady.Point{{Skipped: "the load changes in stages"}}
	writeSteady(&b, r)
	if want := "stages  not judged: the load changes in stages"; !strings.Contains(b.String(), want) {
		t.Errorf("got %s, want %q", b.String(), want)
	}
}
