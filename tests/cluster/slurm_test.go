package cluster

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"assay/bundle"
	"assay/tests/whole"
)

// onSlurm are the options of a world of four ranks on four nodes.
func onSlurm(verb, dir string, more ...string) []string {
	return append([]string{verb, "--launcher", "slurm", "--nodes", "4", "--partition", "bench", "--ranks", "4", "--launches", "3", "--progress", "none", "-o", dir}, more...)
}

// endless are the options of a measurement that ends only when something ends it.
var endless = []string{"--ops", "all_reduce", "--sizes", "64KiB", "--iterations", "10000000", "--place", "in_place"}

// TestSlurm measures collectives and trains, each in an allocation of its own.
func TestSlurm(t *testing.T) {
	whole.Cluster(t)
	newScheduler(t)
	t.Run("comm", func(t *testing.T) {
		dir := t.TempDir()
		busy := strings.TrimSpace(do(t, "sbatch --parsable --exclusive --nodes=4 --output=/dev/null --wrap true"))
		said, code := assay(t, onSlurm("comm", dir, "--ops", "all_reduce", "--sizes", "64KiB", "--iterations", "20")...)
		if code != 0 {
			t.Fatalf("exit %d\n%s", code, said)
		}
		t.Logf("after job %s:\n%s", busy, said)
		b := opened(t, dir)
		facts := b.Manifest.Environment
		if rows := ranksOf(t, b); len(rows) != 4 {
			t.Errorf("%d ranks, want 4", len(rows))
		}
		if _, ok := facts["scheduler.job"].Value.(string); !ok || facts["scheduler.kind"].Value != "slurm" || facts["scheduler.partition"].Value != "bench" {
			t.Fatalf("the bundle says %v, job %v in %v; want slurm, its number and bench", facts["scheduler.kind"], facts["scheduler.job"], facts["scheduler.partition"])
		}
		started(t, b, "by slurm, job "+facts["scheduler.job"].Value.(string)+", on n1, n2, n3, n4, ")
		for _, name := range []string{"scheduler.queue_wait_seconds", "launcher.start_up_seconds"} {
			if seconds, ok := facts[name].Value.(float64); !ok || seconds <= 0 {
				t.Errorf("%s is %v, want more than nothing", name, facts[name].Value)
			}
		}
	})
	t.Run("train", func(t *testing.T) {
		if exec.Command("/usr/bin/python3", "-c", "import torch").Run() != nil {
			t.Skip("no torch: make torch installs it")
		}
		dir := t.TempDir()
		said, code := assay(t, onSlurm("train", dir, "--python", "/usr/bin/python3", "--layers", "1", "--hidden", "32", "--heads", "2", "--sequence", "16", "--batch", "8",
			"--steps", "3", "--warmup", "1", "--no-interleave")...)
		if code != 0 {
			t.Fatalf("exit %d\n%s", code, said)
		}
		opened(t, dir)
	})
	soon(t, "no job is left", func() bool { return !queued() })
}

// TestSlurmLosesNode kills a node in the middle: it is named, the launch is void, and
// the bundle verifies.
func TestSlurmLosesNode(t *testing.T) {
	whole.Cluster(t)
	s := newScheduler(t)
	dir := t.TempDir()
	cmd, said := start(t, onSlurm("comm", dir, endless...)...)
	soon(t, "a rank works on n3", func() bool { return s.works("n3") })
	time.Sleep(2 * time.Second) // it is in the middle of measuring
	s.kill(t, "n3")
	_ = cmd.Wait()
	l := opened(t, dir).Manifest.Launches
	if len(l) == 0 || l[0].Outcome != bundle.LaunchVoided || !strings.Contains(l[0].Reason, "host n3") {
		t.Errorf("launches %+v, want the first void and n3 named\n%s", l, said)
	}
	t.Log(l[0].Reason)
	soon(t, "no job is left", func() bool { return !queued() })
}

// TestSlurmTakesBack requeues and cancels the job in the middle.
func TestSlurmTakesBack(t *testing.T) {
	whole.Cluster(t)
	s := newScheduler(t)
	for _, tt := range []struct{ act, want string }{
		{"scancel", "somebody cancelled it"},
		{"scontrol requeue", "it was requeued"},
	} {
		dir := t.TempDir()
		options := endless
		if tt.act != "scancel" {
			options = append([]string{"--slurm-options=--requeue"}, endless...)
		}
		cmd, said := start(t, onSlurm("comm", dir, options...)...)
		soon(t, "a rank works on n1", func() bool { return s.works("n1") })
		time.Sleep(time.Second)
		job := strings.Fields(do(t, "squeue -h -o %i"))[0]
		do(t, tt.act+" "+job)
		_ = cmd.Wait()
		l := opened(t, dir).Manifest.Launches
		if len(l) == 0 || l[0].Outcome != bundle.LaunchVoided || !strings.Contains(l[0].Reason, tt.want) {
			t.Errorf("%s: launches %+v, want the first void and %q\n%s", tt.act, l, tt.want, said)
		}
		soon(t, "no job is left", func() bool { return !queued() })
	}
}

// TestSlurmInterrupted ends a program that waits in the queue, and one that measures.
func TestSlurmInterrupted(t *testing.T) {
	whole.Cluster(t)
	s := newScheduler(t)
	dir := t.TempDir()
	cmd, said := start(t, onSlurm("comm", dir, endless...)...)
	soon(t, "a rank works on n1", func() bool { return s.works("n1") })
	waiting, heard := start(t, onSlurm("comm", dir, endless...)...)
	soon(t, "the second waits", func() bool {
		return strings.Contains(heard.String(), "waits: Resources") || strings.Contains(heard.String(), "waits: Priority")
	})
	_ = waiting.Process.Signal(os.Interrupt)
	_ = waiting.Wait()
	if !strings.Contains(heard.String(), "is cancelled") {
		t.Errorf("whoever waited in the queue said\n%s\nwant that the job is cancelled", heard)
	}
	_ = cmd.Process.Signal(os.Interrupt)
	_ = cmd.Wait()
	if status := opened(t, dir).Manifest.Status; status != bundle.Aborted {
		t.Errorf("the bundle is %s, want aborted\n%s", status, said)
	}
	soon(t, "no job is left", func() bool { return !queued() })
}
