package operator

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"assay/spec"
)

// A reconciler brings one run after the other to where its spec and the cluster want it.
// It keeps nothing in memory: another may go on at any time.
type reconciler struct {
	client.Client
	live     client.Reader // asks the API server itself
	recorder events.EventRecorder
	options  Options
	kueue    bool // the cluster has it
	now      func() time.Time
}

// Reconcile implements reconcile.Reconciler.
func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(runKind)
	if err := r.Get(ctx, request.NamespacedName, u); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if u.GetDeletionTimestamp() != nil {
		return r.finish(ctx, u)
	}
	before, err := readStatus(u)
	if err != nil || ended(before.Phase) {
		return ctrl.Result{}, err
	}
	a, refused := accept(u, r.options, r.kueue)
	if refused != nil {
		return ctrl.Result{}, r.write(ctx, u, rejected(before, u.GetGeneration(), *refused, r.now()))
	}
	if controllerutil.AddFinalizer(u, finalizer) {
		if err := r.Update(ctx, u); err != nil {
			return again(err)
		}
	}
	return r.advance(ctx, u, before, a)
}

// again tries once more at once where somebody else changed the object meanwhile.
func again(err error) (ctrl.Result, error) {
	if apierrors.IsConflict(err) {
		return ctrl.Result{RequeueAfter: 10 * time.Millisecond}, nil
	}
	return ctrl.Result{}, err
}

// advance takes an accepted run one step on.
func (r *reconciler) advance(ctx context.Context, u *unstructured.Unstructured, before spec.Status, a accepted) (ctrl.Result, error) {
	seen, err := r.observe(ctx, u)
	if err != nil {
		return ctrl.Result{}, err
	}
	seen.Expected, seen.Store = a.pods, a.place.Store
	d := decide(before, a.place.Queue != "", seen)
	status := before
	neighbours, err := r.neighbours(ctx, u, seen, before, d)
	if err != nil {
		return ctrl.Result{}, err
	}
	status.Scheduling = scheduling(before.Scheduling, seen, neighbours)
	if a.exclusive && len(status.Scheduling.Neighbours) > 0 && d.Phase != phaseVoid {
		d = decision{Phase: phaseVoid, Reason: "NotIsolated", Note: d.Note,
			Message: fmt.Sprintf("the run is exclusive, and its node had company: %v", status.Scheduling.Neighbours)}
	}
	status = decidedStatus(status, u.GetGeneration(), a, d, r.now())
	// The status says that a run has begun before its pod can.
	if err := r.write(ctx, u, status); err != nil {
		return again(err)
	}
	switch {
	case d.Phase == phaseVoid && seen.JobSet != nil && !seen.JobSet.Deleting:
		return ctrl.Result{}, r.deleteJobSet(ctx, u)
	case ended(d.Phase):
		return ctrl.Result{}, nil
	case seen.JobSet == nil:
		return again(r.begin(ctx, u, a))
	case placed(seen):
		return again(r.place(ctx, u, status.Scheduling, a))
	}
	return ctrl.Result{}, nil
}

// begin makes the ConfigMap, the Secret of several pods, and the JobSet. None is applied again: Kueue owns suspend
// from now on, and the rest does not change.
func (r *reconciler) begin(ctx context.Context, u *unstructured.Unstructured, a accepted) error {
	if err := r.apply(ctx, configMapFor(u, a, "")); err != nil {
		return err
	}
	if a.pods > 1 {
		if err := r.Create(ctx, secretFor(u), client.FieldOwner(manager)); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("make the secret of the run: %w", err)
		}
	}
	return r.apply(ctx, jobSetFor(u, a))
}

