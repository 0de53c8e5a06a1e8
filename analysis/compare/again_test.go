package compare

import (
	"path/filepath"
	"strings"
	"testing"

	"assay/analysis/scene"
	"assay/metric"
	"assay/plan"
	"assay/spec"
)

const againDocument = `
apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: engine}
spec:
  workload: {model: m}
  target: {url: "http://127.0.0.1:8101", server: {command: [engine, --version, "1"]}}
  load: {concurrency: [1], duration: 1s}
`

func againSide(t *testing.T, id string, replace ...string) Side {
	t.Helper()
	document := strings.NewReplacer(replace...).Replace(againDocument)
	b, err := scene.Run{Dir: filepath.Join(t.TempDir(), id), ID: id, Document: document, Launches: scene.Launches([]float64{1, 1, 1})}.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(b, metric.Estimates{}, "")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestAgain makes one run of two, in blocks, and plans it.
func TestAgain(t *testing.T) {
	text, err := Again(againSide(t, "old"), againSide(t, "new", `"1"`, `"2"`))
	if err != nil {
		t.Fatal(err)
	}
	doc, faults := spec.Parse("again.yaml", text)
	if !spec.Valid(faults) {
		t.Fatal(faults)
	}
	p, err := plan.New(*doc.Run)
	if err != nil {
		t.Fatal(err)
	}
	sides := p.Run.Spec.Sides()
	if len(sides) != 2 || sides[0].Target.Server.Command[2] != "1" || sides[1].Target.Server.Command[2] != "2" || p.Replicates() != leastBlocks {
		t.Errorf("planned %d blocks of %+v, want five of both engines\n%s", p.Replicates(), sides, text)
	}
	for i, l := range p.Launches {
		if l.Block != i/2 {
			t.Errorf("launch %d is of block %d: the sides do not take turns", i, l.Block)
		}
	}
}

// TestAgainRefuses names what keeps two runs from taking turns.
func TestAgainRefuses(t *testing.T) {
	const server = `, server: {command: [engine, --version, "1"]}`
	base := againSide(t, "old")
	f := func(a, b Side, want string) {
		t.Helper()
		if text, err := Again(a, b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q\n%s", err, want, text)
		}
	}
	f(base, againSide(t, "new", "1s", "2s"), "asked different things, and in one run both are asked the same: spec.load.duration: 1s → 2s")
	f(againSide(t, "remote", server, ""), againSide(t, "other", server, ""), "both were asked at http://127.0.0.1:8101, and assay starts neither server")
	f(base, againSide(t, "half", server, ""), "cannot take turns in one run")
	f(base, againSide(t, "secret", "8101\"", `8101", headers: {X-Key: "`+spec.Redacted+`"}`), "held a secret")
}
