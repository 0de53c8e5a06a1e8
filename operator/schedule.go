package operator

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"assay/schedule"
	"assay/spec"
)

// nameTaken counts due times whose run could not be made because another object has its
// name.
const nameTaken schedule.Reason = "NameTaken"

// A made run is one that a schedule has.
type madeRun struct {
	Name     string
	Due      time.Time
	Phase    string
	Deleting bool
}

// active reports whether a run may still measure or seal.
func (m madeRun) active() bool { return m.Deleting || !ended(m.Phase) }

// readSchedule checks a schedule as assay validate does.
func readSchedule(u *unstructured.Unstructured) (spec.BenchmarkSchedule, schedule.Rule, *rejection) {
	document, err := documentOf(u)
	if err != nil {
		return spec.BenchmarkSchedule{}, schedule.Rule{}, &rejection{"Unreadable", err.Error()}
	}
	doc, faults := spec.Parse("", document)
	if !spec.Valid(faults) {
		return spec.BenchmarkSchedule{}, schedule.Rule{}, &rejection{"SpecInvalid", words(faults)}
	}
	s, _ := spec.ResolveSchedule(*doc.Schedule)
	if s.Spec.Gate != nil || len(s.Spec.Alerts) > 0 { // silence would be taken for good news
		return s, schedule.Rule{}, &rejection{"SpecInvalid", "spec.gate and spec.alerts are acted on by assay schedule alone: leave them out in a cluster"}
	}
	times, err := schedule.Parse(s.Spec.Schedule, s.Spec.TimeZone)
	if err != nil { // a rule has found it already
		return s, schedule.Rule{}, &rejection{"SpecInvalid", "spec.schedule: " + err.Error()}
	}
	return s, schedule.Rule{
		Times: times, Overlap: schedule.Overlap(s.Spec.ConcurrencyPolicy), Deadline: s.Spec.StartingDeadline.Std(), Suspended: s.Spec.Suspend,
	}, nil
}

// scheduleState is what is known of a schedule when a decision is made. A new one begins
// when its object was made, and a changed one now: nothing before that was missed.
func scheduleState(u *unstructured.Unstructured, before spec.ScheduleStatus, asked spec.ScheduleSpec, runs []madeRun, now time.Time) schedule.State {
	state := schedule.State{Decided: u.GetCreationTimestamp().Time}
	switch until := parsed(before.DecidedUntil); {
	case until.IsZero():
	case before.DecidedBy != decidedBy(asked):
		state.Decided = now
	default:
		state.Decided, state.Waiting = until, parsed(before.WaitingSince)
	}
	for _, r := range runs {
		if r.active() {
			state.Active++
		}
	}
	return state
}

// decidedBy is what the due times of a schedule depend on.
func decidedBy(s spec.ScheduleSpec) string { return s.Schedule + " " + s.TimeZone }

// parsed is a time of a status; zero where it holds none.
func parsed(text string) time.Time {
	at, _ := time.Parse(time.RFC3339Nano, text) // the operator wrote it
	return at
}

// madeRuns are the runs of a schedule among objects, in the order they were due.
func madeRuns(owner *unstructured.Unstructured, list []unstructured.Unstructured) (runs []madeRun) {
	for i := range list {
		u := &list[i]
		if controller := metav1.GetControllerOf(u); controller == nil || controller.UID != owner.GetUID() {
			continue
		}
		phase, _, _ := unstructured.NestedString(u.Object, "status", "phase")
		runs = append(runs, madeRun{u.GetName(), parsed(u.GetAnnotations()[annotationDue]), phase, u.GetDeletionTimestamp() != nil})
	}
	slices.SortFunc(runs, func(a, b madeRun) int { return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.Name, b.Name)) })
	return runs
}

// expired are the runs beyond the limits, the oldest first.
func expired(s spec.ScheduleSpec, runs []madeRun) (names []string) {
	keep := func(limit *int, kept func(phase string) bool) {
		var of []string
		for _, r := range runs {
			if !r.active() && kept(r.Phase) {
				of = append(of, r.Name)
			}
		}
		if limit != nil && len(of) > *limit {
			names = append(names, of[:len(of)-*limit]...)
		}
	}
	keep(s.SuccessfulRunsHistoryLimit, func(phase string) bool { return phase == phaseSucceeded })
	keep(s.FailedRunsHistoryLimit, func(phase string) bool { return phase != phaseSucceeded })
	return names
}

