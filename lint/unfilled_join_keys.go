package lint

import (
	"fmt"
	"slices"
	"strings"

	"assay/finding"
)

// UnfilledJoinKeys fires when telemetry cannot be joined with the run by the keys that
// its author declared.
var UnfilledJoinKeys = Check{
	ID: "unfilled-join-keys", Severity: finding.Caution,
	Doc:     "Join keys that the spec declares are not in the bundle.",
	When:    "a key written in observability.correlation.stableJoinKeys has no value; those of a scheduler count unless intent.schedulerPath is local",
	Applies: func(f *Facts) bool { return f.Plan.Stated("spec.observability.correlation.stableJoinKeys") },
	Run:     unfilledJoinKeys,
}

// schedulerKeys exist only where a scheduler placed the run.
var schedulerKeys = []string{"scheduler_run_id", "job_uid", "pod_uid"}

func unfilledJoinKeys(f *Facts) Answer {
	local := f.Plan.Intent().SchedulerPath == "local"
	var unfilled []string
	told := false
	for _, key := range f.Plan.JoinKeys() {
		fact, known := f.Manifest.Environment["join."+key]
		told = told || known
		switch {
		case !known || fact.Value != nil:
		case local && slices.Contains(schedulerKeys, key):
		case local && key == "gpu_uuid" && f.noGPUs():
		default:
			unfilled = append(unfilled, fmt.Sprintf("%s: %s", key, fact.Unavailable))
		}
	}
	switch {
	case !told:
		return missing("the join keys of the run (facts join.*)")
	case len(unfilled) == 0:
		return found()
	}
	return found(finding.Finding{
		Severity: finding.Caution,
		Message:  fmt.Sprintf("%d of %d declared join keys are not in the bundle: %s", len(unfilled), len(f.Plan.JoinKeys()), strings.Join(unfilled, "; ")),
		Why:      "telemetry of the server, the job and the devices can then be joined by time alone, which finds neighbours too",
		Fix:      "run where the keys are known, pass JOB_UID, POD_UID and NODE_NAME into the container, or declare only the keys that exist",
		Evidence: unfilled,
	})
}
