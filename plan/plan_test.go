package plan

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/spec"
)

const document = `apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: small}
spec:
  workload:
    model: m
    sequenceLengthMix: [{inputTokens: 100, outputTokens: 41, weight: 1}]
  target: {url: "http://127.0.0.1:8000"}
  load:
    concurrency: [1, 10]
    duration: 100s
    requests: 400
    warmup: {}
  cost: {gpuHourlyUSD: 3.6, gpuCount: 2, outputPerMillionUSD: 1000}
  trials: {minReplicates: 5}
`

func parse(t testing.TB, text string) spec.Run {
	t.Helper()
	doc, faults := spec.Parse("test.yaml", []byte(text))
	if !spec.Valid(faults) {
		t.Fatalf("the test's document has faults: %v", faults)
	}
	return *doc.Run
}

func TestNew(t *testing.T) {
	p, err := New(parse(t, document))
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Points) != 2 || p.Points[1].Name != "concurrency=10" || p.Points[1].Concurrency != 10 {
		t.Errorf("points = %+v", p.Points)
	}
	if len(p.Launches) != 5 || p.Launches[0].Seed == p.Launches[1].Seed {
		t.Errorf("launches = %+v, want five with seeds of their own", p.Launches)
	}
	// 0.2 s + 41 × 0.02 s = 1.02 s each: one user sends 98 in 100 s, ten send 980
	// and are stopped at 400.
	if got := []int64{p.Expected.PerPoint[0].Requests, p.Expected.PerPoint[1].Requests}; got[0] != 98 || got[1] != 400 {
		t.Errorf("expected requests = %v, want 98 and 400", got)
	}
	if p.Expected.Seconds != 1000 || p.Expected.Requests != 5*498 {
		t.Errorf("expected %v s and %d requests, want 1000 and 2490", p.Expected.Seconds, p.Expected.Requests)
	}
	// $3.6 × 2 for 1000 s, and 2490 × 41 tokens at $1000 per million.
	if want := 2.0 + 102.09; math.Abs(*p.Expected.CostUSD-want) > 1e-9 {
		t.Errorf("cost = %v, want %v", *p.Expected.CostUSD, want)
	}
	p99 := p.Precision.Percentile[3]
	if p99.Quantile != 0.99 || p99.Need != 368 || len(p99.Certified) != 1 || p99.Certified[0] != 1 {
		t.Errorf("p99 = %+v, want 368 needed and reached at point 1 only", p99)
	}
	for _, e := range p.Precision.Effects {
		if e.CV == 0.03 && math.Abs(e.Detectable-0.061) > 0.0005 {
			t.Errorf("detectable effect at CV 3 %% = %v, want 6.1 %%", e.Detectable)
		}
	}
}

// A plan is a function of the document: bytes and all.
func TestDeterministic(t *testing.T) {
	first, err := New(parse(t, document))
	if err != nil {
		t.Fatal(err)
	}
	a, err := first.Encode()
	if err != nil {
		t.Fatal(err)
	}
	second, err := New(parse(t, document))
	if err != nil {
		t.Fatal(err)
	}
	b, err := second.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Error("two plans of one document differ")
	}
	decoded, err := Decode(a)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := decoded.Encode(); err != nil || !bytes.Equal(a, c) {
		t.Errorf("a plan changed by being read (%v)", err)
	}
}

func TestRandomisedOrder(t *testing.T) {
	text := strings.Replace(document, "concurrency: [1, 10]", "concurrency: [1, 2, 3, 4, 5, 6, 7, 8]\n    order: randomised", 1)
	p, err := New(parse(t, text))
	if err != nil {
		t.Fatal(err)
	}
	different := false
	for _, l := range p.Launches {
		seen := map[int]bool{}
		for i, index := range l.Order {
			seen[index] = true
			different = different || index != i
		}
		if len(seen) != 8 {
			t.Errorf("order %v does not hold every point once", l.Order)
		}
	}
	if !different {
		t.Error("no launch is out of order")
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, text := range []string{"", "{", `{"version":"2.0"}`, `{"version":7}`} {
		if _, err := Decode([]byte(text)); err == nil {
			t.Errorf("plan %q was read", text)
		}
	}
}

func TestSeed(t *testing.T) {
	seen := map[int64]bool{}
	for parent := range int64(20) {
		for number := range int64(20) {
			for _, purpose := range []string{"launch", "workload"} {
				s := Seed(parent, purpose, number)
				if s < 0 || s >= 1<<53 || seen[s] {
					t.Fatalf("Seed(%d, %s, %d) = %d: negative, beyond 53 bits or seen before", parent, purpose, number, s)
				}
				seen[s] = true
			}
		}
	}
}

// Any document that is valid can be planned, and its plan can be read back.
func FuzzPlan(f *testing.F) {
	f.Add([]byte(document))
	examples, err := filepath.Glob("../examples/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range examples {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, faults := spec.Parse("fuzz.yaml", data)
		if !spec.Valid(faults) || doc == nil || doc.Run == nil {
			return
		}
		p, err := New(*doc.Run)
		if err != nil {
			return
		}
		encoded, err := p.Encode()
		if err != nil {
			t.Fatalf("a valid document has no plan.json: %v", err)
		}
		again, err := Decode(encoded)
		if err != nil {
			t.Fatalf("plan.json cannot be read back: %v", err)
		}
		if b, err := again.Encode(); err != nil || !bytes.Equal(encoded, b) {
			t.Fatalf("a plan changed by being read (%v)", err)
		}
	})
}

// Tasks whose answers are not text expect no output tokens.
func TestExpectedTokensOfTasks(t *testing.T) {
	prompt := spec.Prompt{Task: spec.TextToEmbeddings, Scenario: "E(64)", Details: spec.Details{Documents: 2}}
	p, err := New(spec.Run{Spec: spec.RunSpec{
		Workload: spec.Workload{Model: "m", Prompt: prompt},
		Intent:   spec.Intent{WorkloadType: spec.Inference}, Load: &spec.Load{Concurrency: []int{1}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if e := p.Expected; e.OutputTokens != 0 || e.InputTokens != 128*e.Requests || e.Requests == 0 {
		t.Errorf("expected %+v, want 128 tokens in and none out for each request", e)
	}
}
