package main

import (
	"encoding/json"
	"fmt"
	"html"
	"os/exec"
	"reflect"
	"strings"
	"testing"
	"time"

	"assay/analysis/bottleneck"
	"assay/analysis/overlap"
	"assay/tests/fixture"
	"assay/tests/whole"
	"assay/unit"
)

// Every face of a training bundle says the same of it: where the step goes, to the
// last digit, and what limits it.
func TestOneTruth(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	tests := []struct {
		name   string
		run    fixture.Training
		class  string
		share  float64 // of exposed communication, about
		phrase string
	}{
		// Six buckets of 90 ms begin when the first is ready, 20 ms into a backward pass of
		// 120 ms: 441 ms stay exposed, with the millisecond of copying, of 625 ms.
		{"slow link", fixture.Training{Send: 90 * ms}, "communication", .705, "exposed communication: buckets are sent too late or are too few to hide"},
		{"computing", fixture.Training{}, "compute", .02, "it is computing"},
		{"waiting for input", fixture.Training{Data: 400 * ms}, "input", .005, "waiting for input is"},
		{"slow rank", fixture.Training{Slow: 40 * ms}, "compute", -1, "rank 1 computes slowly"},
		{"late rank", fixture.Training{Late: 300 * ms}, "control plane", -1, "rank 1 starts its steps late"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, limit := facesAgree(t, tt.run.Write(t, t.TempDir()))
			if !strings.HasPrefix(limit.Limit(), tt.class+" (") || !strings.Contains(limit.Verdict, tt.phrase) {
				t.Errorf("limited by %s, %q; want %s, %q", limit.Limit(), limit.Verdict, tt.class, tt.phrase)
			}
			exposed, _ := p.Part("exposed_communication")
			if off := exposed.Share - tt.share; tt.share > 0 && (off < -.005 || off > .005) {
				t.Errorf("%.4f of the step is exposed communication, want %.3f", exposed.Share, tt.share)
			}
		})
	}
}

// facesAgree holds what report, diagnose, results and the page say of the first
// training point of a bundle against each other.
func facesAgree(t *testing.T, dir string) (overlap.Point, bottleneck.Diagnosis) {
	t.Helper()
	var full struct {
		Training overlap.Report         `json:"training"`
		Limits   []bottleneck.Diagnosis `json:"limits"`
	}
	var said struct{ Limits []bottleneck.Diagnosis }
	var short struct {
		WorldSize int `json:"world_size"`
		Groups    map[string]struct{ Limit bottleneck.Diagnosis }
		Results   map[string]map[string]struct{ Value float64 }
	}
	printed := func(into any, args ...string) string {
		t.Helper()
		stdout, stderr, code := call(t, append(args, dir)...)
		if code != exitOK {
			t.Fatalf("%v: exit %d\n%s", args, code, stderr)
		}
		if into != nil {
			if err := json.Unmarshal([]byte(stdout), into); err != nil {
				t.Fatal(err)
			}
		}
		return stdout
	}
	printed(&full, "report", "--format", "json")
	printed(&said, "diagnose", "--json")
	printed(&short, "report", "--format", "results")
	p, limit := full.Training.Points[0], full.Limits[0]
	if !reflect.DeepEqual(said.Limits[0], limit) || !reflect.DeepEqual(short.Groups[p.Name].Limit, limit) {
		t.Errorf("limits differ:\nreport   %+v\ndiagnose %+v\nresults  %+v", limit, said.Limits[0], short.Groups[p.Name].Limit)
	}
	if short.WorldSize != p.Ranks {
		t.Errorf("results: a world of %d, want %d", short.WorldSize, p.Ranks)
	}
	faces := map[string]string{
		"report": printed(nil, "report", "--all"), "diagnose": printed(nil, "diagnose"), "page": html.UnescapeString(printed(nil, "report", "--format", "html")),
	}
	sum := 0.0
	for _, one := range p.Parts {
		if got := short.Results[p.Name][one.Metric+" mean"].Value; got != one.Value {
			t.Errorf("%s: results %v, report %v", one.Name, got, one.Value)
		}
		sum += one.Value
		for name, text := range faces {
			value, share := unit.Format(max(0, one.Value), unit.Second), fmt.Sprintf("%.1f %%", 100*max(0, one.Share))
			if one.Value > 0 && (!strings.Contains(text, value) || !strings.Contains(text, share)) {
				t.Errorf("%s does not say that %s takes %s, %s:\n%s", name, one.Name, value, share, text)
			}
		}
	}
	if mean := short.Results[p.Name]["step_time.v1 mean"].Value; sum < mean*(1-1e-12) || sum > mean*(1+1e-12) {
		t.Errorf("parts add up to %v, the mean step is %v", sum, mean)
	}
	for name, text := range faces {
		if !strings.Contains(text, "limited by "+limit.Limit()) || !strings.Contains(text, p.Verdict.Text) || strings.Contains(text, "-6 % of the exchange") {
			t.Errorf("%s does not say %q and %q:\n%s", name, "limited by "+limit.Limit(), p.Verdict.Text, text)
		}
	}
	return p, limit
}

