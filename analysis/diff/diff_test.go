package diff

import (
	"slices"
	"strings"
	"testing"

	"assay/bundle"
	"assay/plan"
	"assay/record"
	"assay/spec"
)

const document = `
apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata:
  name: one
spec:
  workload:
    model: m
    precision: bf16
    sequenceLengthMix: [{inputTokens: 64, outputTokens: 16, weight: 1}]
  target:
    url: http://127.0.0.1:8101
    server: {command: [engine, serve, --port, "8101", --itl, 5ms, --eager]}
  load: {concurrency: [4], duration: 1s}
`

// side plans the document after replacing pairs of texts in it.
func side(t *testing.T, env record.Environment, replace ...string) Side {
	t.Helper()
	doc, faults := spec.Parse("test.yaml", []byte(strings.NewReplacer(replace...).Replace(document)))
	if !spec.Valid(faults) {
		t.Fatal(faults)
	}
	p, err := plan.New(*doc.Run)
	if err != nil {
		t.Fatal(err)
	}
	return Side{Plan: p, Manifest: bundle.Manifest{Environment: env}}
}

func paths(changes []Change) []string {
	list := []string{}
	for _, c := range changes {
		list = append(list, c.Path)
	}
	return list
}

func TestPlans(t *testing.T) {
	tests := []struct {
		name     string
		replace  []string
		want     []string
		variable string
		rest     []string // against runtime_version
	}{
		{"the same", nil, []string{}, "", []string{}},
		{"what it is called and how often", []string{"name: one", "name: two\n  labels: {a: b}", "load: {", "trials: {minReplicates: 7}\n  load: {"}, []string{}, "", []string{}},
		{"an address", []string{"8101", "8102"}, []string{commandPath + " --port", "spec.target.url"}, "runtime_version", []string{}},
		{"a flag", []string{"5ms", "4ms"}, []string{commandPath + " --itl"}, "runtime_version", []string{}},
		{"a flag less", []string{", --eager", ""}, []string{commandPath + " --eager"}, "runtime_version", []string{}},
		{"another engine", []string{"engine, serve", "motor"}, []string{commandPath}, "server.command", []string{}},
		{"a knob of precision", []string{"--eager", "--dtype=fp8"}, []string{commandPath + " --dtype", commandPath + " --eager"}, "runtime_version", []string{commandPath + " --dtype"}},
		{
			"version and precision", []string{"5ms", "4ms", "bf16", "fp8"},
			[]string{commandPath + " --itl", "spec.workload.precision"}, "runtime_version", []string{"spec.workload.precision"},
		},
		{"the question", []string{"inputTokens: 64", "inputTokens: 65"}, []string{"spec.workload.sequenceLengthMix[0].inputTokens"}, "", []string{"spec.workload.sequenceLengthMix[0].inputTokens"}},
		{"the seed", []string{"load: {", "seed: 5\n  load: {"}, []string{"spec.seed"}, "", []string{"spec.seed"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			changes := Bundles(side(t, nil), side(t, nil, tt.replace...))
			if got := paths(changes); !slices.Equal(got, tt.want) {
				t.Errorf("changes %v, want %v", got, tt.want)
			}
			variable, rest, ok := Controlled(changes, "runtime_version")
			if got := paths(rest); variable != tt.variable || !slices.Equal(got, tt.rest) || ok != (len(tt.rest) == 0) {
				t.Errorf("controlled %q %v %v, want %q %v", variable, got, ok, tt.variable, tt.rest)
			}
		})
	}
}

// Two runs of one document, each with the seed that it drew, ask the same question.
func TestDrawnSeeds(t *testing.T) {
	drawn := func(seed string) Side { return side(t, nil, "load: {", "seed: "+seed+"\n  seedDrawn: true\n  load: {") }
	if changes := Bundles(drawn("5"), drawn("6")); len(changes) > 0 {
		t.Errorf("two drawn seeds differ in %v", paths(changes))
	}
	if got := paths(Bundles(side(t, nil), drawn("6"))); !slices.Equal(got, []string{"spec.seed"}) {
		t.Errorf("a stated and a drawn seed differ in %v, want spec.seed", got)
	}
}

