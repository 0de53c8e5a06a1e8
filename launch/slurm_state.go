package launch

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A jobState is what Slurm says of a job.
type jobState struct {
	state, reason      string
	nodes, partition   string
	submitted, started string
	restarts           int
}

// query asks Slurm for the job.
func (a *Allocation) query() (jobState, error) {
	out, err := slurm("scontrol", "", "--oneliner", "show", "job", a.Job)
	if err != nil {
		return jobState{}, err
	}
	return readJob(out), nil
}

// Slurm calls a job COMPLETING until its processes are gone, and only then what became of
// it. That takes KillWait, half a minute as Slurm is usually set.
const (
	completes     = "COMPLETING"
	completesIn   = 45 * time.Second
	completeEvery = 200 * time.Millisecond
)

// settled asks Slurm for the job until it says more than that it ends.
func (a *Allocation) settled() (seen jobState, err error) {
	for end := time.Now().Add(completesIn); ; time.Sleep(completeEvery) {
		seen, err = a.query()
		if err != nil || seen.state != completes || time.Now().After(end) {
			return seen, err
		}
	}
}

// readJob reads what scontrol prints. Versions add fields, and none of those that are
// read here holds a space.
func readJob(text string) jobState {
	fields := map[string]string{}
	for word := range strings.FieldsSeq(text) {
		if name, value, ok := strings.Cut(word, "="); ok && fields[name] == "" && value != "(null)" {
			fields[name] = value
		}
	}
	restarts, _ := strconv.Atoi(fields["Restarts"])
	return jobState{
		state: fields["JobState"], reason: fields["Reason"], nodes: fields["NodeList"], partition: fields["Partition"],
		submitted: fields["SubmitTime"], started: fields["StartTime"], restarts: restarts,
	}
}

// fates are what became of jobs, by their state.
var fates = map[string]string{
	"PENDING":   "it was requeued",
	"REQUEUED":  "it was requeued",
	"PREEMPTED": "another job took its nodes",
	"CANCELLED": "somebody cancelled it",
	"TIMEOUT":   "its time is over: ask for more with launch.slurm.time",
	"NODE_FAIL": "a node failed",
	"SUSPENDED": "it was suspended",
}

// trouble is what befell the job or its nodes since they were given.
func (a *Allocation) trouble() error {
	seen, err := a.settled()
	if err != nil {
		return &Interference{What: fmt.Sprintf("Slurm does not answer about job %s: %v", a.Job, err)}
	}
	var errs []error
	if seen.state != "RUNNING" || seen.restarts > a.Restarts {
		text := fmt.Sprintf("Slurm job %s is %s", a.Job, seen.state)
		if fate := fates[seen.state]; fate != "" {
			text += ": " + fate
		} else if seen.restarts > a.Restarts {
			text += ": it was requeued"
		}
		errs = append(errs, &Interference{What: text})
	}
	return errors.Join(append(errs, a.lostNodes()...)...)
}

// failing are the states of a node that can no longer work, as sinfo writes them.
var failing = []string{"down", "fail", "unknown", "powered_down", "powering_down", "error"}

// lostNodes are the nodes of the job that Slurm has given up.
func (a *Allocation) lostNodes() (errs []error) {
	out, err := slurm("sinfo", "", "--noheader", "--Node", "--nodes="+strings.Join(a.Nodes, ","), "--format=%N %T")
	if err != nil {
		return nil // the job's own state was reported
	}
	seen := map[string]bool{} // a node has a line for every partition
	for line := range strings.Lines(out) {
		node, state, _ := strings.Cut(strings.TrimSpace(line), " ")
		what := lostAs(state)
		if what != "" && !seen[node] {
			errs = append(errs, &Interference{Host: node, What: what})
		}
		seen[node] = true
	}
	return errs
}

// lostAs says why a node in this state is lost; empty means that it is not.
func lostAs(state string) string {
	plain := strings.TrimRight(state, "*~#!%$@^-")
	switch {
	case strings.HasSuffix(state, "*"): // Slurm's mark for a node that does not answer
		return "Slurm says that the node does not answer, and is " + plain
	case slices.Contains(failing, plain):
		return "Slurm says that the node is " + plain
	}
	return ""
}

// slurm runs one of Slurm's own programs; in is its input.
func slurm(program, in string, args ...string) (string, error) {
	cmd := exec.Command(program, args...)
	cmd.Env = plainEnvironment()
	cmd.Stdin = strings.NewReader(in)
	said := &tail{}
	cmd.Stderr = said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", program, err, said.last())
	}
	return string(out), nil
}