// TestOneTruthForReal trains over a link of 60 Mbit/s and over the loopback, with
// sleeps in place of computation so that a busy machine changes nothing.
func TestOneTruthForReal(t *testing.T) {
	whole.Every(t)
	needTorch(t)
	bridge := newBridge(t, 2)
	args := []string{"train", "--python", debianPython, "--device", "cpu", "--ranks", "2", "--family", "mlp", "--layers", "6", "--hidden", "512", "--bucket", "1MiB",
		"--batch", "2", "--sequence", "8", "--steps", "6", "--warmup", "1", "--emulate-forward", "10ms", "--emulate-backward", "20ms", "--launches", "3", "--progress", "none"}
	far := append([]string{"--namespaces", strings.Join(bridge.namespaces, ","), "--interface", "eth0", "--address", bridge.address}, args[1:]...)
	for i, ns := range bridge.namespaces {
		if err := shape(ns); err != nil {
			t.Skipf("namespace %d: links cannot be shaped here, which takes root and tc of iproute2: %v", i, err)
		}
	}
	type training struct {
		name, class string
		args        []string
	}
	for _, tt := range []training{{"slow link", "communication", far}, {"loopback", "compute", args[1:]}, {"slow link again", "communication", far}} {
		dir := t.TempDir()
		if out, stderr, code := call(t, append(append([]string{"train"}, tt.args...), "-o", dir)...); code != exitOK {
			t.Fatalf("%s: exit %d\n%s%s", tt.name, code, out, stderr)
		}
		if _, limit := facesAgree(t, onlyBundle(t, dir)); string(limit.Class) != tt.class {
			t.Errorf("%s: limited by %s, want %s", tt.name, limit.Limit(), tt.class)
		}
	}
}

// shape makes the way out of a network namespace slow.
func shape(namespace string) error {
	out, err := exec.Command("tc", "-n", namespace, "qdisc", "add", "dev", "eth0", "root", "tbf", "rate", "60mbit", "burst", "64kb", "latency", "50ms").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// After a slow rank is taken away the others must come back to what they did without
// waiting; where they do not, the command says so and ends with a verdict.
func TestIsolated(t *testing.T) {
	t.Parallel()
	const weak = "scaling: weak, batchSize: 8"
	dir := t.TempDir()
	before := fixture.Training{ID: "before", Ranks: 3, Hosts: []string{"a", "b", "c"}, Slow: 40 * time.Millisecond, Train: weak}.Write(t, dir)
	good := fixture.Training{ID: "good", Ranks: 2, Hosts: []string{"a", "b"}, Train: weak}.Write(t, dir)
	bad := fixture.Training{ID: "bad", Ranks: 2, Hosts: []string{"a", "b"}, Backward: 60 * time.Millisecond, Train: weak}.Write(t, dir)
	f := func(want string, code int, args ...string) {
		t.Helper()
		stdout, stderr, got := call(t, append([]string{"diagnose"}, args...)...)
		if got != code || !strings.Contains(stdout+stderr, want) {
			t.Errorf("%v: exit %d, want %d and %q:\n%s%s", args, got, code, want, stdout, stderr)
		}
	}
	f("without rank 2: restored", exitOK, good, before, "--isolated", "2")
	f("without rank 2: not restored", exitVerdict, bad, before, "--isolated", "2")
	f("the others wait for rank 2, not for rank 1", exitUsage, good, before, "--isolated", "1")
	f("want the run before as well", exitUsage, good, "--isolated", "1")
}
