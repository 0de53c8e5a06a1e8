package spec

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

func digestOf(t testing.TB, data []byte) string {
	t.Helper()
	doc, faults := Parse("f", data)
	if !Valid(faults) {
		t.Fatalf("not valid:%s\n%s", lines(faults), data)
	}
	digest, err := WorkloadDigest(*doc.Run)
	if err != nil {
		t.Fatal(err)
	}
	return digest
}

// RFC 8785's own example of what canonical form does.
func TestCanonical(t *testing.T) {
	var v any
	text := `{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001], "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}`
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	got, err := Canonical(v)
	want := `{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`
	if err != nil || string(got) != want {
		t.Errorf("Canonical = %s, %v; want %s", got, err, want)
	}
}

// However a workload is spelled, its digest is the same.
func TestDigestIgnoresSpelling(t *testing.T) {
	base := `
apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: a}
spec:
  workload:
    model: m
    sequenceLengthMix:
      - {inputTokens: 512, outputTokens: 128, weight: 0.7}
      - {inputTokens: 64, outputTokens: 16, weight: 0.3}
    precision: bf16
  target: {url: "http://a:1", extraBody: {top_p: 0.5, stop: ["<&>", "é"], n: 1}}
  load: {duration: 60s, temperature: 0.7}
`
	f := func(old, new string) {
		t.Helper()
		if !strings.Contains(base, old) {
			t.Fatalf("the base has no %q", old)
		}
		if got, want := digestOf(t, []byte(strings.Replace(base, old, new, 1))), digestOf(t, []byte(base)); got != want {
			t.Errorf("%q for %q changed the digest", new, old)
		}
	}
	f("60s", "1m")
	f("60s", "'60000 ms'")
	f("0.7}\n", "0.70}\n")
	f("0.7}\n", "7e-1}\n")
	f("model: m", "model: 'm'")
	f("model: m", "\"model\": \"m\"")
	f("n: 1", "n: 1.0")
	f("http://a:1", "https://other:2/v1")
	f("{name: a}", "{name: b, labels: {x: y}}")
	f("duration: 60s", "duration: 60s, concurrency: [1, 4, 16], ignoreEOS: true, keepAnswers: true, requests: 0, calibrate: false")
	f("precision: bf16", "precision: bf16\n    batchingPolicy: as_served\n    correctness: {suite: []}\n    fixedAcrossTrials: [model]")
	f("url: \"http://a:1\"", "url: \"http://a:1\", model: m, api: openai-chat, timeout: 3m, headers: {X: {env: X}}")
	f("  target:", "  trials: {minReplicates: 9}\n  target:")
}

// What changes the question changes the digest.
func TestDigestSeesTheQuestion(t *testing.T) {
	base := example(t, "realism-mixed.yaml")
	seen := map[string]string{digestOf(t, base): "base"}
	for _, p := range []patch{
		{"spec.workload.model", "other"},
		{"spec.workload.prompt.prefixTokens", 65},
		{"spec.workload.sequenceLengthMix[0].inputTokens", 513},
		{"spec.workload.correctness.maxAccuracyDeltaPct", 2},
		{"spec.target.model", "adapter"},
		{"spec.target.api", "openai-completions"},
		{"spec.target.extraBody.top_p", 0.9},
		{"spec.target.extraBody.stop", []string{}},
		{"spec.load.temperature", 0.8},
		{"spec.load.burstiness", 0.6},
		{"spec.load.stages[0].duration", "3m"},
		{"spec.train.steps", 51},
		{"spec.seed", 7},
	} {
		digest := digestOf(t, patched(t, base, p))
		if other := seen[digest]; other != "" {
			t.Errorf("%s has the digest of %s", p.path, other)
		}
		seen[digest] = p.path
	}
}

// Shuffled keys, JSON or YAML, block or flow, with or without its defaults
// written: one digest.
func TestDigestProperty(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{minimal, "realism-mixed.yaml", "two-node.yaml", serving, training} {
		want := digestOf(t, example(t, name))
		var tree any
		if err := yaml.Unmarshal(example(t, name), &tree); err != nil {
			t.Fatal(err)
		}
		for range 20 {
			shuffled := shuffledYAML(tree, rng)
			if got := digestOf(t, []byte(shuffled)); got != want {
				t.Fatalf("%s: digest %s, want %s for\n%s", name, got, want, shuffled)
			}
		}
		resolved, _ := Resolve(parseExample(t, name))
		written, err := WriteYAML(resolved)
		if err != nil {
			t.Fatal(err)
		}
		if got := digestOf(t, written); got != want {
			t.Errorf("%s with defaults written: digest %s, want %s", name, got, want)
		}
	}
}

// shuffledYAML writes a tree in flow form with keys in random order, quoted at
// random.
func shuffledYAML(tree any, rng *rand.Rand) string {
	switch v := tree.(type) {
	case map[string]any:
		var entries []string
		for key, value := range v { // a map's order is random too, but not seeded
			entries = append(entries, fmt.Sprintf("%q: %s", key, shuffledYAML(value, rng)))
		}
		rng.Shuffle(len(entries), func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
		return "{" + strings.Join(entries, ", ") + "}"
	case []any:
		var items []string
		for _, item := range v {
			items = append(items, shuffledYAML(item, rng))
		}
		return "[" + strings.Join(items, ",\n") + "]"
	case string:
		if rng.IntN(2) == 0 {
			return "'" + strings.ReplaceAll(v, "'", "''") + "'"
		}
		return fmt.Sprintf("%q", v)
	default:
		return fmt.Sprint(v)
	}
}