// scheduledName is that of the run of a due time: whoever makes it twice finds the first.
func scheduledName(name string, due time.Time) string {
	return childName(name) + "-" + due.UTC().Format("20060102-1504")
}

// scheduledRun is the run of a due time.
func scheduledRun(owner *unstructured.Unstructured, s spec.BenchmarkSchedule, due time.Time) (*unstructured.Unstructured, error) {
	template, _, err := unstructured.NestedMap(owner.Object, "spec", "template")
	if err != nil {
		return nil, fmt.Errorf("read spec.template: %w", err)
	}
	u := &unstructured.Unstructured{Object: object{"spec": template["spec"]}}
	u.SetGroupVersionKind(runKind)
	u.SetNamespace(owner.GetNamespace())
	u.SetName(scheduledName(owner.GetName(), due))
	labels, annotations := map[string]string{}, map[string]string{}
	for name, value := range s.Spec.Template.Metadata.Labels {
		labels[name] = value
	}
	for name, value := range s.Spec.Template.Metadata.Annotations {
		annotations[name] = value
	}
	labels[labelSchedule], labels[labelPurpose] = childName(owner.GetName()), s.Spec.Purpose
	annotations[annotationDue] = stamp(due)
	u.SetLabels(labels)
	u.SetAnnotations(annotations)
	u.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(owner, scheduleKind)})
	return u, unstructured.SetNestedField(u.Object, s.Spec.Purpose, "spec", "intent", "cadence")
}

// decidedSchedule is the status of a schedule once d is done. made is the name of the run
// that was started, if one was.
func decidedSchedule(before spec.ScheduleStatus, generation int64, asked spec.ScheduleSpec, runs []madeRun, d schedule.Decision, made string, now time.Time) spec.ScheduleStatus {
	s := before
	s.ObservedGeneration = generation
	s.DecidedUntil, s.WaitingSince, s.NextScheduleTime = d.Decided.UTC().Format(time.RFC3339Nano), stamp(d.Wait), stamp(d.Next)
	s.DecidedBy = decidedBy(asked)
	if asked.Suspend {
		s.NextScheduleTime = ""
	}
	if made != "" {
		s.LastScheduleTime, s.LastRun = stamp(d.Start), made
	}
	s.Active = nil
	for _, r := range runs {
		if r.active() {
			s.Active = append(s.Active, r.Name)
		}
		if r.Phase == phaseSucceeded && !r.Due.Before(parsed(s.LastSuccessfulTime)) {
			s.LastSuccessfulTime, s.LastSuccessfulRun = stamp(r.Due), r.Name
		}
	}
	if made != "" && !slices.Contains(s.Active, made) {
		s.Active = append(s.Active, made)
	}
	s.Missed = missed(before.Missed, d.Missed)
	s.Conditions = with(s.Conditions, conditionValidated, true, "SpecValid", "the schedule and its template are valid", generation, now)
	return s
}

// missed adds to the counts of a status.
func missed(before []spec.MissedRuns, more []schedule.Miss) (sum []spec.MissedRuns) {
	var counts []schedule.Miss
	for _, m := range before {
		counts = append(counts, schedule.Miss{Reason: schedule.Reason(m.Reason), Count: m.Count, Last: parsed(m.Last)})
	}
	for _, m := range more {
		counts = schedule.Add(counts, m)
	}
	for _, c := range counts {
		sum = append(sum, spec.MissedRuns{Reason: string(c.Reason), Count: c.Count, Last: stamp(c.Last)})
	}
	return sum
}

// rejectedSchedule is the status of a schedule that makes no runs until it is mended. What
// is due meanwhile is decided when it is.
func rejectedSchedule(before spec.ScheduleStatus, generation int64, why rejection, now time.Time) spec.ScheduleStatus {
	s := before
	s.ObservedGeneration, s.NextScheduleTime = generation, ""
	s.Conditions = with(s.Conditions, conditionValidated, false, why.reason, why.message, generation, now)
	return s
}
