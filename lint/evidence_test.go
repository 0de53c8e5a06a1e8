package lint

import (
	"slices"
	"strings"
	"testing"

	"assay/bundle"
	"assay/finding"
	"assay/record"
	"assay/spec"
)

// Missing evidence is not a pass: a publication without any says of every check
// that needs some what it lacks.
func TestMissingEvidence(t *testing.T) {
	s := clean()
	s.environment, s.inputs, s.samples, s.clocks = record.Environment{}, bundle.Inputs{}, nil, nil
	s.also(func(r *spec.Run) { r.Spec.Target.URL, r.Spec.Target.Server = "http://inference.example:8000", nil })
	s.start, s.topology = nil, ""
	s.state = func(f *Facts) []Statement {
		return []Statement{
			{Metric: "tpot.v1", Statistic: "p50", Point: "concurrency=64"},
			{Metric: "ttft.v2", Point: "concurrency=64", Deterministic: true},
			{Metric: "speedup", Scaling: &Scaling{Kind: "strong", Points: []ScalingPoint{{Workers: 8, Speedup: 8}}}},
			{Metric: "step", Aggregation: MeanOverRanks},
		}
	}
	s.spoil = func(f *Facts) { f.Statements[0].N = 9 }
	audit := Run(s.facts(t))
	for check, want := range map[string]string{
		"throttling": "on another host", "placement-changed": "nodes of each launch", "noisy-neighbours": "pressure and steal",
		"mutable-inputs": "the digest of the engine's image and the digest of the model's weights", "shared-nodes": "cpu.threads",
		"best-of-n": "an estimate of ttft.v2 at concurrency=64", "pooled-requests": "an estimate of tpot.v1 p50 at concurrency=64",
		"perfect-speedup": "the time in collectives", "scaling-kind": "the global batch", "slowest-rank-hidden": "the steps of every rank",
		"not-deterministic": "over two launches",
	} {
		i := slices.IndexFunc(audit.Results, func(r Result) bool { return r.Check == check })
		if r := audit.Results[i]; r.State != NotChecked || !strings.Contains(r.Missing, want) {
			t.Errorf("%s: got %s, lacking %q, want not_checked, lacking %q", check, r.State, r.Missing, want)
		}
	}
	i := slices.IndexFunc(audit.Findings, func(f finding.Finding) bool { return f.Check == "incomplete-manifest" })
	if i < 0 || !strings.Contains(audit.Findings[i].Message, "lacks 24 of 24 required fields") {
		t.Errorf("an empty manifest is not called incomplete: %+v", audit.Findings)
	}
}

// An ordinary exploratory run on a busy machine without accelerators, about which
// nobody states anything, is told nothing by the checks for publications.
func TestExploratoryRun(t *testing.T) {
	s := clean()
	s.also(realism)
	s.also(func(r *spec.Run) {
		r.Spec.Target.Server.Command = []string{"assay", "sim"}
		r.Spec.SLO = nil
	})
	s.launches, s.unsigned, s.state, s.start, s.inputs = 3, true, nil, nil, bundle.Inputs{}
	s.environment = record.Environment{"pci.gpus": {Value: []string{}}}
	s.samples = func(int) []record.Sample { return nil }
	audit := Run(s.facts(t))
	for _, f := range audit.Findings {
		if slices.ContainsFunc(slices.Concat(core, rules), func(c Check) bool { return c.ID == f.Check }) {
			t.Errorf("%s %s: %s", f.Severity, f.Check, f.Message)
		}
	}
	for _, r := range audit.Results {
		if strings.HasPrefix(r.Code, "P") && r.State == NotChecked && r.Severity == finding.Void {
			t.Errorf("%s was not checked: %s", r.Check, r.Missing)
		}
	}
}

// Two clean runs of one system differ in nothing, and a pair is told so by the
// checks for pairs; only their times lie apart where they do.
func TestCleanPair(t *testing.T) {
	t.Parallel()
	s := clean()
	s.against = func(*scene) {}
	quality := Quality{Task: "gsm8k", Run: "scene", Delta: -.2}
	also(Statement{Metric: "gsm8k", Quality: &quality})(&s)
	audit := Run(s.facts(t))
	for _, f := range audit.Findings {
		if f.Severity != finding.Note && slices.ContainsFunc(slices.Concat(core, rules), func(c Check) bool { return c.ID == f.Check }) {
			t.Errorf("%s %s: %s", f.Severity, f.Check, f.Message)
		}
	}
	for _, id := range []string{"weak-baseline", "apples-to-oranges", "quality-reached", "throttling"} {
		i := slices.IndexFunc(audit.Results, func(r Result) bool { return r.Check == id })
		if audit.Results[i].State != Passed {
			t.Errorf("%s: %+v", id, audit.Results[i])
		}
	}
}

// A baseline whose setting is the best of three is no weak one; an honest
// speed-up and honest steps pass every check of scaling.
func TestHonestStudies(t *testing.T) {
	s := clean()
	trained(nil)(&s)
	scaled(nil)(&s)
	s.against = func(b *scene) { b.also(func(r *spec.Run) { r.Spec.Workload.Precision = "fp32" }) }
	stating(func(f *Facts) {
		f.Tuning = []Tuning{{Knob: "precision", Better: "higher", Settings: []Setting{
			{Value: "bf16", Result: 1}, {Value: "fp32", Result: 3}, {Value: "fp8", Result: 2},
		}}}
	})(&s)
	audit := Run(s.facts(t))
	for _, id := range []string{
		"weak-baseline", "perfect-speedup", "superlinear-efficiency", "scaling-kind", "line-through-two-points", "speedup-base",
		"slowest-rank-hidden", "wrong-scope", "parallel-timing",
	} {
		i := slices.IndexFunc(audit.Results, func(r Result) bool { return r.Check == id })
		if audit.Results[i].State != Passed {
			t.Errorf("%s: %+v", id, audit.Results[i])
		}
	}
}

// A host has more devices than a small server uses: what idle ones do forbids
// nothing.
func TestIdleDevice(t *testing.T) {
	f := clean().facts(t)
	falling := make([]float64, 60)
	for i := range falling {
		falling[i] = 1980 - 20*float64(i)
	}
	idle := GPUTally{UUID: "GPU-2c", Readings: 60, Reasons: map[string]int{"hw_slowdown": 60}, Clock: falling, Used: []float64{0, 0, .01}}
	f.GPUs = append(slices.Clone(f.GPUs), idle)
	if got := Throttling.Run(f); len(got.Findings) > 0 || got.Missing != "" {
		t.Errorf("an idle device is told off: %+v", got)
	}
	f.GPUs[len(f.GPUs)-1].Used = []float64{.9}
	if got := Throttling.Run(f); len(got.Findings) != 2 {
		t.Errorf("a busy device gave %+v, want its reason and its drift", got)
	}
}
