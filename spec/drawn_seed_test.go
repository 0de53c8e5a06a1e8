package spec

import (
	"strings"
	"testing"
)

func TestWithSeed(t *testing.T) {
	const head = "apiVersion: assay.dev/v1alpha1\nkind: BenchmarkRun\nmetadata: {name: n}\n"
	for name, tt := range map[string]struct{ source, want string }{
		"block": {
			head + "spec:\n  # who is asked\n  target: {url: \"http://localhost:8000\"}\n  workload: {model: m}\n",
			head + "spec:\n  seed: 77\n  seedDrawn: true\n  # who is asked\n  target: {url: \"http://localhost:8000\"}\n  workload: {model: m}\n",
		},
		"flow": {
			head + "spec: {target: {url: \"http://localhost:8000\"}, workload: {model: m}}\n",
			head + "spec: {seed: 77, seedDrawn: true, target: {url: \"http://localhost:8000\"}, workload: {model: m}}\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			document, faults := Parse("", []byte(tt.source))
			if !Valid(faults) || !document.Run.DrawsSeed() {
				t.Fatalf("faults %v, draws a seed: %v", faults, document.Run.DrawsSeed())
			}
			got, err := WithSeed([]byte(tt.source), *document.Run, 77)
			if err != nil || string(got) != tt.want {
				t.Errorf("got %s, %v", got, err)
			}
		})
	}
	stated, _ := Parse("", []byte(head+"spec: {seed: 5, target: {url: \"http://localhost:8000\"}, workload: {model: m}}\n"))
	if stated.Run.DrawsSeed() {
		t.Error("a stated seed is drawn")
	}
}

// Runs of one document ask the same question, each with prompts of its own.
func TestDrawnSeedIsNotTheQuestion(t *testing.T) {
	const source = "apiVersion: assay.dev/v1alpha1\nkind: BenchmarkRun\nmetadata: {name: n}\nspec: {SEEDtarget: {url: \"http://localhost:8000\"}, workload: {model: m}}\n"
	digest := func(seed string) string {
		document, faults := Parse("", []byte(strings.Replace(source, "SEED", seed, 1)))
		if !Valid(faults) {
			t.Fatal(faults)
		}
		d, err := WorkloadDigest(*document.Run)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	if a, b := digest("seed: 5, seedDrawn: true, "), digest("seed: 6, seedDrawn: true, "); a != b {
		t.Error("two drawn seeds make two workloads")
	}
	if a, b := digest("seed: 5, "), digest("seed: 6, "); a == b {
		t.Error("two stated seeds make one workload")
	}
}
