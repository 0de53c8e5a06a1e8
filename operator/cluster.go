package operator

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"assay/spec"
)

// register has the runs reconciled whose objects change.
func (r *reconciler) register(m ctrl.Manager, atOnce int) error {
	run, owned, workload := &unstructured.Unstructured{}, &unstructured.Unstructured{}, &unstructured.Unstructured{}
	run.SetGroupVersionKind(runKind)
	owned.SetGroupVersionKind(jobSetKind)
	workload.SetGroupVersionKind(workloadKind)
	build := ctrl.NewControllerManagedBy(m).Named("benchmarkrun").For(run).Owns(owned).Owns(&corev1.ConfigMap{}).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(annotated)).
		WithOptions(controller.Options{MaxConcurrentReconciles: atOnce})
	if r.kueue {
		build = build.Watches(workload, handler.EnqueueRequestsFromMapFunc(r.ofJobSet))
	}
	return build.Complete(r)
}

// annotated is the run that an object of ours names.
func annotated(_ context.Context, o client.Object) []reconcile.Request {
	name := o.GetAnnotations()[annotationRun]
	if name == "" {
		return nil
	}
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: o.GetNamespace(), Name: name}}}
}

// ofJobSet is the run of the JobSet that owns a Workload.
func (r *reconciler) ofJobSet(ctx context.Context, o client.Object) []reconcile.Request {
	owner := metav1.GetControllerOf(o)
	if owner == nil || owner.Kind != jobSetKind.Kind {
		return nil
	}
	j := &unstructured.Unstructured{}
	j.SetGroupVersionKind(jobSetKind)
	if r.Get(ctx, client.ObjectKey{Namespace: o.GetNamespace(), Name: owner.Name}, j) != nil {
		return nil // not in the cache yet, or gone: its own event comes
	}
	return annotated(ctx, j)
}

// observe reads what the cluster has of a run. A JobSet that the cache does not hold is
// asked for: another must not be made beside it.
func (r *reconciler) observe(ctx context.Context, u *unstructured.Unstructured) (c children, err error) {
	j := &unstructured.Unstructured{}
	j.SetGroupVersionKind(jobSetKind)
	key := client.ObjectKey{Namespace: u.GetNamespace(), Name: childName(u.GetName())}
	err = r.Get(ctx, key, j)
	if apierrors.IsNotFound(err) {
		err = r.live.Get(ctx, key, j)
	}
	switch owner := metav1.GetControllerOf(j); {
	case apierrors.IsNotFound(err):
	case err != nil:
		return c, err
	case owner == nil || owner.UID != u.GetUID():
		return c, fmt.Errorf("JobSet %s is there already and does not belong to this run: delete or rename one of them", key)
	default:
		if c.JobSet, err = readJobSet(j); err != nil {
			return c, err
		}
	}
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(u.GetNamespace()), client.MatchingLabels{labelUID: string(u.GetUID())}); err != nil {
		return c, err
	}
	c.Pods = readPods(pods.Items)
	if c.JobSet == nil || !r.kueue {
		return c, nil
	}
	c.Workload, err = r.workloadOf(ctx, u.GetNamespace(), c.JobSet.UID)
	return c, err
}

// workloadOf is Kueue's object for a JobSet; nil where it has none.
func (r *reconciler) workloadOf(ctx context.Context, namespace, uid string) (*workload, error) {
	var list unstructured.UnstructuredList
	list.SetGroupVersionKind(workloadKind)
	if err := r.List(ctx, &list, client.InNamespace(namespace), client.MatchingLabels{kueueJobUID: uid}); err != nil || len(list.Items) == 0 {
		return nil, err
	}
	return readWorkload(&list.Items[0])
}

// neighbours are pods of others on the nodes of a run, when they are looked at: when its
// pod is placed and has not begun, and when it has ended.
func (r *reconciler) neighbours(ctx context.Context, u *unstructured.Unstructured, seen children, before spec.Status, d decision) (found []string, err error) {
	begins := d.Phase == phaseAdmitted && placed(seen) && !slices.Equal(before.Scheduling.Nodes, nodesOf(seen.Pods))
	ends := d.Phase == phaseCollecting || ended(d.Phase) && before.Phase != phaseCollecting
	if !begins && !ends {
		return nil, nil
	}
	for _, node := range nodesOf(seen.Pods) {
		var pods corev1.PodList
		if err := r.live.List(ctx, &pods, client.MatchingFields{"spec.nodeName": node}); err != nil {
			return nil, fmt.Errorf("look at node %s: %w", node, err)
		}
		for i := range pods.Items {
			if p := &pods.Items[i]; p.Labels[labelUID] != string(u.GetUID()) && busy(p) {
				found = append(found, p.Namespace+"/"+p.Name)
			}
		}
	}
	slices.Sort(found)
	return found[:min(len(found), mostNeighbours)], nil
}

// mostNeighbours is how many are named. One is too many for an exclusive run.
const mostNeighbours = 20

// busy reports whether a pod is somebody's work, and not part of the node.
func busy(p *corev1.Pod) bool {
	if p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed {
		return false
	}
	_, static := p.Annotations[corev1.MirrorPodAnnotationKey]
	owner := metav1.GetControllerOf(p)
	return !static && (owner == nil || owner.Kind != "DaemonSet" && owner.Kind != "Node")
}
