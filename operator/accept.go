package operator

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"assay/plan"
	"assay/spec"
)

// An accepted run is one that can be carried out here.
type accepted struct {
	document       []byte // for the pod, as its author wrote it
	place          spec.Kubernetes
	exclusive      bool
	pods           int // 1, or one for each rank or load generator
	class          string
	specDigest     string
	workloadDigest string
}

// A rejection is why a run cannot be carried out, in a word and in the words of assay
// validate.
type rejection struct{ reason, message string }

// mostPods is the largest run of one JobSet: every pod is looked at whenever one changes.
const mostPods = 1000

// mostMessage is the longest message of a condition that an API server takes.
const mostMessage = 32768

// accept checks an object as assay validate checks a file, then what the cluster wants
// beyond that.
func accept(u *unstructured.Unstructured, o Options, kueue bool) (accepted, *rejection) {
	document, err := documentOf(u)
	if err != nil {
		return accepted{}, &rejection{"Unreadable", err.Error()}
	}
	doc, faults := spec.Parse("", document)
	if !spec.Valid(faults) {
		return accepted{}, &rejection{"SpecInvalid", words(faults)}
	}
	decided, err := plan.New(*doc.Run)
	if err != nil {
		return accepted{}, &rejection{"NotPlannable", err.Error()}
	}
	resolved, _ := spec.Resolve(*doc.Run)
	a := accepted{
		document: document, pods: podsOf(resolved.Spec), workloadDigest: decided.WorkloadDigest, class: resolved.Spec.Intent.BenchmarkClass,
	}
	if a.specDigest, err = spec.Digest(resolved.Spec); err != nil {
		return accepted{}, &rejection{"Unreadable", err.Error()}
	}
	if resolved.Spec.Kubernetes != nil {
		a.place = *resolved.Spec.Kubernetes
	} else {
		withDefaults, _ := spec.Resolve(spec.Run{Spec: spec.RunSpec{Kubernetes: &spec.Kubernetes{}}})
		a.place = *withDefaults.Spec.Kubernetes
	}
	dedicated := resolved.Spec.ExecutionPolicy.PublicationGrade.DedicatedNodes
	a.exclusive = a.place.Exclusive || a.class == spec.PublicationGrade || dedicated != nil && *dedicated
	return a, a.completes(*doc.Run, o, kueue)
}

// completes fills the operator's own settings in and refuses what no cluster could do.
func (a *accepted) completes(run spec.Run, o Options, kueue bool) *rejection {
	if a.place.Image == "" {
		a.place.Image = o.Image
	}
	if a.place.Claim == "" && a.place.Store == "" {
		a.place.Claim = o.Claim
	}
	var missing []string
	want := func(bad bool, path, message string) {
		if bad {
			missing = append(missing, path+": "+message)
		}
	}
	want(a.place.Image == "", "spec.kubernetes.image", "got nothing, and the operator has no --image: want the image that holds assay")
	want(a.place.Claim == "" && a.place.Store == "", "spec.kubernetes.claim", "got nothing, and the operator has no --claim: want a PersistentVolumeClaim, or spec.kubernetes.store, because a bundle must outlive its pod")
	want(a.place.Queue != "" && !kueue, "spec.kubernetes.queue", fmt.Sprintf("got %q, and Kueue was not installed when the operator started", a.place.Queue))
	want(a.class == spec.PublicationGrade && a.place.SigningKey == "", "spec.kubernetes.signingKey", "got nothing: publication grade demands a signature, with a Secret that holds private.pem (assay keygen makes one)")
	want(len(spec.Secrets(run)) > 0, "spec", "holds a secret as it is, which everybody who reads objects of the cluster can read: write {env: NAME}, and put it into the Secret of spec.kubernetes.secret")
	want(far(run.Spec), "spec", "is to be started by ssh or slurm from a pod that reaches neither: want launch.kind environment, which has a pod for each rank or load generator, or leave it out")
	want(run.Spec.Trials.Sets > 1, "spec.trials.sets", fmt.Sprintf("got %d: the pods of a run are not cut into sets; leave it out, and make a run for each node", run.Spec.Trials.Sets))
	want(a.pods > mostPods, "spec", fmt.Sprintf("asks for %d pods: want at most %d", a.pods, mostPods))
	if len(missing) == 0 {
		return nil
	}
	return &rejection{"CannotBePlaced", strings.Join(missing, "\n")}
}

// far reports whether the run asks for hosts that a pod does not reach.
func far(s spec.RunSpec) bool {
	for _, p := range partsOf(s) {
		if p.launch != nil && (p.launch.Kind == spec.LaunchSSH || p.launch.Kind == spec.LaunchSlurm) {
			return true
		}
	}
	return s.Probe != nil && s.Probe.Launch != nil
}

// A part of a run has processes that may be spread.
type part struct {
	launch    *spec.Launcher
	processes int // the most at a time
}

func partsOf(s spec.RunSpec) (parts []part) {
	if s.Load != nil {
		parts = append(parts, part{s.Load.Launch, s.Load.Generators})
	}
	if s.Train != nil {
		parts = append(parts, part{s.Train.Launch, slices.Max(append([]int{1}, s.Train.Ranks...))})
	}
	if s.Collectives != nil {
		parts = append(parts, part{s.Collectives.Launch, slices.Max(append([]int{1}, s.Collectives.Ranks...))})
	}
	return parts
}

// podsOf is how many pods carry a run out: one for each rank or load generator of the
// largest part that joins what another launcher has placed, which is the operator here.
func podsOf(s spec.RunSpec) int {
	most := 1
	for _, p := range partsOf(s) {
		if p.launch != nil && p.launch.Kind == spec.LaunchEnvironment {
			most = max(most, p.processes)
		}
	}
	return most
}

// documentOf is the object as its author would write it to a file.
func documentOf(u *unstructured.Unstructured) ([]byte, error) {
	metadata := map[string]any{"name": u.GetName(), "namespace": u.GetNamespace()}
	if labels := u.GetLabels(); len(labels) > 0 {
		metadata["labels"] = labels
	}
	document := struct {
		APIVersion string         `json:"apiVersion"`
		Kind       string         `json:"kind"`
		Metadata   map[string]any `json:"metadata"`
		Spec       any            `json:"spec"`
	}{spec.APIVersion, u.GetKind(), metadata, u.Object["spec"]}
	data, err := json.MarshalIndent(document, "", "  ")
	return append(data, '\n'), err
}

// words are the faults as assay validate prints them, without places, which an object has
// not.
func words(faults []spec.Fault) string {
	var lines []string
	for _, f := range faults {
		if f.Severity != spec.SeverityWarning {
			lines = append(lines, f.Words())
		}
	}
	text := strings.Join(lines, "\n")
	if len(text) > mostMessage {
		text = text[:mostMessage-4] + "\n…"
	}
	return text
}
