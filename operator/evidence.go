package operator

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"assay/record"
	"assay/spec"
)

// scheduling is what is known of how the scheduler placed a run, beside what was known.
func scheduling(before spec.Scheduling, c children, neighbours []string) spec.Scheduling {
	s := before
	if c.JobSet != nil {
		s.JobSet, s.Restarts = c.JobSet.Name, c.JobSet.Restarts
	}
	if w := c.Workload; w != nil {
		s.Workload, s.Queue, s.QueuedAt = w.Name, w.Queue, stamp(w.QueuedAt)
		if w.Pending != "" && !slices.Contains(s.PendingReasons, w.Pending) && len(s.PendingReasons) < mostReasons {
			s.PendingReasons = append(slices.Clone(s.PendingReasons), w.Pending)
		}
		if !w.AdmittedAt.IsZero() {
			s.AdmittedAt, s.ClusterQueue, s.Topology = stamp(w.AdmittedAt), w.ClusterQueue, w.Topology
			s.QueueWaitSeconds = max(0, w.AdmittedAt.Sub(w.QueuedAt).Seconds())
		}
	}
	if seated(c) {
		s.Nodes = nodesOf(c.Pods)
	}
	for _, n := range neighbours {
		if !slices.Contains(s.Neighbours, n) {
			s.Neighbours = append(slices.Clone(s.Neighbours), n)
		}
	}
	slices.Sort(s.Neighbours)
	return s
}

// mostReasons is how many reasons for waiting are kept: Kueue's messages hold numbers that
// move.
const mostReasons = 8

// placed reports whether every pod has its node, so that everything a bundle should know of
// its placement is known.
func placed(c children) bool {
	return c.JobSet != nil && !c.JobSet.Suspended && seated(c) && (c.Workload == nil || !c.Workload.AdmittedAt.IsZero())
}

// seated reports whether every pod has its node.
func seated(c children) bool {
	with := 0
	for _, p := range c.Pods {
		if p.Node != "" {
			with++
		}
	}
	return with >= c.expected()
}

// A placement is what the operator hands to the pod's assay, in the form that launchers use.
type placement struct {
	Facts record.Environment `json:"facts"`
	Note  string             `json:"note"`
	Store string             `json:"store,omitempty"`
}

// placementOf is the scheduler's evidence for the bundle. The names are those under which
// Slurm's is kept.
func placementOf(namespace string, s spec.Scheduling, a accepted) (string, error) {
	facts := record.Environment{}
	facts.Set("scheduler.kind", "kubernetes")
	facts.Set("scheduler.job", namespace+"/"+s.JobSet)
	facts.Set("scheduler.nodes", s.Nodes)
	facts.Set("scheduler.restarts", s.Restarts)
	facts.Set("scheduler.exclusive", a.exclusive)
	facts.Set("scheduler.neighbours", nonNil(s.Neighbours))
	if s.Workload != "" {
		facts.Set("scheduler.kind", "kueue")
		facts.Set("scheduler.workload", namespace+"/"+s.Workload)
		facts.Set("scheduler.queue", s.Queue)
		facts.Set("scheduler.cluster_queue", s.ClusterQueue)
		facts.Set("scheduler.submitted", s.QueuedAt)
		facts.Set("scheduler.started", s.AdmittedAt)
		facts.Set("scheduler.queue_wait_seconds", s.QueueWaitSeconds)
		facts.Set("scheduler.pending_reasons", strings.Join(s.PendingReasons, "; "))
		facts.Set("scheduler.topology", nonNil(s.Topology))
	}
	facts.Set("launcher.kind", "kubernetes")
	facts.Set("launcher.hosts", s.Nodes)
	facts.Set("launcher.image", a.place.Image)
	facts.Set("launcher.pods", a.pods)
	text, err := json.Marshal(placement{Facts: facts, Note: noteFile, Store: a.place.Store})
	if err != nil {
		return "", fmt.Errorf("write the placement: %w", err)
	}
	return string(text), nil
}

func nonNil(list []string) []string { return append([]string{}, list...) }
