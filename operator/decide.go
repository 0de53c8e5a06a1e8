package operator

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"assay/bundle"
	"assay/spec"
)

// The phases, as people see them in kubectl get. What is decided is in the conditions too.
const (
	phasePending    = "Pending"    // checked, nothing made yet
	phaseQueued     = "Queued"     // Kueue has it, and no room
	phaseAdmitted   = "Admitted"   // it has its place, and its pod has not begun
	phaseRunning    = "Running"    // it measures
	phaseCollecting = "Collecting" // its pod has ended, and what became of it is not known yet
	phaseSucceeded  = "Succeeded"
	phasePartial    = "Partial" // sealed, and not every launch was made
	phaseFailed     = "Failed"
	phaseVoid       = "Void" // somebody came between: no number of it is the system's
)

// ended reports whether a phase is a run's last.
func ended(phase string) bool {
	return slices.Contains([]string{phaseSucceeded, phasePartial, phaseFailed, phaseVoid}, phase)
}

// children is what the cluster has of a run.
type children struct {
	JobSet   *jobSet   // nil: there is none
	Workload *workload // nil: Kueue has none
	Pods     []pod     // in the order of their names
	Expected int       // how many pods the run has; 0 means one
	Store    string    // the object store that its bundle is put into; empty means none
}

func (c children) expected() int { return max(1, c.Expected) }

// A jobSet is what JobSet says of one.
type jobSet struct {
	Name      string
	UID       string
	Suspended bool
	Completed bool
	Failed    string // why, as JobSet says; empty means that it has not
	Restarts  int64
	Deleting  bool
}

// A workload is what Kueue says of one.
type workload struct {
	Name         string
	Queue        string
	ClusterQueue string
	QueuedAt     time.Time
	AdmittedAt   time.Time // zero: it is not admitted
	Evicted      string    // why it was taken back, as Kueue says; empty means that it was not
	Pending      string    // why it waits
	Topology     []string  // LEVEL=VALUE of every domain
}

// A pod is what a kubelet and others say of one.
type pod struct {
	Name, Node string
	Started    bool   // its container runs, or has run
	Trouble    string // why its container cannot begin
	Disrupted  string // why somebody ended it
	Ended      bool
	ExitCode   int32
	Note       note // what assay said when it ended
}

// A note is what assay run leaves about a run that it was sent.
type note struct {
	RunID       string        `json:"runId"`
	Directory   string        `json:"directory"`
	Status      bundle.Status `json:"status"`
	Digest      string        `json:"digest"` // of its manifest
	Attestation string        `json:"attestation,omitempty"`
	Stored      string        `json:"stored,omitempty"` // where an object store has it
	Outliers    string        `json:"outliers,omitempty"`
	Stragglers  []string      `json:"stragglers,omitempty"`
}

// A decision is where a run stands.
type decision struct {
	Phase   string
	Reason  string // in one CamelCase word
	Message string // in words
	Note    note
}

// decide says where a run stands, by where it stood and what the cluster has of it. A run
// that has ended stays as it is. queued says that its spec names a queue.
func decide(before spec.Status, queued bool, c children) decision {
	if d, ok := interfered(before, c); ok {
		return d
	}
	if c.JobSet == nil {
		return decision{Phase: phasePending, Reason: "Accepted", Message: "the spec is valid"}
	}
	if d, ok := settled(c); ok {
		return d
	}
	return underway(queued, c)
}

// interfered says whether somebody came between while the run measured. Until then it may
// be taken back and placed again as often as the scheduler likes.
func interfered(before spec.Status, c children) (decision, bool) {
	begun := before.Phase == phaseRunning || before.Phase == phaseCollecting
	for _, p := range c.Pods {
		begun = begun || p.Started
	}
	void := func(reason, message string) (decision, bool) {
		return decision{Phase: phaseVoid, Reason: reason, Message: message, Note: lastNote(c)}, true
	}
	was := before.Scheduling.AdmittedAt
	switch finished := c.JobSet != nil && c.JobSet.Completed; {
	case finished: // what happens to a finished one does not touch what it measured
	case was != "" && c.Workload != nil && !c.Workload.AdmittedAt.IsZero() && stamp(c.Workload.AdmittedAt) != was && before.Phase != phaseQueued:
		return void("AdmittedTwice", fmt.Sprintf("admitted at %s and, while nobody looked, again at %s: a first pod may have measured", was, stamp(c.Workload.AdmittedAt)))
	case !begun:
	case c.Workload != nil && c.Workload.Evicted != "":
		return void("Evicted", "Kueue took the run back while it measured: "+c.Workload.Evicted)
	case c.JobSet == nil:
		return void("JobSetDeleted", "somebody deleted the JobSet while it measured")
	case c.JobSet.Restarts > 0:
		return void("Restarted", fmt.Sprintf("JobSet started it again, %d times: what ran before is lost", c.JobSet.Restarts))
	case c.JobSet.Suspended:
		return void("Suspended", "somebody suspended the JobSet while it measured")
	case c.JobSet.Deleting:
		return void("JobSetDeleted", "somebody deleted the JobSet while it measured")
	case disrupted(c) != "":
		return void("Disrupted", disrupted(c))
	case len(c.Pods) < c.expected() && c.JobSet.Failed == "":
		return void("PodDeleted", fmt.Sprintf("somebody deleted a pod while it measured: %d of %d are left", len(c.Pods), c.expected()))
	}
	return decision{}, false
}

