package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"assay/analysis/scene"
	"assay/bundle"
	"assay/report"
	"assay/report/reporttest"
	"assay/tests/whole"

	"github.com/spf13/cobra"
)

// Every command with a --json has a schema.
func TestOutputsNameEveryCommand(t *testing.T) {
	root := &cobra.Command{Use: "assay"}
	addCommands(root, Env{})
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		name := strings.TrimPrefix(cmd.CommandPath(), "assay ")
		described := slices.ContainsFunc(outputs, func(o output) bool {
			return slices.ContainsFunc(o.commands, func(command string) bool { return command == name || strings.HasPrefix(command, name+" ") })
		})
		if cmd.Flags().Lookup("json") != nil && !described {
			t.Errorf("assay %s --json has no schema: add a line to outputs", name)
		}
		for _, child := range cmd.Commands() {
			visit(child)
		}
	}
	visit(root)
}

// elsewhere are the outputs of commands that measure; their own tests check them.
var elsewhere = []string{"calibrate", "calibrate-peers", "calibrate-view", "diff-answers", "net", "net-interfaces", "probe", "schedule-status", "score", "score-pairs", "sim-ready", "sim-totals", "suite-tier1"}

// Every command prints what its schema says.
func TestOutputs(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	printed := map[string][]string{} // by kind
	f := func(kind string, args ...string) {
		t.Helper()
		stdout, stderr, _ := call(t, args...)
		if stdout == "" {
			t.Errorf("assay %s printed nothing: %s", strings.Join(args, " "), stderr)
			return
		}
		matchesSchema(t, kind, stdout)
		printed[kind] = append(printed[kind], stdout)
	}
	callEach(t, f)
	for _, r := range reporttest.Ranked(t) {
		var text bytes.Buffer
		if err := report.JSON(&text, r); err != nil {
			t.Fatal(err)
		}
		matchesSchema(t, "report", text.String())
	}
	for _, o := range outputs {
		if printed[o.kind] == nil && !slices.Contains(elsewhere, o.kind) {
			t.Errorf("nothing prints %s in this test", o.kind)
		}
	}
	dir := t.TempDir()
	for kind, documents := range printed {
		schema, err := schemaText("jsonschema", kind)
		if err != nil {
			t.Fatal(err)
		}
		both, err := json.Marshal(map[string]json.RawMessage{"schema": schema, "document": json.RawMessage(documents[0])})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, kind+".json"), both, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("Python agrees", func(t *testing.T) { pythonAgrees(t, dir) })
}

// What has nothing in it matches as well: lists are null where the schema says so.
func TestEmptyOutputs(t *testing.T) {
	for _, o := range outputs {
		if o.of.Kind() != reflect.Struct {
			continue
		}
		data, err := json.Marshal(reflect.Zero(o.of).Interface())
		if err != nil {
			t.Fatal(err)
		}
		matchesSchema(t, o.kind, string(data))
	}
}

