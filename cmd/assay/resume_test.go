package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"assay/bundle"
	"assay/sim"
	"assay/sim/simtest"
	"assay/tests/whole"
)

// resumable is a spec of three short launches against a simulator that stays up.
func resumable(t *testing.T, more string) string {
	t.Helper()
	url := simtest.Serve(t, sim.Config{Fixed: &sim.Fixed{TTFT: 5 * time.Millisecond, ITL: time.Millisecond, Tokens: 8}})
	text := fmt.Sprintf(`# kept as it is
{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: long},
spec: {workload: {model: sim, sequenceLengthMix: [{inputTokens: 8, outputTokens: 8, weight: 1}]},
  target: {url: %q, headers: {x-request-id: mine%s}}, load: {calibrate: false, concurrency: [2], duration: 700ms, warmup: {duration: 100ms}}}}`, url, more)
	path := filepath.Join(t.TempDir(), "long.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// interruptRun starts a run of specFile and sends it signal in its second launch.
func interruptRun(t *testing.T, specFile, out string, signal os.Signal) (dir, stderr string) {
	t.Helper()
	cmd := program(t.Context(), "run", specFile, "--out", out)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(3 * time.Minute); dir == ""; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the second launch never began")
		}
		if begun, _ := filepath.Glob(filepath.Join(out, "*", "raw", "launch-01")); len(begun) == 1 {
			dir = filepath.Dir(filepath.Dir(begun[0]))
		}
	}
	if err := cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was interrupted: its bundle tells the rest
	return dir, said.String()
}

// fileHashes are the hashes of the raw files of one launch.
func fileHashes(m bundle.Manifest, launch int) string {
	var list []string
	for _, f := range m.Files {
		if f.Launch != nil && *f.Launch == launch {
			list = append(list, f.Path+" "+f.SHA256)
		}
	}
	return strings.Join(list, "\n")
}

// A run that was interrupted, or killed, is continued by its own plan: what was
// finished is carried over byte for byte, the rest is made, and the result can be
// verified and reported, and resumed no further.
func TestResume(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	for name, signal := range map[string]os.Signal{"interrupted": syscall.SIGINT, "killed": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := t.TempDir()
			parent, said := interruptRun(t, resumable(t, ""), out, signal)
			if signal == syscall.SIGINT && !strings.Contains(said, "assay run --resume "+parent) {
				t.Errorf("the interrupted run does not say how to continue it:\n%s", said)
			}
			// A process of its own, as the first one was: a test has another timer slack.
			if text, err := program(t.Context(), "run", "--resume", parent, "--progress", "none").CombinedOutput(); err != nil {
				t.Fatalf("resume: %v\n%s", err, text)
			}
			old, err := bundle.Open(parent)
			if err != nil {
				t.Fatal(err)
			}
			bundles, _ := filepath.Glob(filepath.Join(out, "*"))
			child := strings.TrimSpace(strings.Replace(strings.Join(bundles, " "), parent, "", 1))
			got, err := bundle.OpenVerified(child, bundle.Trust{})
			if err != nil || !got.Seal.Verified {
				t.Fatalf("%s: %v, %+v", child, err, got)
			}
			checkResumed(t, old.Manifest, got.Manifest)
			for _, args := range [][]string{{"verify", child}, {"report", child}, {"lint", child}} {
				stdout, stderr, code := call(t, args...)
				// A busy machine spoils the measurement, and lint says so.
				if code != exitOK && (args[0] != "lint" || code != exitVerdict) {
					t.Errorf("%v: exit %d\n%s%s", args, code, stdout, stderr)
				}
				if args[0] == "lint" && !strings.Contains(stdout, "1 of its 3 launches are from run "+old.Manifest.RunID) {
					t.Errorf("lint does not say that the run was resumed:\n%s", stdout)
				}
				if args[0] == "lint" && strings.Contains(stdout, "environment changed") {
					t.Errorf("nothing changed on this machine:\n%s", stdout)
				}
			}
			if _, stderr, code := call(t, "run", "--resume", child); code != exitUsage || !strings.Contains(stderr, "is finished (completed): all 3 launches") {
				t.Errorf("resuming a finished run: exit %d, %s", code, stderr)
			}
		})
	}
}

