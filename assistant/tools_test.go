package assistant

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const policy = `{apiVersion: assay.dev/v1alpha1, kind: GatePolicy, metadata: {name: p}, spec: {metrics: [{metric: ttft.v2, statistic: p50, margin: 0.05}]}}`

// Every tool answers over the SDK's own client, by the schema that it publishes.
func TestEveryTool(t *testing.T) {
	h := newHouse(t)
	c := connect(t, h.options(), nil)
	listed, err := c.ListTools(t.Context(), nil)
	must(t, err)
	schemas := map[string]*jsonschema.Resolved{}
	for _, tool := range listed.Tools {
		schemas[tool.Name] = resolved(t, tool.OutputSchema)
		if in := fmt.Sprint(tool.InputSchema.(map[string]any)["additionalProperties"]); in == "" || in == "true" || in == "<nil>" {
			t.Errorf("%s takes arguments that it does not name: additionalProperties is %s", tool.Name, in)
		}
		if tool.Annotations.ReadOnlyHint == (tool.Name == "run") {
			t.Errorf("%s: readOnlyHint is %v", tool.Name, tool.Annotations.ReadOnlyHint)
		}
	}
	called := map[string]bool{"run": true} // in run_test.go
	f := func(name string, args map[string]any, wants ...string) {
		t.Helper()
		called[name] = true
		answer, text, failed := ask(t, c, name, args)
		if failed != "" {
			t.Errorf("%s %v: %s", name, args, failed)
			return
		}
		if err := schemas[name].Validate(answer); err != nil {
			t.Errorf("%s %v: the answer is not by its schema: %v", name, args, err)
		}
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s %v: %q is missing in %s", name, args, want, text)
			}
		}
	}
	spec := strings.Replace(document, "NAME", "x", 1)
	write(t, filepath.Join(h.folder, "policy.yaml"), policy)
	f("benchmark_contracts", nil, `"previewYAML"`, "BenchmarkRun")
	f("render", map[string]any{"choices": map[string]any{"model": "tiny"}, "minimal": true}, "tiny")
	f("render", map[string]any{"kind": "WorkloadSpec"}, "kind: WorkloadSpec")
	f("validate", map[string]any{"document": spec}, `"valid":true`)
	f("validate", map[string]any{"document": "kind: Nonsense"}, `"valid":false`)
	f("validate", map[string]any{"file": "policy.yaml"}, `"kind":"GatePolicy"`)
	f("plan", map[string]any{"document": spec}, `"launches":3`, "documentDigest", "concurrency=2")
	f("report", map[string]any{"bundle": "sound-1"}, `"quotable":true`, `"quote":"`, `"low":`, `"bundle":"sha256:`)
	f("report", map[string]any{"bundle": filepath.Join(h.folder, "sound-2"), "metric": "ttft", "most": 2}, `"more":true`)
	f("claim", map[string]any{"bundle": "sound-1"}, `"quote":"`, `"grade":`)
	f("lint", map[string]any{"bundle": "sound-1", "baseline": "sound-2", "all": true}, `"checks":[`)
	f("compare", map[string]any{"bundles": []string{"sound-1", "slower"}, "all": true}, `"verdict":"worse"`, `"ratio":{`)
	f("gate", map[string]any{"baseline": "sound-1", "candidate": "slower", "policy": policy}, `"verdict":"regressed"`, `"passed":false`)
	f("gate", map[string]any{"baseline": "sound-1", "candidate": "sound-2", "file": "policy.yaml"}, `"decisions":[`)
	f("query", map[string]any{"sql": "SELECT value, unit, low, high, n, artifact_manifest_digest FROM metric_fact WHERE metric = 'ttft.v2'"}, `"quotable":true`)
	f("query", map[string]any{"sql": "SELECT count(*) AS runs FROM current_run"}, `[[3]]`)
	f("history", map[string]any{"metric": "ttft"}, `"low":`, "sound-1")
	f("search", map[string]any{"words": "sound calibrate"}, "sound-1", "assay://docs/guides/")
	f("search", map[string]any{"words": ""}, "slower", `"kept":false`)

	answer, _, _ := ask(t, c, "report", map[string]any{"bundle": "sound-1"})
	printed := answer["numbers"].([]any)[0].(map[string]any)["text"].(string)
	number, _, _ := strings.Cut(printed, " [")
	f("lineage", map[string]any{"printed": number}, "raw/launch-00/requests", `"quote":"`)

	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		if !called[name] {
			t.Errorf("no call of %s", name)
		}
	}
	if len(schemas) != len(tools) {
		t.Errorf("%d tools are listed, want %d", len(schemas), len(tools))
	}
}

func resolved(t *testing.T, schema any) *jsonschema.Resolved {
	t.Helper()
	data, err := json.Marshal(schema)
	must(t, err)
	var s jsonschema.Schema
	must(t, json.Unmarshal(data, &s))
	r, err := s.Resolve(nil)
	must(t, err)
	return r
}

