package report

import (
	"strings"
	"testing"

	"assay/analysis/collectives"
	"assay/analysis/hardware"
)

// Collectives and probes of one launch have intervals over its calls, and are not said to have others.
func TestIntervalLineOfOneLaunch(t *testing.T) {
	var r Report
	const words = "over the calls of the one launch"
	r.Plan.Run.Spec.Trials.Quick = true
	if line := r.IntervalLine(); strings.Contains(line, words) {
		t.Errorf("a run without collectives: %s", line)
	}
	r.Collectives = &collectives.Report{}
	if line := r.IntervalLine(); !strings.Contains(line, words) {
		t.Errorf("one launch of collectives: %s", line)
	}
	r.Collectives, r.Hardware = nil, &hardware.Report{}
	if line := r.IntervalLine(); !strings.Contains(line, words) {
		t.Errorf("one launch of probes: %s", line)
	}
	r.Plan.Run.Spec.Trials.Quick, r.Plan.Run.Spec.Trials.MinReplicates = false, 3
	if line := r.IntervalLine(); strings.Contains(line, words) {
		t.Errorf("three launches: %s", line)
	}
}
