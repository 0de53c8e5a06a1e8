package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"assay/plan"
	"assay/spec"
)

// The frozen contract is a document itself: valid, and the same workload.
func TestFrozenContract(t *testing.T) {
	for _, name := range []string{"minimal.yaml", "managed-server.yaml", "publication-inference.yaml"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("..", "..", "examples", name)
			text, stderr, code := call(t, "plan", path)
			if code != exitOK {
				t.Fatalf("exit %d\n%s", code, stderr)
			}
			for _, want := range []string{"points\n", "\nlaunches (", "expected\n", "what this sample can certify", "smallest effect", "defaults ("} {
				if !strings.Contains(text, want) {
					t.Errorf("the plan lacks %q", want)
				}
			}
			_, frozen, found := strings.Cut(text, "\nfrozen contract\n")
			if !found {
				t.Fatal("the plan lacks the frozen contract")
			}
			document, faults := spec.Parse("frozen.yaml", []byte(strings.ReplaceAll(frozen, "\n  ", "\n")[2:]))
			if !spec.Valid(faults) {
				t.Fatalf("the frozen contract is not valid: %v", faults)
			}
			again, err := plan.New(*document.Run)
			if err != nil {
				t.Fatal(err)
			}
			asJSON, _, code := call(t, "plan", "--json", path)
			var first plan.Plan
			if err := json.Unmarshal([]byte(asJSON), &first); err != nil || code != exitOK {
				t.Fatalf("exit %d, %v", code, err)
			}
			if again.WorkloadDigest != first.WorkloadDigest {
				t.Errorf("freezing changed the workload: %s, was %s", again.WorkloadDigest, first.WorkloadDigest)
			}
		})
	}
}
