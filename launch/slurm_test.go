package launch

import (
	"slices"
	"strings"
	"testing"
	"time"

	"assay/spec"
	"assay/unit"
)

func TestSubmission(t *testing.T) {
	t.Parallel()
	shared := false
	got := strings.Join(submission("night", spec.Slurm{
		Nodes: 4, Partition: "gpu", Account: "lab", QOS: "high", Constraint: "h200&ib", Gres: "gpu:8", Switches: "1@10:00",
		Time: unit.Duration(90 * time.Second), Exclusive: &shared, Options: []string{"--reservation=bench"},
	}, 8), " ")
	want := "--parsable --job-name=assay-night --output=/dev/null --error=/dev/null --no-requeue --no-kill --nodes=4 --ntasks-per-node=8 --time=2 " +
		"--partition=gpu --account=lab --qos=high --constraint=h200&ib --gres=gpu:8 --switches=1@10:00 --reservation=bench"
	if got != want {
		t.Errorf("submission\n%s\nwant\n%s", got, want)
	}
	if !slices.Contains(submission("x", spec.Slurm{}, 1), "--exclusive") {
		t.Error("nodes are not exclusive where nobody says so")
	}
}

func TestReadJob(t *testing.T) {
	t.Parallel()
	// As Slurm 22.05 and 24.11 print it, cut.
	const text = "JobId=12 JobName=assay-comm UserId=ann(1000) Priority=1 JobState=PENDING Reason=Resources Dependency=(null) Requeue=0 Restarts=2 " +
		"SubmitTime=2026-11-17T03:07:54 EligibleTime=2026-11-17T03:07:54 StartTime=Unknown Partition=gpu ReqNodeList=(null) NodeList= BatchHost=n1 NodeList=n[1-4] Comment=NodeList=x"
	want := jobState{
		state: "PENDING", reason: "Resources", nodes: "n[1-4]", partition: "gpu", submitted: "2026-11-17T03:07:54", started: "Unknown", restarts: 2,
	}
	if got := readJob(text); got != want {
		t.Errorf("readJob = %+v, want %+v", got, want)
	}
}

func TestLostAs(t *testing.T) {
	t.Parallel()
	f := func(state, want string) {
		t.Helper()
		if got := lostAs(state); got != want {
			t.Errorf("lostAs(%q) = %q, want %q", state, got, want)
		}
	}
	f("allocated", "")
	f("mixed", "")
	f("draining", "") // its job goes on
	f("down", "Slurm says that the node is down")
	f("down*", "Slurm says that the node does not answer, and is down")
	f("allocated*", "Slurm says that the node does not answer, and is allocated")
	f("powering_down%", "Slurm says that the node is powering_down")
}
