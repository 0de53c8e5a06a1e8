package warehouse

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"assay/analysis/compare"
	"assay/analysis/gate"
	"assay/analysis/scene"
	"assay/bundle"
	"assay/finding"
	"assay/judge"
	"assay/judge/pair"
	"assay/spec"
)

// Kept runs teach a gate how much launches and days spread: two runs hours apart that differ by
// less than days do are not called regressed and do not pass, and a candidate that is far worse
// regresses. Neither side counts as its own past, and a step is no spread.
func TestPast(t *testing.T) {
	w := writer(t, t.TempDir())
	rng := rand.New(rand.NewPCG(1, 2))
	key, err := bundle.GenerateKey()
	must(t, err)
	night := func(i int, slow float64) string {
		dir := t.TempDir() + fmt.Sprintf("/night-%02d", i)
		_, err := scene.Run{
			Dir: dir, ID: fmt.Sprintf("night-%02d", i), Document: document, Environment: machine("570"), Signer: key, Begun: time.Date(2026, 3, 1+i, 2, 0, 0, 0, time.UTC),
			Launches: []scene.Launch{{Slow: slow, Requests: 8}, {Slow: slow * 1.01, Requests: 8}, {Slow: slow * .99, Requests: 8}},
		}.Build(t.Context())
		must(t, err)
		keep(t, w, dir)
		return dir
	}
	for i := range 6 {
		night(i, 2) // an older level
	}
	for i := 6; i < 18; i++ {
		night(i, 1+.03*rng.NormFloat64())
	}
	baseline, equal, worse := night(18, 1), night(19, 1.02), night(20, 1.5)
	unvoid(t, w)

	j, err := judge.Open(baseline, options)
	must(t, err)
	past, err := w.Past(t.Context(), j)
	must(t, err)
	of := finding.Result{Metric: "ttft.v2", Statistic: "p50", Point: j.Plan.Points[0].Name}
	known, ok := past(of, j.Bundle.Manifest.Digest)
	if !ok || known.Runs < 12 || known.Runs > 14 || known.Launch.SD > .02 || known.RunSD() < .01 || known.RunSD() > .2 {
		t.Errorf("learnt %+v, %v: %v from run to run; want the nights of the newest level", known, ok, known.RunSD())
	}
	for id, want := range map[string]bool{key.Public().ID: true, strings.Repeat("0", 64): false} {
		past, err := w.Past(t.Context(), j, id)
		must(t, err)
		if _, ok := past(of, j.Bundle.Manifest.Digest); ok != want {
			t.Errorf("runs by the key %.8s teach: %v, want %v", id, ok, want)
		}
	}
	if _, ok := past(finding.Result{Metric: "none.v1", Statistic: "p50"}); ok {
		t.Error("something is known of a metric that no run has")
	}
	policy, _ := spec.ResolvePolicy(spec.GatePolicy{Spec: spec.GateDemands{Grade: "exploratory", Metrics: []spec.GatedMetric{{Metric: "ttft.v2", Statistic: "p50", Margin: .05}}}})
	for _, tt := range []struct {
		candidate string
		remembers bool
		want      gate.Verdict
		reason    string
	}{
		{equal, false, gate.Inconclusive, "neither spec.runSpread nor a warehouse"},
		{worse, true, gate.Regressed, "significantly worse"},
	} {
		bundles := pair.NewReader(func(dir string) (*judge.Judgement, error) { return judge.Open(dir, options) })
		if tt.remembers {
			bundles = bundles.Remembering(func(j *judge.Judgement) (compare.Past, error) { return w.Past(t.Context(), j) })
		}
		in, err := bundles.Gate(pair.GateAsk{Policy: policy, Baseline: baseline, Candidate: tt.candidate})
		must(t, err)
		// Runs of a scene measure nothing of the client, which voids them.
		in.Baseline.Against, in.Candidate.Against, in.Audits = nil, nil, nil
		r, err := gate.Judge(in)
		must(t, err)
		d := r.Metrics[0]
		if d.Verdict != tt.want || !strings.Contains(d.Reason, tt.reason) || (d.Past != nil) != tt.remembers {
			t.Errorf("remembering %v: %s because %q, past %+v; want %s because of %q", tt.remembers, d.Verdict, d.Reason, d.Past, tt.want, tt.reason)
		}
	}
}
