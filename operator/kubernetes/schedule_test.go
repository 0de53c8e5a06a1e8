package kubernetes

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"assay/spec"
)

// schedule is a schedule of every minute, with more fields of its spec.
func schedule(t *testing.T, name, more string) []byte {
	question, _, _ := unstructured.NestedMap(objects(t, run(t, name, "1s", "nodeSelector: {kubernetes.io/hostname: node-1}"))[0].Object, "spec")
	text, err := json.Marshal(question)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Appendf(nil, `
apiVersion: assay.dev/v1alpha1
kind: BenchmarkSchedule
metadata: {name: %s, namespace: default}
spec:
  purpose: canary
  schedule: "* * * * *"
  timeZone: Europe/Berlin
  %s
  template: {metadata: {labels: {team: serving}}, spec: %s}
`, name, more, text)
}

// scheduled makes the schedules that are looked at later.
func scheduled(t *testing.T, c *Cluster) {
	c.Apply(schedule(t, "canary", ""))
	c.Apply(schedule(t, "kept", "successfulRunsHistoryLimit: 0"))
	c.Apply(schedule(t, "asleep", "suspend: true"))
	c.Apply([]byte(strings.Replace(string(schedule(t, "wrong", "")), `"kubernetes":{`, `"kubernetes":{"resources":{"cpu":"lots"},`, 1)))
}

func scheduleStatus(ctx context.Context, c *Cluster, name string) (s spec.ScheduleStatus, err error) {
	u := &unstructured.Unstructured{}
	u.SetAPIVersion(spec.APIVersion)
	u.SetKind(spec.KindBenchmarkSchedule)
	if err := c.Get(ctx, client.ObjectKey{Namespace: "default", Name: name}, u); err != nil {
		return s, err
	}
	data, err := json.Marshal(u.Object["status"])
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	return s, err
}

// runsOf are the names of the runs that a schedule has.
func runsOf(ctx context.Context, c *Cluster, name string) (names []string, err error) {
	list := &unstructured.UnstructuredList{}
	list.SetAPIVersion(spec.APIVersion)
	list.SetKind(spec.KindBenchmarkRun + "List")
	err = c.List(ctx, list, client.InNamespace("default"), client.MatchingLabels{"assay.dev/schedule": name})
	for _, u := range list.Items {
		if owner := metav1.GetControllerOf(&u); owner == nil || owner.Name != name {
			return nil, fmt.Errorf("%s belongs to %v", u.GetName(), owner)
		}
		names = append(names, u.GetName())
	}
	return names, err
}

// Schedules make runs that measure, count what they miss, keep as many as they are asked to,
// and take theirs with them.
func schedules(t *testing.T, c *Cluster, node *Node) {
	var canary spec.ScheduleStatus
	Eventually(t, "a canary", func(ctx context.Context) (err error) {
		if canary, err = scheduleStatus(ctx, c, "canary"); err == nil && canary.LastSuccessfulRun == "" {
			err = fmt.Errorf("no run has succeeded: %+v", canary)
		}
		return err
	})
	if canary.LastScheduleTime == "" || canary.NextScheduleTime <= canary.LastScheduleTime || !strings.HasPrefix(canary.LastSuccessfulRun, "canary-20") {
		t.Errorf("status is %+v", canary)
	}
	manifests, _ := filepath.Glob(filepath.Join(node.Runs, "*__"+canary.LastSuccessfulRun, "spec.yaml"))
	if len(manifests) != 1 {
		t.Fatalf("bundles of %s: %v", canary.LastSuccessfulRun, manifests)
	}
	if text := string(read(t, manifests[0])); !strings.Contains(text, "team: serving") || !strings.Contains(text, "cadence: canary") {
		t.Errorf("the bundle's document is %s", text)
	}
	Eventually(t, "history", func(ctx context.Context) error {
		s, err := scheduleStatus(ctx, c, "kept")
		if err == nil && s.LastSuccessfulRun == "" {
			err = fmt.Errorf("no run has succeeded: %+v", s)
		}
		if err != nil {
			return err
		}
		runs, err := runsOf(ctx, c, "kept")
		for _, name := range runs {
			if name <= s.LastSuccessfulRun {
				return fmt.Errorf("%s is still there", name)
			}
		}
		return err
	})
	asleep, err := scheduleStatus(t.Context(), c, "asleep")
	if err != nil || len(asleep.Missed) != 1 || asleep.Missed[0].Reason != "Suspended" || asleep.LastRun != "" || asleep.NextScheduleTime != "" {
		t.Errorf("a suspended schedule has %+v, %v", asleep, err)
	}
	wrong, err := scheduleStatus(t.Context(), c, "wrong")
	if err != nil || len(wrong.Conditions) != 1 || wrong.Conditions[0].Status != "False" || !strings.Contains(wrong.Conditions[0].Message, "spec.template.spec.kubernetes.resources.cpu") || wrong.LastRun != "" {
		t.Errorf("a wrong schedule has %+v, %v", wrong, err)
	}
	for _, name := range []string{"canary", "kept", "asleep", "wrong"} {
		u := &unstructured.Unstructured{}
		u.SetAPIVersion(spec.APIVersion)
		u.SetKind(spec.KindBenchmarkSchedule)
		u.SetNamespace("default")
		u.SetName(name)
		if err := c.Delete(t.Context(), u); err != nil {
			t.Fatal(err)
		}
		Eventually(t, "runs of "+name, func(ctx context.Context) error {
			runs, err := runsOf(ctx, c, name)
			if err == nil && len(runs) > 0 {
				err = fmt.Errorf("%v are left", runs)
			}
			return err
		})
	}
}
