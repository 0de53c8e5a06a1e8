package operator

import (
	"reflect"
	"testing"
	"time"

	"assay/bundle"
	"assay/spec"
)

var (
	noon    = time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC)
	running = pod{Name: "p", Node: "n", Started: true}
	waiting = pod{Name: "p", Node: "n"}
)

func ending(code int32, status bundle.Status) pod {
	return pod{Name: "p", Node: "n", Started: true, Ended: true, ExitCode: code, Note: note{RunID: "r", Directory: "/runs/r", Status: status}}
}

// storing is a pod that has put its bundle somewhere.
func storing(address string) pod {
	p := ending(0, bundle.Completed)
	p.Note.Stored = address
	return p
}

func TestDecide(t *testing.T) {
	admitted := &workload{Name: "w", AdmittedAt: noon}
	evicted := &workload{Name: "w", Evicted: "Preempted: by another"}
	began := spec.Status{Phase: phaseRunning, Scheduling: spec.Scheduling{AdmittedAt: stamp(noon)}}
	placedBefore := spec.Status{Phase: phaseAdmitted, Scheduling: spec.Scheduling{AdmittedAt: stamp(noon)}}
	tests := []struct {
		name   string
		before spec.Status
		queued bool
		seen   children
		phase  string
		reason string
	}{
		{"nothing yet", spec.Status{}, true, children{}, phasePending, "Accepted"},
		{"waits", spec.Status{}, true, children{JobSet: &jobSet{Suspended: true}, Workload: &workload{Pending: "no room"}}, phaseQueued, "Waits"},
		{"Kueue has not looked", spec.Status{}, true, children{JobSet: &jobSet{Suspended: true}}, phaseQueued, "Waits"},
		{"suspended without a queue", spec.Status{}, false, children{JobSet: &jobSet{Suspended: true}}, phasePending, "Suspended"},
		{"admitted", spec.Status{Phase: phaseQueued}, true, children{JobSet: &jobSet{}, Workload: admitted}, phaseAdmitted, "Placed"},
		{"image cannot be pulled", spec.Status{}, false, children{JobSet: &jobSet{}, Pods: []pod{{Name: "p", Trouble: "ErrImagePull"}}}, phaseAdmitted, "PodWaits"},
		{"runs", spec.Status{}, true, children{JobSet: &jobSet{}, Workload: admitted, Pods: []pod{running}}, phaseRunning, "PodRunning"},
		{"pod has ended", began, true, children{JobSet: &jobSet{}, Workload: admitted, Pods: []pod{ending(0, bundle.Completed)}}, phaseCollecting, "PodEnded"},
		{"sealed", began, true, children{JobSet: &jobSet{Completed: true}, Workload: admitted, Pods: []pod{ending(0, bundle.Completed)}}, phaseSucceeded, "Sealed"},
		{"sealed in part", began, true, children{JobSet: &jobSet{Completed: true}, Pods: []pod{ending(0, bundle.Partial)}}, phasePartial, "Sealed"},
		{"stored", began, true, children{JobSet: &jobSet{Completed: true}, Pods: []pod{storing("s3://b/p/bundles/aa/aa.tar")}, Store: "s3://b/p/"}, phaseSucceeded, "Sealed"},
		{"not stored", began, true, children{JobSet: &jobSet{Failed: "FailedJobs: x"}, Pods: []pod{storing("")}, Store: "s3://b/p"}, phaseFailed, "NotStored"},
		{"stored elsewhere", began, true, children{JobSet: &jobSet{Completed: true}, Pods: []pod{storing("s3://b/p2/aa.tar")}, Store: "s3://b/p"}, phaseFailed, "NotStored"},
		{"failed with a bundle", began, true, children{JobSet: &jobSet{Failed: "FailedJobs: x"}, Pods: []pod{ending(1, bundle.Failed)}}, phaseFailed, "RunFailed"},
		{"failed without one", began, true, children{JobSet: &jobSet{Failed: "FailedJobs: x"}, Pods: []pod{ending(2, "")}}, phaseFailed, "RunFailed"},
		{"ended well, says nothing", began, true, children{JobSet: &jobSet{Completed: true}, Pods: []pod{ending(0, "")}}, phaseFailed, "NoResult"},
		{"out of time before it began", placedBefore, true, children{JobSet: &jobSet{Failed: "DeadlineExceeded: x"}}, phaseFailed, "NoResult"},

		{"evicted while it measured", began, true, children{JobSet: &jobSet{Suspended: true}, Workload: evicted}, phaseVoid, "Evicted"},
		{"evicted before its pod began", placedBefore, true, children{JobSet: &jobSet{Suspended: true}, Workload: evicted, Pods: []pod{waiting}}, phaseQueued, "Waits"},
		{"evicted when it had finished", began, true, children{JobSet: &jobSet{Completed: true}, Workload: evicted, Pods: []pod{ending(0, bundle.Completed)}}, phaseSucceeded, "Sealed"},
		{"admitted again unseen", placedBefore, true, children{JobSet: &jobSet{}, Workload: &workload{AdmittedAt: noon.Add(time.Minute)}, Pods: []pod{waiting}}, phaseVoid, "AdmittedTwice"},
		{"queued again, then admitted", spec.Status{Phase: phaseQueued, Scheduling: placedBefore.Scheduling}, true,
			children{JobSet: &jobSet{}, Workload: &workload{AdmittedAt: noon.Add(time.Minute)}, Pods: []pod{waiting}}, phaseAdmitted, "Placed"},
		{"JobSet restarted it", began, false, children{JobSet: &jobSet{Restarts: 1}, Pods: []pod{running}}, phaseVoid, "Restarted"},
		{"JobSet deleted", began, false, children{}, phaseVoid, "JobSetDeleted"},
		{"JobSet deleted before it began", spec.Status{Phase: phaseQueued}, true, children{}, phasePending, "Accepted"},
		{"suspended while it measured", began, false, children{JobSet: &jobSet{Suspended: true}, Pods: []pod{running}}, phaseVoid, "Suspended"},
		{"node drained", began, false, children{JobSet: &jobSet{}, Pods: []pod{{Name: "p", Node: "n", Started: true, Disrupted: "EvictionByEvictionAPI: drained"}}}, phaseVoid, "Disrupted"},
		{"all pods of three run", began, false, children{JobSet: &jobSet{}, Expected: 3, Pods: []pod{running, running, running}}, phaseRunning, "PodRunning"},
		{"a member has ended and the leader seals", began, false, children{JobSet: &jobSet{}, Expected: 2, Pods: []pod{running, ending(0, "")}}, phaseRunning, "PodRunning"},
		{"a member failed and the leader seals", began, false, children{JobSet: &jobSet{Failed: "FailedJobs: x"}, Expected: 2, Pods: []pod{running, ending(1, "")}}, phaseCollecting, "PodEnded"},
		{"a member failed and the leader has sealed", began, false, children{JobSet: &jobSet{Failed: "FailedJobs: x"}, Expected: 2, Pods: []pod{ending(143, bundle.Aborted), ending(1, "")}}, phaseFailed, "RunFailed"},
		{"one pod of three deleted", began, false, children{JobSet: &jobSet{}, Expected: 3, Pods: []pod{running, running}}, phaseVoid, "PodDeleted"},
		{"pod deleted", began, false, children{JobSet: &jobSet{}}, phaseVoid, "PodDeleted"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := decide(tt.before, tt.queued, tt.seen); got.Phase != tt.phase || got.Reason != tt.reason || got.Message == "" {
				t.Errorf("decide = %+v, want %s for %s", got, tt.phase, tt.reason)
			}
		})
	}
}

