package cheats

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/bundle"
	"assay/record"
	"assay/spec"
	"assay/tests/fixture"
	"assay/tests/program"
	"assay/tests/whole"
)

// A release is held to two metrics and names no error and no length: what the
// cheats below are after.
const release = `
apiVersion: assay.dev/v1alpha1
kind: GatePolicy
metadata: {name: release}
spec:
  metrics:
    - {metric: ttft.v2, statistic: p50, margin: 0.05}
    - {metric: output_throughput.v1, statistic: value, margin: 0.25}
`

// Exit codes of the gate.
const (
	passed      = 0
	refused     = 3
	advised     = 5
	advisedBad  = 6
	newerEngine = "0.12.0"
)

// write puts text into a new file.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestGateCheats holds dishonest candidates to an honest baseline. Each must be
// stopped, and by name.
func TestGateCheats(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	base := fixture.Run{ID: "base"}.Write(t, t.TempDir())
	lenient := strings.Replace(release, "spec:\n", "spec:\n  grade: exploratory\n", 1)
	tests := []struct {
		name      string
		candidate fixture.Run
		policy    string
		want      []string // each must be said
	}{
		{
			"inflated usage: a slower server reports more tokens than it sends",
			fixture.Run{Baseline: fixture.System{Version: newerEngine, Slow: 1.04, Usage: 14}}, release,
			[]string{"output-length (pair)", "output tokens per answer at concurrency=8: regressed"},
		},
		{
			"shorter answers",
			fixture.Run{Baseline: fixture.System{Version: newerEngine, Tokens: 9}}, release,
			[]string{"output-length (pair)", "output tokens per answer at concurrency=8: regressed: 9"},
		},
		{
			"a third of the requests fails, and the policy asks for no grade",
			fixture.Run{Baseline: fixture.System{Version: newerEngine, Failed: .33}}, lenient,
			[]string{"survivor-bias (run)", "error rate at concurrency=8: regressed", "FAILED"},
		},
		{
			"streams that end early",
			fixture.Run{Baseline: fixture.System{Version: newerEngine, Failed: .1, Failure: record.Truncated}}, lenient,
			[]string{"error rate at concurrency=8: regressed"},
		},
		{
			"errors that nobody wrote down",
			fixture.Run{Baseline: fixture.System{Version: newerEngine, Failed: .4, Hidden: true}},
			strings.Replace(lenient, "    - {metric: output_throughput.v1, statistic: value, margin: 0.25}\n", "", 1),
			[]string{"completed requests per second at concurrency=8: regressed"},
		},
		{
			"a launch that is gone",
			fixture.Run{Baseline: fixture.System{Version: newerEngine}, Lost: []int{2}}, release,
			[]string{"4 completed launches, 5 declared as the fewest"},
		},
		{
			"a shorter run",
			fixture.Run{Baseline: fixture.System{Version: newerEngine}, Spec: func(r *spec.Run) { r.Spec.Load.Duration /= 4 }, Window: 2500e6}, release,
			[]string{"not controlled: besides runtime_version these differ: spec.load.duration"},
		},
		{
			"other weights behind the same name",
			fixture.Run{Baseline: fixture.System{Version: newerEngine}, Inputs: func(in *bundle.Inputs) { in.Model.Digest = "sha256:" + strings.Repeat("12", 32) }}, release,
			[]string{"not controlled: besides runtime_version these differ: inputs.model"},
		},
		{
			"easier questions behind the same name",
			fixture.Run{Baseline: fixture.System{Version: newerEngine}, Spec: func(r *spec.Run) {
				r.Spec.Workload.SequenceLengthMix = []spec.SequenceLength{{InputTokens: 64, OutputTokens: 11, Weight: 1}}
			}}, release,
			[]string{"not controlled: besides runtime_version these differ: spec.workload.sequenceLengthMix"},
		},
		{
			"a run that nobody signed",
			fixture.Run{Baseline: fixture.System{Version: newerEngine}, Unsigned: true}, release,
			[]string{"ADVISORY, NOT PASSED", "of exploratory grade, and the policy wants publication"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			candidate := tt.candidate.Write(t, t.TempDir())
			got := program.Run(t, "", "gate", base, candidate, "--policy", write(t, "policy.yaml", tt.policy))
			wantRefused(t, got, tt.want...)
		})
	}
}

// wantRefused wants a verdict against the candidate that says all of want.
func wantRefused(t *testing.T, got program.Result, want ...string) {
	t.Helper()
	if !slices.Contains([]int{refused, advisedBad}, got.Code) {
		t.Errorf("exit %d, want %d or %d", got.Code, refused, advisedBad)
	}
	for _, text := range want {
		if !strings.Contains(got.Stdout, text) {
			t.Errorf("nobody says %q", text)
		}
	}
	if t.Failed() {
		t.Log(got.Text())
	}
}