// place hands the pod its evidence, without which it does not begin.
func (r *reconciler) place(ctx context.Context, u *unstructured.Unstructured, s spec.Scheduling, a accepted) error {
	var held corev1.ConfigMap
	if err := r.Get(ctx, client.ObjectKey{Namespace: u.GetNamespace(), Name: childName(u.GetName())}, &held); err != nil {
		return client.IgnoreNotFound(err) // not in the cache yet: its event comes
	}
	text, err := placementOf(u.GetNamespace(), s, a)
	if err != nil || held.Data[keyPlacement] == text {
		return err
	}
	return r.apply(ctx, configMapFor(u, a, text))
}

// apply is a server-side apply. It does not take fields from others: what another owns by
// now is another's.
func (r *reconciler) apply(ctx context.Context, o *unstructured.Unstructured) error {
	if err := r.Apply(ctx, client.ApplyConfigurationFromUnstructured(o), client.FieldOwner(manager)); err != nil {
		return fmt.Errorf("apply %s %s/%s: %w", o.GetKind(), o.GetNamespace(), o.GetName(), err)
	}
	return nil
}

// write keeps a status and tells of a new phase.
func (r *reconciler) write(ctx context.Context, u *unstructured.Unstructured, s spec.Status) error {
	before, err := readStatus(u)
	if err != nil {
		return err
	}
	changed, err := setStatus(u, s)
	if err != nil || !changed {
		return err
	}
	if err := r.Status().Update(ctx, u); err != nil {
		return err
	}
	if s.Phase != before.Phase {
		r.tell(u, s)
	}
	return nil
}

// tell makes an event of a new phase, and counts it.
func (r *reconciler) tell(u *unstructured.Unstructured, s spec.Status) {
	reached.WithLabelValues(s.Phase).Inc()
	last := spec.Condition{Reason: s.Phase, Message: "the run is " + s.Phase}
	for _, name := range []string{conditionRunning, conditionComplete, conditionFailed, conditionVoid, conditionValidated} {
		i := slices.IndexFunc(s.Conditions, func(c spec.Condition) bool { return c.Type == name })
		if i >= 0 && s.Conditions[i].Message != "" && (name != conditionValidated || s.Conditions[i].Status == "False") {
			last = s.Conditions[i]
		}
	}
	kind := corev1.EventTypeNormal
	if s.Phase == phaseFailed || s.Phase == phaseVoid {
		kind = corev1.EventTypeWarning
	}
	const mostNote = 1024 // of an event, as the API server takes it
	r.recorder.Eventf(u, nil, kind, s.Phase, "Reconcile", "%s", strings.ToValidUTF8(last.Message[:min(len(last.Message), mostNote)], ""))
}

// deleteJobSet ends the pod, which seals what it has.
func (r *reconciler) deleteJobSet(ctx context.Context, u *unstructured.Unstructured) error {
	j := &unstructured.Unstructured{}
	j.SetGroupVersionKind(jobSetKind)
	j.SetNamespace(u.GetNamespace())
	j.SetName(childName(u.GetName()))
	return client.IgnoreNotFound(r.Delete(ctx, j, client.PropagationPolicy(metav1.DeletePropagationForeground)))
}

// finish lets a deleted run go once nothing of it runs: its pod is still to seal its bundle,
// and must not measure for nobody.
func (r *reconciler) finish(ctx context.Context, u *unstructured.Unstructured) (ctrl.Result, error) {
	if !controllerutil.ContainsFinalizer(u, finalizer) {
		return ctrl.Result{}, nil
	}
	seen, err := r.observe(ctx, u)
	if err != nil {
		return ctrl.Result{}, err
	}
	if seen.JobSet != nil {
		if seen.JobSet.Deleting {
			return ctrl.Result{}, nil // its end is an event
		}
		return ctrl.Result{}, r.deleteJobSet(ctx, u)
	}
	if slices.ContainsFunc(seen.Pods, func(p pod) bool { return !p.Ended }) {
		return ctrl.Result{}, nil // the same
	}
	controllerutil.RemoveFinalizer(u, finalizer)
	return again(client.IgnoreNotFound(r.Update(ctx, u)))
}