// What the pod says of its bundle stands in the status.
func TestFound(t *testing.T) {
	said := note{RunID: "r", Directory: "/runs/r", Digest: "sha256:0", Attestation: "a.jsonl", Outliers: "node n2 is slow", Stragglers: []string{"n2"}}
	got := found(spec.Status{}, decision{Note: said}, accepted{place: spec.Kubernetes{Claim: "c"}})
	want := spec.Status{
		RunID: "r", BundleDigest: "sha256:0", RunDirectory: "pvc://c/r", ProvenanceRef: "pvc://c/r/a.jsonl",
		OutlierSummary: "node n2 is slow", StragglerNodes: []string{"n2"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("found = %+v, want %+v", got, want)
	}
}

// Every phase is one that the CRD takes, and every status of a bundle has one.
func TestPhasesAreTheSchemas(t *testing.T) {
	known := map[string]bool{}
	for _, phase := range spec.Vocabularies["phases"] {
		known[phase] = true
	}
	for _, phase := range []string{phasePending, phaseQueued, phaseAdmitted, phaseRunning, phaseCollecting, phaseSucceeded, phasePartial, phaseFailed, phaseVoid} {
		if !known[phase] {
			t.Errorf("the schema of the status refuses phase %s", phase)
		}
	}
	for _, status := range []bundle.Status{bundle.Completed, bundle.Partial, bundle.Failed, bundle.Aborted} {
		if results[status] == "" {
			t.Errorf("no phase for bundles that are sealed as %s", status)
		}
	}
}
