package operator

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"assay/schedule"
	"assay/spec"
)

// A scheduler makes the runs of BenchmarkSchedules when they are due. Like the reconciler
// it keeps nothing in memory.
type scheduler struct {
	client.Client
	live     client.Reader
	recorder events.EventRecorder
	options  Options
	kueue    bool
	now      func() time.Time
}

// register has the schedules reconciled that change, and whose runs do.
func (s *scheduler) register(m ctrl.Manager) error {
	of, run := &unstructured.Unstructured{}, &unstructured.Unstructured{}
	of.SetGroupVersionKind(scheduleKind)
	run.SetGroupVersionKind(runKind)
	return ctrl.NewControllerManagedBy(m).Named("benchmarkschedule").For(of).Owns(run).Complete(s)
}

// Reconcile implements reconcile.Reconciler.
func (s *scheduler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(scheduleKind)
	if err := s.Get(ctx, request.NamespacedName, u); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if u.GetDeletionTimestamp() != nil {
		return ctrl.Result{}, nil // its runs go with it
	}
	var before spec.ScheduleStatus
	if err := readInto(u, &before); err != nil {
		return ctrl.Result{}, err
	}
	asked, rule, refused := s.read(u)
	if refused != nil {
		return again(s.write(ctx, u, before, rejectedSchedule(before, u.GetGeneration(), *refused, s.now())))
	}
	runs, err := s.runsOf(ctx, u)
	if err != nil {
		return ctrl.Result{}, err
	}
	return s.decide(ctx, u, before, asked, rule, runs)
}

// read checks a schedule and what its runs would be.
func (s *scheduler) read(u *unstructured.Unstructured) (spec.BenchmarkSchedule, schedule.Rule, *rejection) {
	asked, rule, refused := readSchedule(u)
	if refused == nil {
		refused = s.placeable(u, asked)
	}
	return asked, rule, refused
}

// placeable refuses a template that every run would be refused for.
func (s *scheduler) placeable(u *unstructured.Unstructured, asked spec.BenchmarkSchedule) *rejection {
	run, err := scheduledRun(u, asked, s.now())
	if err != nil {
		return &rejection{"Unreadable", err.Error()}
	}
	_, refused := accept(run, s.options, s.kueue)
	return refused
}

// decide does what is due and keeps what was decided.
func (s *scheduler) decide(ctx context.Context, u *unstructured.Unstructured, before spec.ScheduleStatus, asked spec.BenchmarkSchedule, rule schedule.Rule, runs []madeRun) (ctrl.Result, error) {
	d := rule.Decide(scheduleState(u, before, asked.Spec, runs, s.now()), s.now())
	made := ""
	if !d.Start.IsZero() {
		var err error
		if made, err = s.start(ctx, u, asked, d.Start); err != nil {
			return ctrl.Result{}, err
		}
		if made == "" {
			d.Missed = schedule.Add(d.Missed, schedule.Miss{Reason: nameTaken, Count: 1, Last: d.Start})
		}
	}
	status := decidedSchedule(before, u.GetGeneration(), asked.Spec, runs, d, made, s.now())
	if err := s.write(ctx, u, before, status); err != nil {
		return again(err) // the run has the name of its time: it is not made twice
	}
	s.tell(u, d, made)
	if d.Replace {
		for _, name := range status.Active {
			if err := s.delete(ctx, u, name); err != nil {
				return ctrl.Result{}, err
			}
		}
	}
	for _, name := range expired(asked.Spec, runs) {
		if err := s.delete(ctx, u, name); err != nil {
			return ctrl.Result{}, err
		}
	}
	if d.Look.IsZero() {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{RequeueAfter: max(d.Look.Sub(s.now()), time.Millisecond)}, nil
}

// start makes the run of a due time. It returns no name where another object has it.
func (s *scheduler) start(ctx context.Context, u *unstructured.Unstructured, asked spec.BenchmarkSchedule, due time.Time) (string, error) {
	run, err := scheduledRun(u, asked, due)
	if err != nil {
		return "", err
	}
	err = s.Create(ctx, run, client.FieldOwner(manager))
	if !apierrors.IsAlreadyExists(err) {
		if err != nil {
			return "", fmt.Errorf("make the run of %s: %w", stamp(due), err)
		}
		return run.GetName(), nil
	}
	held := &unstructured.Unstructured{}
	held.SetGroupVersionKind(runKind)
	if err := s.live.Get(ctx, client.ObjectKeyFromObject(run), held); err != nil {
		return "", err
	}
	if owner := metav1.GetControllerOf(held); owner == nil || owner.UID != u.GetUID() {
		return "", nil
	}
	return run.GetName(), nil
}

// runsOf asks the API server itself: a run that the cache does not hold yet would be
// overlapped, and one that it still holds would block.
func (s *scheduler) runsOf(ctx context.Context, u *unstructured.Unstructured) ([]madeRun, error) {
	var list unstructured.UnstructuredList
	list.SetGroupVersionKind(runKind)
	err := s.live.List(ctx, &list, client.InNamespace(u.GetNamespace()), client.MatchingLabels{labelSchedule: childName(u.GetName())})
	return madeRuns(u, list.Items), err
}

func (s *scheduler) delete(ctx context.Context, u *unstructured.Unstructured, name string) error {
	run := &unstructured.Unstructured{}
	run.SetGroupVersionKind(runKind)
	run.SetNamespace(u.GetNamespace())
	run.SetName(name)
	return client.IgnoreNotFound(s.Delete(ctx, run))
}

// write keeps a status where it changed.
func (s *scheduler) write(ctx context.Context, u *unstructured.Unstructured, before, now spec.ScheduleStatus) error {
	if reflect.DeepEqual(before, now) {
		return nil
	}
	plain, err := plainObject(now)
	if err != nil {
		return err
	}
	u.Object["status"] = plain
	return s.Status().Update(ctx, u)
}

// tell makes events of what was decided.
func (s *scheduler) tell(u *unstructured.Unstructured, d schedule.Decision, made string) {
	if made != "" {
		s.recorder.Eventf(u, nil, corev1.EventTypeNormal, "Started", "Reconcile", "%s, due at %s", made, stamp(d.Start))
	}
	var words []string
	for _, m := range d.Missed {
		scheduleMissed.WithLabelValues(string(m.Reason)).Add(float64(m.Count))
		words = append(words, fmt.Sprintf("%d %s, last at %s", m.Count, m.Reason, stamp(m.Last)))
	}
	if len(words) > 0 {
		s.recorder.Eventf(u, nil, corev1.EventTypeWarning, "Missed", "Reconcile", "no run was made: %s", strings.Join(words, "; "))
	}
}
