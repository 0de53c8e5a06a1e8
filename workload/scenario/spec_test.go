package scenario

import (
	"testing"

	"assay/spec"
)

// The spec accepts exactly the scenarios of text, and plans with their mean.
func TestSpecAgrees(t *testing.T) {
	f := func(text string) {
		t.Helper()
		doc, faults := spec.Parse("test.yaml", []byte(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: t},
			spec: {workload: {model: m, prompt: {scenario: "`+text+`"}}, target: {url: "http://127.0.0.1:1"}}}`))
		s, err := Parse(text)
		wanted := err == nil && s.Tasks()[0] == "text-to-text" && s.Kind != Dataset
		if spec.Valid(faults) != wanted {
			t.Errorf("%s: the spec says %v, the parser %v", text, faults, err)
			return
		}
		if !wanted {
			return
		}
		run, _ := spec.Resolve(*doc.Run)
		mean := s.Mean()
		mix := run.Spec.Workload.SequenceLengthMix
		if len(mix) != 1 || mix[0].InputTokens != max(1, mean.Input) || mix[0].OutputTokens != max(1, mean.Output) || mix[0].Weight != 1 {
			t.Errorf("%s is planned as %+v, its mean is %+v", text, mix, mean)
		}
	}
	for _, text := range []string{
		"D(100,100)", "D(1,1)", "D(0,1)", "D(99999999,1)", "N(480,240)/(300,150)", "N(0,1)/(1,1)", "N(1,0)/(1,0)",
		"U(1,1)", "U(100,200)", "U(0,1)/(0,1)", "U(5,4)/(1,2)", "U(0,0)/(1,2)", "U(50,100)/(200,250)", "N(480,240)",
		"E(64)", "I(512,512)", "dataset", "D(1,2", "N(01,2)/(3,4)", "D(1,2)/(3,4)", "X(1,2)", "D(-1,2)",
	} {
		f(text)
	}
}