// callEach calls every command that measures nothing.
func callEach(t *testing.T, f func(kind string, args ...string)) {
	t.Helper()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	base := buildScene(t, dir, "base", scene.Noise(4, 1, .005, 1))
	newer := buildScene(t, dir, "newer", scene.Noise(4, .9, .005, 2), `"1"`, `"2"`)
	good := buildScene(t, dir, "good", scene.Noise(4, 1, .005, 1), "\n  load:", "\n  slo: [{metric: ttft, percentile: 50, max: 10s}]\n  load:")
	write := func(name, text string) string {
		if err := os.WriteFile(at(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return at(name)
	}
	policy := write("policy.yaml", "apiVersion: assay.dev/v1alpha1\nkind: GatePolicy\nmetadata: {name: release}\nspec:\n  grade: exploratory\n  metrics: [{metric: ttft.v2, statistic: p50, margin: 0.05}]\n")
	if err := os.Mkdir(at("logs"), 0o755); err != nil {
		t.Fatal(err)
	}
	write("logs/result_0.txt", `:::MLLOG {"key": "submission_benchmark", "value": "gpt", "time_ms": 1}`+"\n"+
		`:::MLLOG {"key": "run_start", "time_ms": 1000}`+"\n"+`:::MLLOG {"key": "run_stop", "time_ms": 61000, "metadata": {"status": "success"}}`+"\n")

	f("report", "report", "--json", base)
	for _, tool := range []string{"genai-bench/errors", "vllm/c4.json", "guidellm/c2.json", "nccl-tests/all_reduce.txt", "fio/sequential-read.json", "mlperf/server"} {
		f("report", "import", "--json", "-o", at("runs"), "../../foreign/testdata/"+tool)
	}
	f("compare", "compare", "--json", base, newer)
	f("rerun", "rerun", "--check", "--json", base)
	f("gate", "gate", "--json", base, newer, "--policy", policy)
	f("lint", "lint", "--json", base, newer)
	f("lint-checks", "lint", "--list", "--json")
	f("claim", "claim", "--json", base)
	f("verify", "verify", "--json", base)
	f("recover", "recover", "--json", smallRun(t, false, nil))
	f("export", "export", "--json", "genai-bench", base, "-o", at("genai"))
	f("import-tools", "import", "--list", "--json")
	f("keygen", "keygen", "--json", "--out", at("key"))
	f("triage", "triage", "--json", "--duration", "100ms", "--out", at("triage"))
	f("act", "promote", "--json", base, "--to", at("published"), "--why", "a release", "--anyway")
	sealed, err := bundle.Open(base)
	if err != nil {
		t.Fatal(err)
	}
	kept := "--warehouse=" + at("warehouse")
	f("keep", "keep", "--json", kept, base)
	f("query", "query", "--json", kept, "SELECT run_id, value, low FROM metric_fact JOIN current_run USING (artifact_manifest_digest)")
	f("history", "history", "--json", kept, "ttft")
	f("lineage", "lineage", "--json", kept, sealed.Manifest.Digest)
	f("act", "mark", "--json", kept, sealed.Manifest.RunID, "--as", "accepted", "--why", "the first one")
	f("retain", "retain", "--json", kept, "--dry-run")
	f("token", "token", "new", "--json", kept, "--name", "ci", "--scope", "write")
	f("push", pushed(t, at("other"), base)...)
	for _, file := range exampleFiles(t) {
		f("validate", "validate", "--json", file)
		if stdout, _, code := call(t, "plan", "--json", file); code == exitOK {
			matchesSchema(t, "plan", stdout)
		}
	}
	f("plan", "plan", "--json", "../../examples/minimal.yaml")
	f("validate", "validate", "--json", policy, at("key"))
	f("validate-rules", "validate", "--rules", "--json")
	f("init", "init", "--json", "--name", "x")
	f("bench-spec", "bench", "http://127.0.0.1:1", "--model", "m", "--print-spec", "--json")
	f("doctor", "doctor", "--json", "--root", hostWith(t, "MemTotal: 100 kB\nSwapTotal: 2048 kB\nSwapFree: 2048 kB\n"))
	f("diagnose", "diagnose", "--json", newer, base)
	f("scale", "scale", "--json", "../../examples/data/scaling.json", "--predict", "12", "--threshold", "0.4")
	f("fleet", "fleet", "--json", good, "--load", "10")
	for _, file := range []string{"kineto.json", "nsys_sum.csv"} {
		f("trace", "trace", "--json", "../../analysis/trace/testdata/"+file)
	}
	f("mllog", "mllog", "--json", at("logs"))
	f("plot", "plot", "--json", base, "-o", at("plots"))
	f("plot-fields", "plot", "--list-fields", "--json")
	f("plot-presets", "plot", "--list-presets", "--json")
	f("suite", "suite", "all", "--json", "--smoke", "--run-id", "a", "-o", dir, "--python", "/nonexistent/python")
	f("suite-presets", "suite", "--json")
	f("suite-readiness", "suite", "multinode-readiness", "--json", "--python", "/nonexistent/python")
	f("sim-faults", "sim", "--list-faults", "--json")
	for _, l := range listings {
		f("list", "list", l.name, "--json")
	}
	f("schema-form", "schema", "crd", "--json")
	f("schema-files", "schema", "--write", at("tree"), "--json")
	f("contracts", "tools", "benchmark-contracts", "--json")
	f("version", "version", "--json")
}
