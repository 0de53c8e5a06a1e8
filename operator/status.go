package operator

import (
	"encoding/json"
	"fmt"
	"path"
	"reflect"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"assay/spec"
)

// readStatus is the status of an object.
func readStatus(u *unstructured.Unstructured) (s spec.Status, err error) {
	err = readInto(u, &s)
	return s, err
}

// readInto reads the status of an object.
func readInto(u *unstructured.Unstructured, status any) error {
	data, err := json.Marshal(u.Object["status"])
	if err == nil && string(data) != "null" {
		err = json.Unmarshal(data, status)
	}
	if err != nil {
		return fmt.Errorf("read the status of %s/%s: %w", u.GetNamespace(), u.GetName(), err)
	}
	return nil
}

// plainObject is a value as an object of Kubernetes holds it.
func plainObject(v any) (plain map[string]any, err error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return plain, json.Unmarshal(data, &plain)
}

// setStatus puts a status into an object, and reports whether that changed it.
func setStatus(u *unstructured.Unstructured, s spec.Status) (changed bool, err error) {
	before, err := readStatus(u)
	if err != nil || reflect.DeepEqual(before, s) {
		return false, err
	}
	plain, err := plainObject(s)
	if err != nil {
		return false, err
	}
	u.Object["status"] = plain
	return true, nil
}

// The conditions of a run. Each of the last three, once true, stays.
const (
	conditionValidated = "Validated"
	conditionAdmitted  = "Admitted"
	conditionRunning   = "Running"
	conditionComplete  = "Complete"
	conditionFailed    = "Failed"
	conditionVoid      = "Void"
)

// rejected is the status of a run that cannot be carried out.
func rejected(s spec.Status, generation int64, why rejection, now time.Time) spec.Status {
	s.Phase, s.ObservedGeneration = phaseFailed, generation
	s.Conditions = with(s.Conditions, conditionValidated, false, why.reason, why.message, generation, now)
	s.Conditions = with(s.Conditions, conditionFailed, true, why.reason, "the spec was rejected; see condition Validated", generation, now)
	return s
}

// decidedStatus is the status of a run that stands as d says.
func decidedStatus(s spec.Status, generation int64, a accepted, d decision, now time.Time) spec.Status {
	s.Phase, s.ObservedGeneration = d.Phase, generation
	s.SpecDigest, s.WorkloadDigest, s.SelectedSchedulerPath = a.specDigest, a.workloadDigest, schedulerPath(a)
	set := func(name string, is bool, reason, message string) {
		s.Conditions = with(s.Conditions, name, is, reason, message, generation, now)
	}
	set(conditionValidated, true, "SpecValid", "the spec is valid")
	admitted := d.Phase != phasePending && d.Phase != phaseQueued
	if !ended(d.Phase) {
		set(conditionAdmitted, admitted, d.Reason, d.Message)
	}
	set(conditionRunning, d.Phase == phaseRunning, d.Reason, d.Message)
	switch d.Phase {
	case phaseSucceeded, phasePartial:
		set(conditionComplete, true, d.Reason, d.Message)
	case phaseFailed:
		set(conditionFailed, true, d.Reason, d.Message)
	case phaseVoid:
		set(conditionVoid, true, d.Reason, d.Message)
		s.VoidLaunches = []string{s.Scheduling.JobSet + ": " + d.Reason + ": " + d.Message}
	}
	return found(s, d, a)
}

// found adds what the pod said of its bundle.
func found(s spec.Status, d decision, a accepted) spec.Status {
	if d.Note.RunID == "" {
		return s
	}
	s.RunID, s.BundleDigest = d.Note.RunID, d.Note.Digest
	s.OutlierSummary, s.StragglerNodes = d.Note.Outliers, d.Note.Stragglers
	if a.place.Claim == "" {
		if kept(a.place.Store, d.Note) {
			s.RunDirectory = d.Note.Stored // an object that holds the attestation too
		}
		return s
	}
	s.RunDirectory = "pvc://" + path.Join(a.place.Claim, path.Base(d.Note.Directory))
	if d.Note.Attestation != "" {
		s.ProvenanceRef = s.RunDirectory + "/" + d.Note.Attestation
	}
	return s
}

// schedulerPath is how the run is placed here, whatever its author called it.
func schedulerPath(a accepted) string {
	switch {
	case a.place.Queue == "":
		return "kubernetes"
	case a.place.RequiredTopology != "" || a.place.PreferredTopology != "":
		return "kueue-topology-aware"
	}
	return "kueue"
}

// with is conditions with one set. Its time moves only where its status does.
func with(conditions []spec.Condition, name string, is bool, reason, message string, generation int64, now time.Time) []spec.Condition {
	status := "False"
	if is {
		status = "True"
	}
	c := spec.Condition{Type: name, Status: status, Reason: reason, Message: message, LastTransitionTime: stamp(now), ObservedGeneration: generation}
	all := slices.Clone(conditions)
	i := slices.IndexFunc(all, func(other spec.Condition) bool { return other.Type == name })
	if i < 0 {
		return append(all, c)
	}
	if all[i].Status == status {
		c.LastTransitionTime = all[i].LastTransitionTime
	}
	all[i] = c
	return all
}
