package spec

import (
	"slices"
	"strings"
	"testing"
)

// The form is a document that names what is missing, and one that is accepted once
// that is filled in.
func TestIntakeForm(t *testing.T) {
	t.Parallel()
	doc, faults := Parse("intake.yaml", []byte(IntakeForm))
	if doc == nil || doc.Kind != KindPerformanceIntake || Valid(faults) {
		t.Fatalf("%+v, %v", doc, faults)
	}
	filled := IntakeForm
	for field, answer := range map[string]string{
		"name": "faster-decoding", "primaryKPI": "tokens_per_second", "layer": "end_to_end", "grade": "realism",
		"variableUnderTest": "runtime_version", "type": "inference", "model": "llama-3.1-8b", "gpu": "8 x H200",
	} {
		before := filled
		if filled = strings.Replace(filled, " "+field+": ", " "+field+": "+answer+" ", 1); filled == before {
			filled = strings.Replace(filled, " "+field+":\n", " "+field+": "+answer+"\n", 1)
		}
		if filled == before {
			t.Errorf("the form has no field %s", field)
		}
		found := false
		for _, f := range faults {
			found = found || strings.HasSuffix(f.Path, "."+field)
		}
		if !found {
			t.Errorf("nobody misses %s: %v", field, faults)
		}
	}
	doc, faults = Parse("intake.yaml", []byte(filled))
	if !Valid(faults) || doc.Intake.Spec.Workload.Model != "llama-3.1-8b" || doc.Intake.Spec.Environment.Hardware.GPU != "8 x H200" {
		t.Errorf("%v\n%s", faults, filled)
	}
	if got := doc.Unacted(); !slices.Equal(got.Recorded, []string{"spec"}) {
		t.Errorf("states %+v, want that the answers are recorded", got)
	}
}
