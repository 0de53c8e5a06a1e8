package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/tests/whole"
)

// The protocol's own inspector, a client of other people in another language, calls every
// tool and reads resources; it checks answers against the schemas that are published.
func TestMCPInspector(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	inspector, err := filepath.Abs("../../tests/inspector/node_modules/.bin/mcp-inspector-cli")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(inspector); err != nil {
		t.Skip("the inspector is not installed: make inspector installs it")
	}
	folder, place := t.TempDir(), filepath.Join(t.TempDir(), "warehouse")
	first := nightly(t, folder, "night-1")
	nightly(t, folder, "night-2")
	if _, stderr, code := call(t, "keep", "--warehouse", place, first); code != exitOK {
		t.Fatal(stderr)
	}
	inspect := func(args ...string) map[string]any {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		out, err := exec.CommandContext(ctx, inspector, append([]string{"--cli", os.Args[0], "mcp", "--folder", folder, "--warehouse", place}, args...)...).CombinedOutput()
		begin := strings.Index(string(out), "{")
		var answer map[string]any
		if err != nil || begin < 0 || json.Unmarshal(out[begin:], &answer) != nil {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
		return answer
	}
	calls := map[string][]string{
		"search": {"words=night"}, "report": {"bundle=night-1"}, "claim": {"bundle=night-1"}, "lint": {"bundle=night-1"}, "compare": {`bundles=["night-1","night-2"]`},
		"gate":  {"baseline=night-1", "candidate=night-2", "policy=apiVersion: assay.dev/v1alpha1\nkind: GatePolicy\nmetadata: {name: p}\nspec: {metrics: [{metric: ttft.v2, statistic: p50, margin: 0.05}]}\n"},
		"query": {"sql=SELECT run_id FROM current_run"}, "lineage": {"printed=" + digestIn(t, first)}, "history": {"metric=ttft"},
		"benchmark_contracts": nil, "render": {"kind=WorkloadSpec"}, "validate": {"document=kind: x"}, "plan": {"document=kind: x"}, "run": {"document=x", "planned=y"},
	}
	refused := map[string]bool{"plan": true, "run": true} // no document, and no leave
	listed, _ := inspect("--method", "tools/list")["tools"].([]any)
	if len(listed) != len(calls) {
		t.Errorf("%d tools, want %d", len(listed), len(calls))
	}
	for i := 0; i < len(listed); i += whole.Stride(3) { // each call is two processes of Node
		tool := listed[i]
		name := tool.(map[string]any)["name"].(string)
		args := []string{"--method", "tools/call", "--tool-name", name}
		for _, arg := range calls[name] {
			args = append(args, "--tool-arg", arg)
		}
		answer := inspect(args...)
		if failed := answer["isError"] == true; failed != refused[name] {
			t.Errorf("%s: %v", name, answer)
		}
	}
	if list, _ := inspect("--method", "resources/list")["resources"].([]any); len(list) < 40 {
		t.Errorf("%d resources", len(list))
	}
	if read := inspect("--method", "resources/read", "--uri", "assay://docs/guides/assistant.md"); read["contents"] == nil {
		t.Errorf("the guide: %v", read)
	}
}