func TestEnvironments(t *testing.T) {
	base := record.Environment{
		"gpu.driver": {Value: "570.86"}, "cpu.threads": {Value: float64(8)}, "load.avg1": {Value: 0.1},
		"cpu.flags": {Value: []any{"avx"}}, "gpu.0.uuid": {Unavailable: "no library"}, "host.name": {Value: "a"},
	}
	tests := []struct {
		name string
		set  record.Environment
		want []Change
	}{
		{"what always moves", record.Environment{"load.avg1": {Value: 9.0}}, nil},
		{"another reason for not knowing", record.Environment{"gpu.0.uuid": {Unavailable: "no device"}}, nil},
		{"the driver", record.Environment{"gpu.driver": {Value: "575.51"}}, []Change{{Path: "gpu.driver", A: "570.86", B: "575.51", Kind: Environment, Variable: "driver_stack"}}},
		{"the shape", record.Environment{"cpu.threads": {Value: float64(16)}}, []Change{{Path: "cpu.threads", A: "8", B: "16", Kind: Topology, Variable: "hardware_generation"}}},
		{"known on one side only", record.Environment{"gpu.0.uuid": {Value: "GPU-1"}}, []Change{{Path: "gpu.0.uuid", A: "unavailable (no library)", B: "GPU-1", Kind: Environment, Variable: "hardware_generation"}}},
		{"a list", record.Environment{"cpu.flags": {Value: []any{"avx", "amx"}}}, []Change{{Path: "cpu.flags", A: `["avx"]`, B: `["avx","amx"]`, Kind: Environment, Variable: "hardware_generation"}}},
		{"what no table knows", record.Environment{"new.fact": {Value: true}}, []Change{{Path: "new.fact", A: "not recorded", B: "true", Kind: Environment}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			other := record.Environment{}
			for name, fact := range base {
				other[name] = fact
			}
			for name, fact := range tt.set {
				other[name] = fact
			}
			if got := Bundles(side(t, base), side(t, other)); !slices.Equal(got, tt.want) {
				t.Errorf("changes %v, want %v", got, tt.want)
			}
		})
	}
}

func TestPodsAreNotMachines(t *testing.T) {
	env := func(host string) record.Environment {
		return record.Environment{"scheduler.kind": {Value: "kubernetes"}, "host.name": {Value: host}}
	}
	if got := Bundles(side(t, env("bench-1")), side(t, env("bench-2"))); len(got) > 0 {
		t.Errorf("two pods differ in %v", got)
	}
}

func TestInputs(t *testing.T) {
	a, b := side(t, nil), side(t, nil)
	a.Manifest.Inputs = bundle.Inputs{Images: map[string]string{"vllm:0.10": "sha256:1"}, Model: &bundle.Input{Name: "m", Unavailable: "not told"}}
	b.Manifest.Inputs = bundle.Inputs{Images: map[string]string{"vllm:0.11": "sha256:2"}, Model: &bundle.Input{Name: "m", Digest: "sha256:3"}}
	want := []Change{
		{Path: "inputs.images.vllm", A: "vllm:0.10 sha256:1", B: "vllm:0.11 sha256:2", Kind: Input, Variable: "runtime_version"},
		{Path: "inputs.model", A: "m", B: "sha256:3", Kind: Input},
	}
	if got := Bundles(a, b); !slices.Equal(got, want) {
		t.Errorf("changes %v, want %v", got, want)
	}
}

// A server that counts tokens itself is named by its address, which two launches
// of one system need not share.
func TestTokenizerOfAServer(t *testing.T) {
	a, b := side(t, nil), side(t, nil)
	a.Manifest.Inputs.Tokenizer = &bundle.Input{Name: "http://127.0.0.1:8101/tokenize", Unavailable: "not shown"}
	b.Manifest.Inputs.Tokenizer = &bundle.Input{Name: "http://127.0.0.1:8102/tokenize", Unavailable: "not shown"}
	if _, rest, ok := Controlled(Bundles(a, b), "runtime_version"); !ok {
		t.Errorf("two ports make two tokenizers: %v", rest)
	}
	b.Manifest.Inputs.Tokenizer = &bundle.Input{Name: "tokenizer.json", Digest: "sha256:1"}
	if _, _, ok := Controlled(Bundles(a, b), "runtime_version"); ok {
		t.Error("a server's count and a file's pass for one tokenizer")
	}
}

