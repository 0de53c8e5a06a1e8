package operator

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"assay/spec"
)

// The objects that the operator reads and makes.
var (
	runKind      = kindOf(spec.APIVersion, spec.KindBenchmarkRun)
	scheduleKind = kindOf(spec.APIVersion, spec.KindBenchmarkSchedule)
	jobSetKind   = kindOf("jobset.x-k8s.io/v1alpha2", "JobSet")
	workloadKind = kindOf("kueue.x-k8s.io/v1beta2", "Workload")
	webhookKind  = kindOf("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration")
)

func kindOf(version, kind string) schema.GroupVersionKind {
	gv, _ := schema.ParseGroupVersion(version) // our own words
	return gv.WithKind(kind)
}

// What the operator marks its objects with.
const (
	manager       = "assay-operator"       // who applies fields
	labelUID      = "assay.dev/run-uid"    // of the run that an object belongs to
	annotationRun = "assay.dev/run"        // its name, which may be too long for a label
	labelSchedule = "assay.dev/schedule"   // of the schedule that made a run
	labelPurpose  = "assay.dev/purpose"    // what that schedule is for
	annotationDue = "assay.dev/due"        // when the run was due
	finalizer     = "assay.dev/seal"       // a run stays until its pod has sealed its bundle
	container     = "assay"                // of the pod
	replicatedJob = "run"                  // of the JobSet
	keySpec       = "spec.yaml"            // of the ConfigMap: the document
	keyPlacement  = "placement.json"       // the same: the scheduler's evidence, without which no pod begins
	envToken      = "ASSAY_TOKEN"          // the secret of a run of several pods
	noteFile      = "/dev/termination-log" // where the pod says what became of its run
)

// What others mark theirs with.
const (
	kueueQueue     = "kueue.x-k8s.io/queue-name"
	kueuePriority  = "kueue.x-k8s.io/priority-class"
	kueueRequired  = "kueue.x-k8s.io/podset-required-topology"
	kueuePreferred = "kueue.x-k8s.io/podset-preferred-topology"
	kueueJobUID    = "kueue.x-k8s.io/job-uid"
)

var plainName = regexp.MustCompile(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)

// childName is that of a run's JobSet and ConfigMap. JobSet makes names of pods and hosts
// from its own, which may have 63 letters and no dots.
func childName(run string) string {
	const most = 40
	if len(run) <= most && plainName.MatchString(run) {
		return run
	}
	sum := sha256.Sum256([]byte(run))
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, run)
	return "run-" + strings.Trim(plain[:min(len(plain), most-16)], "-") + "-" + hex.EncodeToString(sum[:5])
}
