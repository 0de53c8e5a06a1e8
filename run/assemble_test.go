package run

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/bundle"
	"assay/plan"
	"assay/telemetry"
)

// carryOutPart makes some launches of a plan, as a host does that others share the run with.
func carryOutPart(t *testing.T, p plan.Plan, source []byte, nodes []bundle.Node, only []int) *bundle.Bundle {
	t.Helper()
	host := telemetry.Local(t.Context())
	defer host.Close()
	result, err := Execute(t.Context(), p, Options{
		Source: source, Out: t.TempDir(), Tool: bundle.Tool{Name: "test", Version: "0"}, Now: time.Now(), Host: host, Nodes: nodes, Only: only,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := result.Bundle.Seal(t.Context(), result.Status, bundle.SealOptions{}); err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Open(result.Bundle.Dir())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Parts that two sets of hosts made are one run: every launch of the plan is there once,
// on its own set, and what the clients say adds up.
func TestAssemble(t *testing.T) {
	fields := fmt.Sprintf(`workload: {model: m, sequenceLengthMix: [{inputTokens: 4, outputTokens: 1, weight: 1}]},
		target: {url: %q}, candidates: [{name: new, target: {url: %q}}], trials: {sets: 2},
		load: {concurrency: [1], requests: 5, duration: 10s, warmup: {}, calibrate: false}`, named(t, "old-engine"), named(t, "new-engine"))
	p, source := planOf(t, fields), documentOf(fields)
	nodes := []bundle.Node{{Name: "a"}, {Name: "b"}}
	var parts []*bundle.Bundle
	for set := range 2 {
		var only []int
		for _, l := range p.Launches {
			if l.Set == set+1 {
				only = append(only, l.Index)
			}
		}
		parts = append(parts, carryOutPart(t, p, source, nodes, only))
	}
	o := Options{Source: source, Out: t.TempDir(), Tool: bundle.Tool{Name: "test", Version: "0"}, Now: time.Now(), Nodes: nodes}
	result, err := Assemble(p, o, parts, bundle.Failed)
	if err != nil || result.Status != bundle.Completed {
		t.Fatalf("%+v, %v", result, err)
	}
	if _, err := result.Bundle.Seal(t.Context(), result.Status, bundle.SealOptions{}); err != nil {
		t.Fatal(err)
	}
	b, err := bundle.OpenVerified(result.Bundle.Dir(), bundle.Trust{})
	if err != nil || !b.Seal.Verified {
		t.Fatalf("%v, %+v", err, b.Seal)
	}
	on := map[string]int{}
	for _, l := range b.Launches() {
		on[fmt.Sprint(l.Side, l.Nodes)]++
	}
	if len(on) != 4 || slices.Max([]int{on["baseline[a]"], on["baseline[b]"], on["new[a]"], on["new[b]"]}) != 3 {
		t.Errorf("launches by side and hosts: %v, want three of each", on)
	}
	if engine := b.Manifest.Environment["side.new.server.engine"].Value; engine == nil {
		t.Errorf("nothing is known of the candidate: %v", b.Manifest.Environment)
	}
	var health [3]Health
	for i, m := range []bundle.Manifest{b.Manifest, parts[0].Manifest, parts[1].Manifest} {
		if err := json.Unmarshal(m.Health, &health[i]); err != nil {
			t.Fatal(err)
		}
	}
	if h := health; h[1].Requests == 0 || h[0].Requests != h[1].Requests+h[2].Requests || h[0].WallSeconds != h[1].WallSeconds+h[2].WallSeconds || h[0].Balance.check() != nil {
		t.Errorf("health %+v of parts %+v and %+v", h[0], h[1], h[2])
	}
	if half, err := Assemble(p, o, parts[:1], bundle.Aborted); err != nil || half.Status != bundle.Aborted {
		t.Errorf("half of it: %+v, %v, want what it was said to be", half, err)
	}
	parts[1].Manifest.Inputs.Datasets = []bundle.Input{{Name: "prompts", Digest: "sha256:00"}}
	if _, err := Assemble(p, o, parts, bundle.Failed); err == nil || !strings.Contains(err.Error(), "want the same files on every host") {
		t.Errorf("with other prompts: %v", err)
	}
}
