package gate

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/analysis/compare"
	"assay/analysis/scene"
	"assay/bundle"
	"assay/metric"
	"assay/plan"
	"assay/spec"
)

const document = `
apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: t}
spec:
  workload: {model: m}
  target: {url: "http://127.0.0.1:8101", server: {command: [engine, --version, "1"]}}
  load: {concurrency: [1], duration: 1s}
`

const policyText = `
apiVersion: assay.dev/v1alpha1
kind: GatePolicy
metadata: {name: release}
spec:
  grade: realism
  metrics:
    - {metric: ttft.v2, statistic: p50, margin: 0.05}
    - {metric: output_throughput.v1, statistic: value, margin: 0.05}
`

func policy(t *testing.T, replace ...string) spec.GatePolicy {
	t.Helper()
	doc, faults := spec.Parse("policy.yaml", []byte(strings.NewReplacer(replace...).Replace(policyText)))
	if !spec.Valid(faults) {
		t.Fatal(faults)
	}
	resolved, _ := spec.ResolvePolicy(*doc.Policy)
	return resolved
}

func side(t *testing.T, id string, slow []float64, replace ...string) compare.Side {
	t.Helper()
	return open(t, scene.Run{Dir: filepath.Join(t.TempDir(), id), ID: id, Document: strings.NewReplacer(replace...).Replace(document), Launches: scene.Launches(slow)}, "")
}

