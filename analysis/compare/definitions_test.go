package compare

import (
	"testing"

	"assay/bundle"
)

// Every row of the table speaks of the same tools.
func TestDefinitions(t *testing.T) {
	for _, d := range definitions {
		for _, other := range definitions {
			for tool := range other.by {
				if d.by[tool] == "" {
					t.Errorf("%s: nothing is said of %s", d.of, tool)
				}
			}
		}
	}
}

func TestDifferences(t *testing.T) {
	by := func(tool string) bundle.Manifest { return bundle.Manifest{Source: &bundle.Source{Tool: tool}} }
	if list := differences(bundle.Manifest{}, bundle.Manifest{}); list != nil {
		t.Errorf("assay differs from itself: %+v", list)
	}
	if list := differences(by("vllm"), by("vllm")); list != nil {
		t.Errorf("vllm differs from itself: %+v", list)
	}
	list := differences(bundle.Manifest{}, by("genai-bench"))
	if len(list) != len(definitions) || list[0].Of != "clock starts" || list[0].Baseline != "when the request was due" || list[0].Candidate == notKnown {
		t.Errorf("assay beside genai-bench: %+v", list)
	}
	for _, d := range differences(by("vllm"), by("genai-bench")) {
		if d.Of == "TPOT" {
			t.Errorf("vllm and genai-bench have one TPOT, got %+v", d)
		}
	}
	for _, d := range differences(by("somebody"), by("genai-bench")) {
		if d.Baseline != notKnown {
			t.Errorf("something is known of an unknown tool: %+v", d)
		}
	}
}