// TestSides takes a run with a candidate apart: what differs is what differs
// between the targets and between what the servers said of themselves.
func TestSides(t *testing.T) {
	both := side(t, record.Environment{
		"server.version": {Value: "1"}, "side.new.server.version": {Value: "2"}, "os.id": {Value: "debian"},
	}, "  load:", "  candidates:\n    - name: new\n      target: {url: 'http://127.0.0.1:8102', server: {command: [engine, serve, --port, '8102', --itl, 4ms, --eager]}}\n  load:")
	a, err := both.Of(spec.BaselineSide)
	if err != nil {
		t.Fatal(err)
	}
	b, err := both.Of("new")
	if err != nil {
		t.Fatal(err)
	}
	changes := Bundles(a, b)
	want := []string{commandPath + " --itl", commandPath + " --port", "spec.target.url", "server.version"}
	if got := paths(changes); !slices.Equal(got, want) {
		t.Errorf("changes %v, want %v", got, want)
	}
	if variable, rest, ok := Controlled(changes, "runtime_version"); variable != "runtime_version" || !ok {
		t.Errorf("controlled = %q %v %v, want runtime_version", variable, rest, ok)
	}
	if _, rest, ok := Controlled(changes, "driver_stack"); ok || len(rest) != 2 {
		t.Errorf("driver_stack: %v %v, want the flag and the version left", rest, ok)
	}
	if _, err := both.Of("old"); err == nil || !strings.Contains(err.Error(), "baseline, new") {
		t.Errorf("side old: %v, want the names of the sides", err)
	}
}

// TestRules holds the tables to the vocabulary of package spec, and every line
// that excuses something to a reason.
func TestRules(t *testing.T) {
	for _, list := range []rules{planRules, environmentRules} {
		for _, r := range list {
			if r.variable != "" && !slices.Contains(spec.Vocabularies["variables"], r.variable) {
				t.Errorf("%s: variable %q is unknown to spec", r.path, r.variable)
			}
			if (r.ignore || r.along) && r.reason == "" {
				t.Errorf("%s is excused without a reason", r.path)
			}
			if first, _ := list.find(strings.ReplaceAll(r.path, "*", "x")); first.path != r.path {
				t.Errorf("%s is never reached: %s comes before it", r.path, first.path)
			}
		}
	}
}

// What a client cannot see of a target elsewhere is declared, and what nobody declared
// is not taken for equal.
func TestSystems(t *testing.T) {
	remote := func(host, system string) []string {
		return []string{"http://127.0.0.1:8101", "http://" + host + ":8000", `server: {command: [engine, serve, --port, "8101", --itl, 5ms, --eager]}`, system}
	}
	label := func(host, gpu string) []string {
		return append([]string{"name: one", "name: one\n  labels: {server_engine: vllm, server_gpu_type: " + gpu + ", server_gpu_count: '8'}"}, remote(host, "model: m")...)
	}
	h100, a100 := "system: {engine: vllm, gpuType: H100, gpuCount: 8}", "system: {engine: vllm, gpuType: A100, gpuCount: 8}"
	tests := []struct {
		name     string
		a, b     []string
		declared string
		want     []string // against the declared variable
	}{
		{"H100 and A100", remote("a", h100), remote("b", a100), "runtime_version", []string{"spec.target.system.gpuType: H100 → A100"}},
		{"H100 and A100 is what is asked", remote("a", h100), remote("b", a100), "hardware_generation", nil},
		{"the same", remote("a", h100), remote("b", h100), "runtime_version", nil},
		{"eight and four", remote("a", h100), remote("b", strings.Replace(h100, "8", "4", 1)), "runtime_version", []string{"spec.target.system.gpuCount: 8 → 4"}},
		{"deployments", remote("a", h100), remote("b", strings.Replace(h100, "engine", "deploymentModel: kserve_service, engine", 1)), "runtime_version", []string{"spec.target.system.deploymentModel: not given → kserve_service"}},
		{"old labels", label("a", "H100"), label("b", "A100"), "runtime_version", []string{"spec.target.system.gpuType: H100 → A100"}},
		{"a label and a field", label("a", "H100"), remote("b", h100), "runtime_version", nil},
		{"declared by one", remote("a", h100), remote("b", "system: {engine: vllm, gpuCount: 8}"), "runtime_version", []string{"spec.target.system.gpuType: H100 → not given"}},
		{"declared by none", remote("a", "model: m"), remote("b", "model: m"), "hardware_generation", []string{
			"spec.target.system.engine: not known → not known", "spec.target.system.gpuCount: not known → not known", "spec.target.system.gpuType: not known → not known",
		}},
		{"declared by none, at one address", remote("a", "model: m"), remote("a", "model: m"), "runtime_version", nil},
	}
	for _, tt := range tests {
		var got []string
		_, rest, _ := Controlled(Bundles(side(t, nil, tt.a...), side(t, nil, tt.b...)), tt.declared)
		for _, c := range rest {
			got = append(got, c.String())
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: besides %s these differ: %v, want %v", tt.name, tt.declared, got, tt.want)
		}
	}
	env := record.Environment{"server.engine": {Value: "vllm"}}
	if got := paths(Bundles(side(t, env, remote("a", "model: m")...), side(t, env, remote("b", "model: m")...))); slices.Contains(got, "spec.target.system.engine") {
		t.Errorf("an engine that both servers name is called unknown: %v", got)
	}
}