// open opens a side of the run, which is built unless it is there.
func open(t *testing.T, r scene.Run, name string) compare.Side {
	t.Helper()
	b, err := bundle.Open(r.Dir)
	if err != nil {
		b, err = r.Build(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	data, err := b.ReadFile(bundle.PlanFile)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	estimates, _, err := metric.JudgeWatched(b, p, "test", metric.Watcher{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := compare.Open(b, estimates, name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func realism(compare.Side) (string, []string) { return "realism", nil }

func TestJudge(t *testing.T) {
	base := side(t, "base", noise(5, 1, .01, 1))
	same := side(t, "same", noise(5, 1, .01, 2))
	slow := side(t, "slow", noise(5, 1.2, .01, 3), `"1"`, `"2"`)
	slowAgain := side(t, "slow-again", noise(5, 1.2, .01, 4), `"1"`, `"2"`)
	calm := side(t, "calm", noise(5, 1, .01, 5), `"1"`, `"2"`)
	other := side(t, "other", noise(5, 1, .01, 6), "model: m", "model: n")

	tests := []struct {
		name    string
		in      Input
		passed  bool
		reasons []string // each must be part of one
		alerts  int
	}{
		{"itself", Input{Candidate: same}, true, nil, 0},
		{"its own bundle", Input{Candidate: base}, false, []string{"own bundle"}, 0},
		{"slower", Input{Candidate: slow}, false, []string{"ttft.v2 p50 at concurrency=1: regressed", "output_throughput.v1 at concurrency=1: regressed"}, 2},
		{"slower twice", Input{Candidate: slow, Confirmation: &slowAgain}, false, []string{"ttft.v2 p50 at concurrency=1: regressed", "output_throughput.v1"}, 2},
		{"slower once", Input{Candidate: slow, Confirmation: &calm}, true, nil, 2},
		{"confirmed by itself", Input{Candidate: slow, Confirmation: &slow}, false, []string{"own bundle", "ttft", "output"}, 2},
		{"confirmed by something else", Input{Candidate: slow, Confirmation: &same}, false, []string{"not the candidate again", "ttft", "output"}, 2},
		{"another question", Input{Candidate: other}, false, []string{"not controlled: besides runtime_version these differ: spec.target.model, spec.workload.model"}, 0},
		{"another question, allowed", Input{Candidate: other, Policy: policy(t, "grade: realism", "grade: realism\n  controlled: false")}, true, nil, 0},
		{"a point that is not there", Input{Candidate: same, Policy: policy(t, "p50,", "p50, points: [concurrency=9],")}, false, []string{"ttft.v2 p50 at concurrency=9: missing: neither side has it"}, 0},
		{"a weak grade", Input{Candidate: same, Policy: policy(t, "grade: realism", "grade: publication")}, false, []string{"base: of realism grade", "same: of realism grade"}, 0},
		{"a percentile without requests", Input{Candidate: same, Policy: policy(t, "p50", "p99")}, false, []string{"ttft.v2 p99 at concurrency=1: inconclusive: too few requests"}, 0},
		{"the same, forgiven", Input{Candidate: same, Policy: policy(t, "p50", "p99", "grade: realism", "grade: realism\n  inconclusive: pass")}, true, nil, 0},
		{"accuracy is missing", Input{Candidate: same, Policy: policy(t, "  metrics:", "  accuracy: [{metric: gsm8k, tolerance: 0.01}]\n  metrics:")}, false, []string{"gsm8k: missing"}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.in.Baseline, tt.in.Grade = base, realism
			if tt.in.Policy.Kind == "" {
				tt.in.Policy = policy(t)
			}
			r, err := Judge(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			if r.Passed != tt.passed || len(r.Reasons) != len(tt.reasons) {
				t.Errorf("passed %v because of %v, want %v because of %q", r.Passed, r.Reasons, tt.passed, tt.reasons)
			}
			for _, want := range tt.reasons {
				if !slices.ContainsFunc(r.Reasons, func(got Reason) bool { return strings.Contains(got.String(), want) }) {
					t.Errorf("reasons %v, want one with %q", r.Reasons, want)
				}
			}
			if e := r.Entry(); len(e.Alerts) != tt.alerts || e.Passed != tt.passed || len(e.Verdicts) != len(r.Metrics)+len(r.Accuracy) {
				t.Errorf("entry %+v, want %d alerts", e, tt.alerts)
			}
		})
	}
	for _, wrong := range [][]string{{"ttft.v2", "ttft.v9"}, {"p50", "value"}, {"statistic: value", "statistic: p99"}} {
		if _, err := Judge(Input{Policy: policy(t, wrong...), Baseline: base, Candidate: same, Grade: realism}); err == nil {
			t.Errorf("a policy with %s for %s is taken", wrong[1], wrong[0])
		}
	}
}

// TestConfirmedInBlocks confirms with a second run of both sides, which differs
// from the first by what the machine did that day.
func TestConfirmedInBlocks(t *testing.T) {
	both := func(id string, day float64, seed uint64) (baseline, candidate compare.Side) {
		r := scene.Run{Dir: filepath.Join(t.TempDir(), id), ID: id}
		r.Document = strings.Replace(document, "  load:", "  candidates: [{name: new, target: {url: 'http://127.0.0.1:8102', server: {command: [engine, --version, '2']}}}]\n  load:", 1)
		for block, slow := range noise(4, day, .05, seed) {
			again := slow * noise(1, 1.1, .004, seed+uint64(block)+10)[0]
			r.Launches = append(r.Launches, scene.Launch{Side: "baseline", Block: block, Slow: slow}, scene.Launch{Side: "new", Block: block, Slow: again})
		}
		return open(t, r, "baseline"), open(t, r, "new")
	}
	baseline, candidate := both("first", 1, 1)
	baselineAgain, again := both("second", .7, 2) // a day on which everything is faster
	in := Input{Policy: policy(t), Baseline: baseline, Candidate: candidate, Confirmation: &again, Grade: realism}
	alone, err := Judge(in)
	if err != nil {
		t.Fatal(err)
	}
	in.ConfirmationBaseline = &baselineAgain
	blocks, err := Judge(in)
	if err != nil {
		t.Fatal(err)
	}
	if !alone.Passed || blocks.Passed || len(blocks.Confirmation.Second) != 2 || blocks.Confirmation.Second[0].Verdict != Regressed {
		t.Errorf("against the baseline of another day passed %v (want so), against its own %v: %+v", alone.Passed, blocks.Passed, blocks.Confirmation)
	}
}

func TestAccuracy(t *testing.T) {
	asked := policy(t, "  metrics:", "  accuracy: [{metric: gsm8k, tolerance: 0.01}, {metric: perplexity, tolerance: 0.1, better: lower}]\n  metrics:")
	f := func(text string, want ...Verdict) {
		t.Helper()
		deltas, err := ReadAccuracy("a.json", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		decisions, err := judgeAccuracy(Input{Policy: asked, Accuracy: deltas})
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range decisions {
			if d.Verdict != want[i] {
				t.Errorf("%s: %s is %s because %s, want %s", text, d.Metric, d.Verdict, d.Reason, want[i])
			}
		}
	}
	f(`[]`, Missing, Missing)
	f(`[{"metric": "gsm8k", "value": -0.002, "interval": [-0.008, 0.004], "confidence": 0.95}]`, NotWorse, Missing)
	f(`[{"metric": "gsm8k", "value": -0.002, "interval": [-0.02, 0.016], "confidence": 0.95}]`, Inconclusive, Missing)
	f(`[{"metric": "gsm8k", "value": -0.05, "interval": [-0.08, -0.02], "confidence": 0.95}]`, Regressed, Missing)
	f(`[{"metric": "gsm8k", "value": 0, "interval": [0, 0], "confidence": 0.5}]`, Inconclusive, Missing)
	f(`[{"metric": "perplexity", "value": 0.5, "interval": [0.4, 0.6], "confidence": 0.99}]`, Missing, Regressed)
	for _, wrong := range []string{`{}`, `[{}]`, `[{"metric": "a", "value": 1, "interval": [2, 3], "confidence": 0.9}]`, `[{"metric": "a", "valeu": 1}]`, `[{"metric": "a", "value": 1, "interval": [0, 2]}]`} {
		if _, err := ReadAccuracy("a.json", []byte(wrong)); err == nil {
			t.Errorf("%s is taken", wrong)
		}
	}
}