// Every number comes with what it must not be parted from.
func TestNumbersAreAccompanied(t *testing.T) {
	h := newHouse(t)
	c := connect(t, h.options(), nil)
	n := 0
	for name, args := range map[string]map[string]any{
		"report": {"bundle": "sound-1", "most": 400}, "claim": {"bundle": "sound-1"}, "history": {"metric": "ttft"},
		"compare": {"bundles": []string{"sound-1", "slower"}, "all": true}, "lineage": {"printed": "TTFT"},
	} {
		answer, _, failed := ask(t, c, name, args)
		if failed != "" {
			t.Errorf("%s: %s", name, failed)
		}
		each(answer, func(object map[string]any) {
			if _, is := object["value"].(float64); !is {
				return
			}
			n++
			for _, field := range []string{"unit", "low", "high", "n", "text"} {
				if _, there := object[field]; !there {
					t.Errorf("%s: a number without %s: %v", name, field, object)
				}
			}
			if bundle, _ := object["bundle"].(string); name != "compare" && !digestOf.MatchString(bundle) {
				t.Errorf("%s: a number without its bundle: %v", name, object)
			}
		})
	}
	if n < 50 {
		t.Errorf("%d numbers were looked at, want many", n)
	}
}

// each visits the objects of an answer.
func each(v any, visit func(map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		visit(v)
		for _, inner := range v {
			each(inner, visit)
		}
	case []any:
		for _, inner := range v {
			each(inner, visit)
		}
	}
}

// Of void and retracted runs the reasons leave in place of numbers, whichever way one
// asks.
func TestVoidRunsHaveNoNumbers(t *testing.T) {
	h := newHouse(t)
	c := connect(t, h.options(), nil)
	for _, run := range []struct{ name, why string }{{"void", "cut-short"}, {"retracted", "the wrong model was loaded"}} {
		for tool, args := range map[string]map[string]any{
			"report": {"bundle": run.name}, "claim": {"bundle": run.name},
			"compare": {"bundles": []string{"sound-1", run.name}, "all": true},
			"gate":    {"baseline": "sound-1", "candidate": run.name, "policy": policy},
			"lineage": {"printed": digest(t, h, run.name)},
		} {
			answer, text, failed := ask(t, c, tool, args)
			if failed != "" || !strings.Contains(text, run.why) {
				t.Errorf("%s of %s does not say why (%s): %s%s", tool, run.name, run.why, text, failed)
			}
			each(answer, func(object map[string]any) {
				for _, field := range []string{"value", "low", "high", "ratio"} {
					if object[field] != nil {
						t.Errorf("%s of %s has a number: %v", tool, run.name, object)
					}
				}
			})
			if passed := answer["passed"]; passed == true {
				t.Errorf("a gate passed %s", run.name)
			}
		}
	}
	for _, sql := range []string{
		"SELECT * FROM metric_fact JOIN benchmark_run_fact USING (artifact_manifest_digest) WHERE run_id IN ('void', 'retracted')",
		"SELECT * FROM claim_fact JOIN benchmark_run_fact USING (artifact_manifest_digest) WHERE run_id IN ('void', 'retracted')",
		"SELECT * FROM serving_outcome_fact WHERE run_id IN ('void', 'retracted')",
		"SELECT l.* FROM launch_metric_fact l LEFT JOIN metric_fact m USING (fact) WHERE m.fact IS NULL",
	} {
		if answer, _, failed := ask(t, c, "query", map[string]any{"sql": sql}); failed != "" || len(answer["rows"].([]any)) > 0 {
			t.Errorf("%s: %v, %s; want no row", sql, answer["rows"], failed)
		}
	}
}

func digest(t *testing.T, h house, run string) string {
	t.Helper()
	a, err := newAccess([]string{h.folder}, "")
	must(t, err)
	for _, b := range a.scan() {
		if b.Manifest.RunID == run {
			return b.Manifest.Digest
		}
	}
	t.Fatalf("no bundle of %s", run)
	return ""
}

func TestResources(t *testing.T) {
	h := newHouse(t)
	c := connect(t, h.options(), nil)
	list, err := c.ListResources(t.Context(), nil)
	must(t, err)
	kinds := map[string]int{}
	for _, r := range list.Resources {
		kinds[strings.SplitAfterN(r.URI, "/", 4)[2]]++
	}
	if kinds["docs/"] < 40 || kinds["bundle/"] != 5 {
		t.Errorf("listed are %v, want the guides and five bundles", kinds)
	}
	read := func(uri string) (string, error) {
		r, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			return "", err
		}
		return r.Contents[0].Text, nil
	}
	for uri, want := range map[string]string{
		docPrefix + "guides/keep.md": "# Keeping runs", bundlePrefix + "sound-1": `"quote":"`, bundlePrefix + strings.TrimPrefix(digest(t, h, "void"), "sha256:"): `"void":[`, bundlePrefix + "sound-1/spec": "kind: BenchmarkRun",
	} {
		if text, err := read(uri); err != nil || !strings.Contains(text, want) {
			t.Errorf("%s: no %q in %.200q, %v", uri, want, text, err)
		}
	}
	for _, uri := range []string{docPrefix + "../README.md", docPrefix + "guides/none.md", bundlePrefix + "..%2f..%2fetc/spec", bundlePrefix + "%2fetc%2fpasswd", "file:///etc/passwd", bundlePrefix + "%zz"} {
		if text, err := read(uri); err == nil {
			t.Errorf("%s was read: %.100q", uri, text)
		}
	}
}