// TestGateHonest lets honest pairs pass: two runs of publication grade, two sides of
// one, and a pair of realism grade, about which the verdict is advisory.
func TestGateHonest(t *testing.T) {
	t.Parallel()
	dir, policy := t.TempDir(), write(t, "policy.yaml", release)
	lenient := write(t, "lenient.yaml", strings.Replace(release, "spec:\n", "spec:\n  grade: realism\n", 1))
	newer := fixture.System{Version: newerEngine}
	base := fixture.Run{ID: "base"}.Write(t, dir)
	candidate := fixture.Run{ID: "candidate", Baseline: newer, Seed: 1}.Write(t, dir)
	both := fixture.Run{ID: "both", Candidate: &newer}.Write(t, t.TempDir())
	realism := fixture.Run{ID: "realism", Baseline: newer, Realism: true, Seed: 2}.Write(t, t.TempDir())
	realBase := fixture.Run{ID: "realism-base", Realism: true, Seed: 3}.Write(t, t.TempDir())
	for name, tt := range map[string]struct {
		args []string
		code int
		want string
	}{
		"two runs":  {[]string{base, candidate, "--policy", policy}, passed, "gate release: PASSED\n"},
		"two sides": {[]string{both + "@baseline", both + "@candidate", "--policy", policy}, passed, "gate release: PASSED\n"},
		"realism":   {[]string{realBase, realism, "--policy", lenient}, advised, "gate release: ADVISORY, NOTHING AGAINST IT: realism-base is of realism grade"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := program.Run(t, "", append([]string{"gate"}, tt.args...)...)
			if got.Code != tt.code || !strings.HasPrefix(got.Stdout, tt.want) {
				t.Errorf("exit %d, want %d and %q\n%s", got.Code, tt.code, tt.want, got.Text())
			}
		})
	}
}

// TestBestOfFive measures a candidate five times and shows the gate one run.
func TestBestOfFive(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	base, runs := fixture.Run{ID: "base"}.Write(t, t.TempDir()), t.TempDir()
	policy, newer := write(t, "policy.yaml", release), fixture.System{Version: newerEngine}
	for i, id := range []string{"one", "two", "three", "four", "best"} {
		fixture.Run{ID: id, Baseline: newer, Seed: uint64(i + 1), Launches: 3}.Write(t, runs)
	}
	best := filepath.Join(runs, "best")
	wantRefused(t, program.Run(t, "", "gate", base, best, "--policy", policy),
		"unreported-runs (best): void: 4 other runs of the same system are in the candidate's folder, and the gate was shown none of them: four, one, three, two; no reason was given")
	got := program.Run(t, "", "gate", base, best, "--policy", policy, "--reason", "the others tried the new dashboards")
	if !strings.Contains(got.Stdout, "CAUTION unreported-runs (best)") || !strings.Contains(got.Stdout, "the others tried the new dashboards") {
		t.Errorf("exit %d: the reason is not printed\n%s", got.Code, got.Text())
	}
}

// TestUntilItPasses shows one system to the gate again and again, and then moves
// the baseline; the history remembers.
func TestUntilItPasses(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	newer := fixture.System{Version: newerEngine, Slow: 1.3}
	base := fixture.Run{ID: "base"}.Write(t, t.TempDir())
	slower := fixture.Run{ID: "slower", Baseline: fixture.System{Slow: 1.3}, Seed: 9}.Write(t, t.TempDir())
	first := fixture.Run{ID: "first", Baseline: newer, Seed: 1}.Write(t, t.TempDir())
	lucky := newer
	lucky.Slow = 1
	second := fixture.Run{ID: "second", Baseline: lucky, Seed: 2}.Write(t, t.TempDir())
	policy, history := write(t, "policy.yaml", release), filepath.Join(t.TempDir(), "history.jsonl")
	gate := func(args ...string) program.Result {
		return program.Run(t, "", append([]string{"gate", "--policy", policy, "--history", history}, args...)...)
	}
	wantRefused(t, gate(base, first), "ttft.v2 p50 at concurrency=8: regressed")
	wantRefused(t, gate(base, second), "repeated-attempts (history): void: this is run 2 of the same system: this policy has refused 1 since")
	wantRefused(t, gate(slower, first), "moved-baseline (history): void: the baseline moved")
}

// TestLoosenedGuard lets a policy switch a guard off, and wants every verdict to say
// so.
func TestLoosenedGuard(t *testing.T) {
	t.Parallel()
	base := fixture.Run{ID: "base"}.Write(t, t.TempDir())
	longer := fixture.Run{ID: "longer", Baseline: fixture.System{Version: newerEngine, Tokens: 12}}.Write(t, t.TempDir())
	policy := release + "  guards:\n    outputTokens: {margin: 0.5, reason: the new template is longer}\n    errorRate: {off: true, reason: the load sheds requests by design}\n"
	got := program.Run(t, "", "gate", base, longer, "--policy", write(t, "policy.yaml", policy))
	for _, want := range []string{"the policy changes the margin of 0.1: the new template is longer", "switched off by the policy: the load sheds requests by design"} {
		if !strings.Contains(got.Stdout, want) {
			t.Errorf("the verdict does not say %q\n%s", want, got.Text())
		}
	}
	silent := strings.Replace(policy, ", reason: the new template is longer", "", 1)
	if got := program.Run(t, "", "gate", base, longer, "--policy", write(t, "policy.yaml", silent)); got.Code != 2 || !strings.Contains(got.Stderr, "spec.guards.outputTokens.reason") {
		t.Errorf("exit %d: a guard is loosened without a reason\n%s", got.Code, got.Text())
	}
}