// checkResumed holds the manifest of a resumed run against that of the run it continues.
func checkResumed(t *testing.T, old, got bundle.Manifest) {
	t.Helper()
	if got.Status != bundle.Completed || len(got.Launches) != 3 || got.PlanDigest != old.PlanDigest || got.SpecDigest != old.SpecDigest || !got.Created.Equal(old.Created) {
		t.Errorf("status %s, %d launches, plan %s of %s, spec %s of %s", got.Status, len(got.Launches), got.PlanDigest, old.PlanDigest, got.SpecDigest, old.SpecDigest)
	}
	if want := fileHashes(old, 0); want == "" || fileHashes(got, 0) != want {
		t.Errorf("launch 1 was not carried over as it was:\n%s\nwant\n%s", fileHashes(got, 0), want)
	}
	for i, l := range got.Launches {
		from := ""
		if i == 0 {
			from = old.RunID
		}
		if l.Index != i || l.From != from || l.Outcome != bundle.LaunchCompleted {
			t.Errorf("launch %+v, want number %d from %q, completed", l, i, from)
		}
	}
	if len(got.Resumed) != 1 || got.Resumed[0].Digest != old.Digest || len(got.Resumed[0].Repeated) != 1 {
		t.Errorf("resumed %+v, want run %s %s with a launch made again", got.Resumed, old.RunID, old.Digest)
	}
}

// What cannot be continued is refused in a sentence that says why.
func TestResumeRefuses(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	parent, _ := interruptRun(t, resumable(t, `, x-tenant: "tenant-4711-secret"`), out, syscall.SIGINT)
	for _, tt := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"a secret that no bundle keeps", []string{"--resume", parent}, exitUsage, "held a secret, which no bundle keeps"},
		{"a spec beside it", []string{"long.yaml", "--resume", parent}, exitUsage, "the bundle has its own"},
		{"a quick look", []string{"--quick", "--resume", parent}, exitUsage, "--quick and --resume"},
		{"no bundle", []string{"--resume", t.TempDir()}, exitUsage, "not a bundle"},
	} {
		if _, stderr, code := call(t, append([]string{"run"}, tt.args...)...); code != tt.code || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: exit %d, %s; want exit %d and %q", tt.name, code, stderr, tt.code, tt.want)
		}
	}
	// Nobody's signature is put under launches that nobody signed.
	key := filepath.Join(out, "key")
	if _, stderr, code := call(t, "keygen", "--out", key); code != exitOK {
		t.Fatal(stderr)
	}
	if _, stderr, code := call(t, "run", "--resume", parent, "--key", key); code != exitUnverified || !strings.Contains(stderr, "sign") {
		t.Errorf("an unsigned run that is to be signed: exit %d, %s", code, stderr)
	}
	raw, _ := filepath.Glob(filepath.Join(parent, "raw", "launch-00", "requests-*"))
	data, err := os.ReadFile(raw[0])
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(raw[0], data, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := call(t, "run", "--resume", parent); code != exitUnverified || !strings.Contains(stderr, "does not verify") {
		t.Errorf("a changed bundle: exit %d, %s", code, stderr)
	}
}

// A variable that held a secret must be there again.
func TestResumeNeedsSecrets(t *testing.T) {
	t.Setenv("ASSAY_TEST_TENANT", "tenant-4711-secret")
	parent, _ := interruptRun(t, resumable(t, `, x-tenant: {env: ASSAY_TEST_TENANT}`), t.TempDir(), syscall.SIGINT)
	os.Unsetenv("ASSAY_TEST_TENANT")
	if _, stderr, code := call(t, "run", "--resume", parent); code == exitOK || !strings.Contains(stderr, "environment variable ASSAY_TEST_TENANT is not set") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}
