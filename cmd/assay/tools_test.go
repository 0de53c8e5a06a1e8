package main

import (
	"encoding/json"
	"strings"
	"testing"

	"assay/spec"
)

func TestContracts(t *testing.T) {
	stdout, stderr, code := call(t, "tools", "benchmark-contracts", "--json")
	var s spec.ContractSummary
	if err := json.Unmarshal([]byte(stdout), &s); code != exitOK || err != nil {
		t.Fatalf("exit code %d, %v:\n%s", code, err, stderr)
	}
	if len(s.Surfaces) < 4 || len(s.Defaults) != len(spec.RenderFields) {
		t.Errorf("%d contracts and %d defaults, want at least 4 and %d", len(s.Surfaces), len(s.Defaults), len(spec.RenderFields))
	}
	if _, faults := spec.Parse("preview.yaml", []byte(s.PreviewYAML)); !spec.Valid(faults) {
		t.Errorf("the previewed document is not valid: %v", faults)
	}
}

func TestRenderFromJSON(t *testing.T) {
	stdout, _, code := call(t, "tools", "benchmark-run-render", "--yaml-only", "--overrides-json", `{"model": "my/model"}`)
	document, faults := spec.Parse("rendered.yaml", []byte(stdout))
	if code != exitOK || !spec.Valid(faults) || document.Run.Spec.Workload.Model != "my/model" {
		t.Errorf("exit code %d, faults %v, want a document about my/model:\n%s", code, faults, stdout)
	}
	for _, bad := range []string{`[]`, `{"modle": "m"}`, `{"workloadType": "both"}`} {
		if _, stderr, code := call(t, "tools", "benchmark-run-render", "--overrides-json", bad); code != exitUsage || strings.TrimSpace(stderr) == "assay:" {
			t.Errorf("%s: exit code %d, want 2 with a reason:\n%s", bad, code, stderr)
		}
	}
}
