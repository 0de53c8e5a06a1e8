package operator

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"assay/schedule"
	"assay/spec"
)

// scheduleObject is a schedule whose template is that of runObject, with a part of its spec
// replaced.
func scheduleObject(t *testing.T, changes map[string]any) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{Object: object{"spec": object{
		"purpose": "nightly", "schedule": "0 2 * * *",
		"template": object{"metadata": object{"labels": object{"team": "a"}}, "spec": runObject(t, nil).Object["spec"]},
	}}}
	u.SetGroupVersionKind(scheduleKind)
	u.SetName("chat")
	u.SetNamespace("b")
	u.SetUID("s")
	u.SetCreationTimestamp(metav1.NewTime(noon))
	for name, value := range changes {
		u.Object["spec"].(object)[name] = value
	}
	return u
}

func TestReadSchedule(t *testing.T) {
	f := func(changes map[string]any, want string) {
		t.Helper()
		got := ""
		if _, _, refused := readSchedule(scheduleObject(t, changes)); refused != nil {
			got = refused.reason
		}
		if got != want {
			t.Errorf("%v: refused as %q, want %q", changes, got, want)
		}
	}
	f(nil, "")
	f(map[string]any{"schedule": "at night"}, "SpecInvalid")
	f(map[string]any{"timeZone": "Mars/Olympus"}, "SpecInvalid")
	f(map[string]any{"gate": object{"policy": "p.yaml"}}, "SpecInvalid")
	f(map[string]any{"alerts": []any{object{"name": "team", "slack": object{"url": object{"env": "SLACK"}}}}}, "SpecInvalid")
	f(map[string]any{"template": object{"spec": object{"load": object{"duration": "soon"}}}}, "SpecInvalid")
}

// A run of a schedule is one that the operator accepts, belongs to the schedule, and has the
// name of its time.
func TestScheduledRun(t *testing.T) {
	u := scheduleObject(t, nil)
	s, _, refused := readSchedule(u)
	if refused != nil {
		t.Fatal(refused)
	}
	due := time.Date(2026, 11, 18, 2, 0, 0, 0, time.UTC)
	run, err := scheduledRun(u, s, due)
	if err != nil {
		t.Fatal(err)
	}
	a, refused := accept(run, settings, true)
	if refused != nil {
		t.Fatal(refused)
	}
	var document spec.Run
	if err := json.Unmarshal(a.document, &document); err != nil {
		t.Fatal(err)
	}
	if run.GetName() != "chat-20261118-0200" || run.GetNamespace() != "b" || document.Spec.Intent.Cadence != "nightly" || document.Metadata.Labels["team"] != "a" ||
		document.Metadata.Labels[labelSchedule] != "chat" || run.GetAnnotations()[annotationDue] != "2026-11-18T02:00:00Z" {
		t.Errorf("the run is %+v", run.Object["metadata"])
	}
	if owner := metav1.GetControllerOf(run); owner == nil || owner.UID != "s" || owner.Kind != spec.KindBenchmarkSchedule {
		t.Errorf("its owner is %+v", owner)
	}
	if _, found, _ := unstructured.NestedString(u.Object, "spec", "template", "spec", "intent", "cadence"); found {
		t.Error("the schedule itself was changed")
	}
}

func madeAt(day int, phase string) madeRun {
	due := time.Date(2026, 11, day, 2, 0, 0, 0, time.UTC)
	return madeRun{Name: scheduledName("chat", due), Due: due, Phase: phase}
}

// A schedule goes through a week: what it knows comes from the objects and the status alone.
func TestScheduleStatus(t *testing.T) {
	u := scheduleObject(t, map[string]any{"startingDeadline": "30m"})
	asked, rule, refused := readSchedule(u)
	if refused != nil {
		t.Fatal(refused)
	}
	var status spec.ScheduleStatus
	var runs []madeRun
	step := func(now time.Time) schedule.Decision {
		t.Helper()
		d := rule.Decide(scheduleState(u, status, asked.Spec, runs, now), now)
		made := ""
		if !d.Start.IsZero() {
			made = scheduledName("chat", d.Start)
			runs = append(runs, madeRun{Name: made, Due: d.Start, Phase: phaseRunning})
		}
		status = decidedSchedule(status, 1, asked.Spec, runs, d, made, now)
		return d
	}
	step(noon) // made on the 17th at noon
	if status.NextScheduleTime != "2026-11-18T02:00:00Z" || len(status.Missed) != 0 {
		t.Fatalf("at first: %+v", status)
	}
	step(noon.Add(14 * time.Hour))
	if status.LastRun != "chat-20261118-0200" || !reflect.DeepEqual(status.Active, []string{"chat-20261118-0200"}) {
		t.Fatalf("on the 18th: %+v", status)
	}
	if d := step(noon.Add(38 * time.Hour)); d.Wait.IsZero() || status.WaitingSince != "2026-11-19T02:00:00Z" {
		t.Fatalf("on the 19th, while one is active: %+v", status)
	}
	step(noon.Add(38*time.Hour + 31*time.Minute))
	runs[0].Phase = phaseSucceeded
	step(noon.Add(39 * time.Hour))
	if want := []spec.MissedRuns{{Reason: "Blocked", Count: 1, Last: "2026-11-19T02:00:00Z"}}; !reflect.DeepEqual(status.Missed, want) || status.LastSuccessfulRun != "chat-20261118-0200" || status.Active != nil {
		t.Fatalf("after the 19th: %+v", status)
	}
	asked.Spec.Schedule = "0 * * * *" // changed: hours before that were never due
	rule.Times, _ = schedule.Parse(asked.Spec.Schedule, "")
	step(noon.Add(48*time.Hour + time.Minute))
	if len(status.Missed) != 1 || status.NextScheduleTime != "2026-11-19T13:00:00Z" {
		t.Errorf("once changed: %+v", status)
	}
}

func TestExpired(t *testing.T) {
	two, none := 2, 0
	runs := []madeRun{
		madeAt(1, phaseSucceeded), madeAt(2, phaseFailed), madeAt(3, phaseSucceeded), madeAt(4, phaseVoid),
		madeAt(5, phaseSucceeded), madeAt(6, phaseRunning), {Name: "going", Phase: phaseFailed, Deleting: true},
	}
	s := spec.ScheduleSpec{SuccessfulRunsHistoryLimit: &two, FailedRunsHistoryLimit: &none}
	if got, want := expired(s, runs), []string{"chat-20261101-0200", "chat-20261102-0200", "chat-20261104-0200"}; !reflect.DeepEqual(got, want) {
		t.Errorf("expired = %q, want %q", got, want)
	}
}
