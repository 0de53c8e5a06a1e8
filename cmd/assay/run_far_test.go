package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"assay/analysis/nodes"
	"assay/bundle"
	"assay/finding"
	"assay/record"
	"assay/report"
	"assay/spec"
)

// whereOf are the flags that say where a run is carried out.
func whereOf(t *testing.T, args ...string) fieldFlags {
	t.Helper()
	var where fieldFlags
	flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
	where.register(flags, hostFields("train"))
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	return where
}

// jobOf is the run of an example.
func jobOf(t *testing.T, name string) job {
	t.Helper()
	var j job
	if err := j.reads(filepath.Join("..", "..", "examples", name), false, 0); err != nil {
		t.Fatal(err)
	}
	return j
}

// TestGoes has flags change the document of ranks, and send any other run away.
func TestGoes(t *testing.T) {
	t.Parallel()
	j := jobOf(t, "collectives.yaml")
	if err := j.goes(whereOf(t, "--launcher", "slurm", "--nodes", "4", "--partition", "gpu")); err != nil {
		t.Fatal(err)
	}
	l := j.run.Spec.Collectives.Launch
	if j.far != nil || l == nil || l.Kind != spec.LaunchSlurm || l.Slurm.Nodes != 4 || !strings.Contains(string(j.source), "partition: gpu") {
		t.Errorf("launch %+v of\n%s\nwant Slurm with four nodes of gpu", l, j.source)
	}
	j = jobOf(t, "minimal.yaml")
	before := string(j.source)
	if err := j.goes(whereOf(t, "--launcher", "ssh", "--hosts", "a,b")); err != nil {
		t.Fatal(err)
	}
	if j.far == nil || len(j.far.Hosts) != 2 || string(j.source) != before {
		t.Errorf("far %+v, want two hosts and the document as it was", j.far)
	}
	if err := j.goes(whereOf(t, "--launcher", "ssh", "--hosts", "a,b", "--sets", "2")); err != nil {
		t.Fatal(err)
	}
	if j.far == nil || j.run.Spec.Trials.Sets != 2 || !strings.Contains(string(j.source), "sets: 2") {
		t.Errorf("far %+v, %d sets in\n%s\nwant two", j.far, j.run.Spec.Trials.Sets, j.source)
	}
	for _, args := range [][]string{nil, {"--launcher", "local"}} {
		j := jobOf(t, "minimal.yaml")
		if err := j.goes(whereOf(t, args...)); err != nil || j.far != nil {
			t.Errorf("%q: %v, far %+v; want that it stays", args, err, j.far)
		}
	}
}

func TestGoesRefuses(t *testing.T) {
	t.Parallel()
	f := func(want, example string, args ...string) {
		t.Helper()
		j := jobOf(t, example)
		if err := j.goes(whereOf(t, args...)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s %q: %v, want %q", example, args, err, want)
		}
	}
	f("--hosts: got nothing, want the names of hosts", "minimal.yaml", "--launcher", "ssh")
	f("--launcher environment: it joins ranks", "minimal.yaml", "--launcher", "environment")
	f("want launch.slurm.nodes to be a multiple of it", "minimal.yaml", "--launcher", "slurm", "--nodes", "3", "--sets", "2")
	f("only kind slurm reads it", "collectives.yaml", "--nodes", "2")
}

// TestPlacement takes facts of the launcher alone from whoever sent the run, and writes
// where both see it.
func TestPlacement(t *testing.T) {
	t.Parallel()
	shared := t.TempDir()
	if err := os.WriteFile(filepath.Join(shared, "mark"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	sent := placement{Facts: record.Environment{}, Shared: shared, Mark: "mark"}
	sent.Facts.Set("scheduler.job", "7")
	sent.Facts.Set("cpu.model", "made up")
	text, err := json.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	p, err := readPlacement(Env{Environ: func() []string { return []string{envPlacement + "=" + string(text)} }})
	if err != nil {
		t.Fatal(err)
	}
	if facts := p.facts(); len(facts) != 1 || facts["scheduler.job"].Value != "7" {
		t.Errorf("facts %v, want the job alone", facts)
	}
	if got := p.out("own"); got != shared {
		t.Errorf("out = %s, want the shared folder", got)
	}
	p.Mark = "elsewhere"
	if got := p.out("own"); got != "own" {
		t.Errorf("out = %s where nothing is shared, want own", got)
	}
	var none *placement
	if none.out("own") != "own" || len(none.facts()) != 0 {
		t.Error("a run that nobody sent is placed")
	}
}

// A run that was sent here leaves a note of its sealed bundle, short enough for the status
// of a pod, and prints its report, which nobody else would.
func TestNote(t *testing.T) {
	t.Parallel()
	dir, file := smallRun(t, true, nil), filepath.Join(t.TempDir(), "note")
	p := &placement{Note: file}
	slow := finding.Finding{Check: "N01", Message: "node n3 is slow: " + strings.Repeat("ä", 3000)}
	said := report.Report{
		Findings: []finding.Finding{{Check: "outlier-launches", Message: "launch 2 is an outlier"}, {Check: "no-variance", Message: "of another kind"}, slow},
		Nodes:    &nodes.Report{Nodes: []nodes.Node{{Name: "n1"}, {Name: "n2", Causes: []nodes.Cause{{Follows: true}}}, {Name: "n3", Causes: []nodes.Cause{{}}}}},
	}
	if err := p.hand(t.Context(), Env{}, dir, said); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var n placedNote
	if err := json.Unmarshal(text, &n); err != nil {
		t.Fatal(err)
	}
	if n.RunID == "" || n.Directory != dir || n.Status != bundle.Completed || !strings.HasPrefix(n.Digest, "sha256:") || n.Attestation != "" || len(text) > 4096 ||
		!strings.HasPrefix(n.Outliers, "launch 2 is an outlier; node n3 is slow") || strings.Contains(n.Outliers, "another kind") || !utf8.ValidString(n.Outliers) || !slices.Equal(n.Stragglers, []string{"n3"}) {
		t.Errorf("the note is %s", text)
	}
	if err := (&placement{Note: filepath.Join(dir, "none", "note")}).hand(t.Context(), Env{}, dir, said); err == nil || !strings.Contains(err.Error(), "the bundle is sealed") {
		t.Errorf("a note that cannot be written: %v", err)
	}
	var none *placement
	if none.hand(t.Context(), Env{}, "nowhere", said) != nil || !none.shows() || !p.shows() || (&placement{}).shows() {
		t.Error("a run shows its report unless another host does, and leaves a note where one is wanted")
	}
}
