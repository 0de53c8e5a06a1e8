package operator

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// The parts of other projects' objects that are read here. Their Go modules bring some
// hundred others; versions add fields and keep these.
type (
	condition struct {
		Type               string    `json:"type"`
		Status             string    `json:"status"`
		Reason             string    `json:"reason"`
		Message            string    `json:"message"`
		LastTransitionTime time.Time `json:"lastTransitionTime"`
	}

	jobSetObject struct {
		Spec struct {
			Suspend bool `json:"suspend"`
		} `json:"spec"`
		Status struct {
			Conditions []condition `json:"conditions"`
			Restarts   int64       `json:"restarts"`
		} `json:"status"`
	}

	workloadObject struct {
		Spec struct {
			QueueName string `json:"queueName"`
		} `json:"spec"`
		Status struct {
			Conditions []condition `json:"conditions"`
			Admission  struct {
				ClusterQueue      string `json:"clusterQueue"`
				PodSetAssignments []struct {
					TopologyAssignment topologyAssignment `json:"topologyAssignment"`
				} `json:"podSetAssignments"`
			} `json:"admission"`
		} `json:"status"`
	}

	// A topologyAssignment is Kueue's: for each slice the values of every level, each
	// either the same for all of its domains or one for each, between a prefix and a suffix.
	topologyAssignment struct {
		Levels []string `json:"levels"`
		Slices []struct {
			DomainCount    int `json:"domainCount"`
			ValuesPerLevel []struct {
				Universal  string `json:"universal"`
				Individual struct {
					Prefix string   `json:"prefix"`
					Suffix string   `json:"suffix"`
					Roots  []string `json:"roots"`
				} `json:"individual"`
			} `json:"valuesPerLevel"`
		} `json:"slices"`
	}
)

// decode reads the parts of an object that are known here.
func decode(u *unstructured.Unstructured, into any) error {
	data, err := json.Marshal(u.Object)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		return fmt.Errorf("read %s %s/%s: %w", u.GetKind(), u.GetNamespace(), u.GetName(), err)
	}
	return nil
}

func find(conditions []condition, name string) condition {
	i := slices.IndexFunc(conditions, func(c condition) bool { return c.Type == name })
	if i < 0 {
		return condition{}
	}
	return conditions[i]
}

func (c condition) isTrue() bool { return c.Status == "True" }

func readJobSet(u *unstructured.Unstructured) (*jobSet, error) {
	var o jobSetObject
	if err := decode(u, &o); err != nil {
		return nil, err
	}
	j := &jobSet{
		Name: u.GetName(), UID: string(u.GetUID()), Suspended: o.Spec.Suspend, Restarts: o.Status.Restarts,
		Completed: find(o.Status.Conditions, "Completed").isTrue(), Deleting: u.GetDeletionTimestamp() != nil,
	}
	if failed := find(o.Status.Conditions, "Failed"); failed.isTrue() {
		j.Failed = failed.Reason + ": " + failed.Message
	}
	return j, nil
}

func readWorkload(u *unstructured.Unstructured) (*workload, error) {
	var o workloadObject
	if err := decode(u, &o); err != nil {
		return nil, err
	}
	w := &workload{Name: u.GetName(), Queue: o.Spec.QueueName, ClusterQueue: o.Status.Admission.ClusterQueue, QueuedAt: u.GetCreationTimestamp().Time}
	if admitted := find(o.Status.Conditions, "Admitted"); admitted.isTrue() {
		w.AdmittedAt = admitted.LastTransitionTime
	}
	if evicted := find(o.Status.Conditions, "Evicted"); evicted.isTrue() {
		w.Evicted = evicted.Reason + ": " + evicted.Message
	}
	if reserved := find(o.Status.Conditions, "QuotaReserved"); reserved.Status == "False" {
		w.Pending = reserved.Message
	}
	for _, a := range o.Status.Admission.PodSetAssignments {
		w.Topology = append(w.Topology, a.TopologyAssignment.domains()...)
	}
	slices.Sort(w.Topology)
	w.Topology = slices.Compact(w.Topology)
	return w, nil
}

// domains are the assigned domains, each as LEVEL=VALUE of every level from the widest.
func (a topologyAssignment) domains() (all []string) {
	for _, slice := range a.Slices {
		for i := range slice.DomainCount {
			var words []string
			for level, values := range slice.ValuesPerLevel {
				value := values.Universal
				if i < len(values.Individual.Roots) {
					value = values.Individual.Prefix + values.Individual.Roots[i] + values.Individual.Suffix
				}
				if level < len(a.Levels) {
					words = append(words, a.Levels[level]+"="+value)
				}
			}
			all = append(all, strings.Join(words, ","))
		}
	}
	return all
}

// readPods reads the pods of a run.
func readPods(list []corev1.Pod) (pods []pod) {
	for i := range list {
		pods = append(pods, readPod(&list[i]))
	}
	slices.SortFunc(pods, func(a, b pod) int { return cmp.Compare(a.Name, b.Name) })
	return pods
}

func readPod(p *corev1.Pod) pod {
	seen := pod{Name: p.Name, Node: p.Spec.NodeName}
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue {
			seen.Disrupted = c.Reason + ": " + c.Message
		}
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			seen.Trouble = c.Reason + ": " + c.Message
		}
	}
	if p.Status.Reason == "Evicted" || p.Status.Reason == "Preempting" || p.Status.Reason == "NodeLost" { // as kubelets say it
		seen.Disrupted = p.Status.Reason + ": " + p.Status.Message
	}
	seen.Ended = p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
	for _, c := range p.Status.ContainerStatuses {
		if c.Name != container {
			continue
		}
		switch state := c.State; {
		case state.Terminated != nil:
			seen.Started, seen.Ended, seen.ExitCode = !state.Terminated.StartedAt.IsZero(), true, state.Terminated.ExitCode
			seen.Note = readNote(state.Terminated.Message)
		case state.Running != nil:
			seen.Started = true
		case state.Waiting != nil && state.Waiting.Reason != "ContainerCreating":
			seen.Trouble = strings.TrimSpace(state.Waiting.Reason + " " + state.Waiting.Message)
		}
	}
	return seen
}

// readNote reads what a pod left. Another program's words are no note.
func readNote(text string) (n note) {
	if json.Unmarshal([]byte(text), &n) != nil {
		return note{}
	}
	return n
}

// nodesOf are the nodes of pods, each once.
func nodesOf(pods []pod) []string {
	nodes := map[string]bool{}
	for _, p := range pods {
		if p.Node != "" {
			nodes[p.Node] = true
		}
	}
	return slices.Sorted(maps.Keys(nodes))
}