// disrupted is what was done to a pod, with its name.
func disrupted(c children) string {
	for _, p := range c.Pods {
		if p.Disrupted != "" {
			return fmt.Sprintf("pod %s on node %s was ended: %s", p.Name, p.Node, p.Disrupted)
		}
	}
	return ""
}

// lastNote is what the pod said, if it did.
func lastNote(c children) note {
	for _, p := range c.Pods {
		if p.Note.RunID != "" {
			return p.Note
		}
	}
	return note{}
}

// results are the phases of bundles, by their status.
var results = map[bundle.Status]string{
	bundle.Completed: phaseSucceeded, bundle.Partial: phasePartial, bundle.Failed: phaseFailed, bundle.Aborted: phaseFailed,
}

// settled says how a finished JobSet ended.
func settled(c children) (decision, bool) {
	if !c.JobSet.Completed && c.JobSet.Failed == "" {
		return decision{}, false
	}
	if slices.ContainsFunc(c.Pods, func(p pod) bool { return p.Started && !p.Ended }) {
		return decision{}, false // a pod of a JobSet that failed is asked to end, and seals what it has first
	}
	said := lastNote(c)
	phase, known := results[said.Status]
	switch {
	case known && !kept(c.Store, said):
		return decision{phaseFailed, "NotStored", fmt.Sprintf("the bundle is sealed as %s and could not be put into %s; see kubectl logs %s", said.Status, c.Store, c.Pods[0].Name), said}, true
	case known && phase == phaseFailed:
		return decision{phase, "RunFailed", fmt.Sprintf("assay run ended with exit code %d; its bundle is sealed as %s", exitOf(c), said.Status), said}, true
	case known:
		return decision{phase, "Sealed", fmt.Sprintf("the bundle is sealed as %s", said.Status), said}, true
	case c.JobSet.Completed:
		return decision{phaseFailed, "NoResult", "the pod ended well and says nothing of a bundle: is its image another program, or older than this operator?", said}, true
	case len(c.Pods) == 0 || !c.Pods[0].Ended:
		return decision{phaseFailed, "NoResult", "no bundle: " + c.JobSet.Failed, said}, true
	}
	return decision{phaseFailed, "RunFailed", fmt.Sprintf("assay run ended with exit code %d and sealed no bundle; see kubectl logs %s", exitOf(c), c.Pods[0].Name), said}, true
}

// kept reports whether a bundle is in the store that it was to be put into; in none where
// none was named. A pod may say anything.
func kept(store string, said note) bool {
	return store == "" || strings.HasPrefix(said.Stored, strings.TrimRight(store, "/")+"/")
}

func exitOf(c children) int32 {
	for _, p := range c.Pods {
		if p.Ended {
			return p.ExitCode
		}
	}
	return -1
}

// underway says how far a run is.
func underway(queued bool, c children) decision {
	var ended, started, trouble []string
	for _, p := range c.Pods {
		switch {
		case p.Ended:
			ended = append(ended, p.Name)
		case p.Started:
			started = append(started, p.Name+" on "+p.Node)
		case p.Trouble != "":
			trouble = append(trouble, p.Name+": "+p.Trouble)
		}
	}
	switch {
	case len(ended) > 0 && (len(started) == 0 || c.JobSet.Failed != ""):
		return decision{Phase: phaseCollecting, Reason: "PodEnded", Message: "ended: " + strings.Join(ended, ", ")}
	case len(started) > 0:
		return decision{Phase: phaseRunning, Reason: "PodRunning", Message: strings.Join(started, ", ")}
	case !c.JobSet.Suspended && len(trouble) > 0:
		return decision{Phase: phaseAdmitted, Reason: "PodWaits", Message: strings.Join(trouble, ", ")}
	case !c.JobSet.Suspended:
		return decision{Phase: phaseAdmitted, Reason: "Placed", Message: "the pod has not begun"}
	case queued && c.Workload != nil && c.Workload.Pending != "":
		return decision{Phase: phaseQueued, Reason: "Waits", Message: c.Workload.Pending}
	case queued:
		return decision{Phase: phaseQueued, Reason: "Waits", Message: "Kueue has not admitted it"}
	}
	return decision{Phase: phasePending, Reason: "Suspended", Message: "somebody suspended the JobSet before it began"}
}

// stamp writes a time as Kubernetes does.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
