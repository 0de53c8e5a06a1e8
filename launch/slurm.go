package launch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/spec"
)

// An Allocation is nodes that Slurm has given.
type Allocation struct {
	Job       string
	Partition string
	Nodes     []string
	Restarts  int           // of the job, when it began
	Submitted string        // as Slurm says
	Started   string        // the same
	QueueWait time.Duration // from when the job was submitted until it ran; zero where the allocation was there already
	Reasons   []string      // why it waited, as Slurm said, each once

	own bool // this program has asked for it, and gives it back
}

// Slurm asks a scheduler for nodes, waits for them and gathers a crew on them, a place
// for slots ranks on each. Inside of an allocation, that one is used. The nodes are
// given back when the crew is dismissed.
func Slurm(ctx context.Context, name string, wanted spec.Slurm, slots int, o CrewOptions) (*Crew, *Allocation, error) {
	for _, program := range []string{"sbatch", "srun", "scontrol", "scancel"} {
		if _, err := exec.LookPath(program); err != nil {
			return nil, nil, fmt.Errorf("%s is not installed here: --launcher slurm is for login nodes of a Slurm cluster", program)
		}
	}
	a, err := allocate(ctx, name, wanted, slots, o)
	if err != nil {
		return nil, nil, err
	}
	hosts := make([]Host, len(a.Nodes))
	for i, node := range a.Nodes {
		hosts[i] = Host{Name: node, Slots: slots}
	}
	crew, err := gather(ctx, stepTransport{a.Job}, hosts, o)
	if err != nil {
		return nil, nil, errors.Join(a.trouble(), err, a.release())
	}
	crew.watch, crew.release = a.trouble, a.release
	return crew, a, nil
}

// allocate gets the nodes.
func allocate(ctx context.Context, name string, wanted spec.Slurm, slots int, o CrewOptions) (*Allocation, error) {
	if job := os.Getenv("SLURM_JOB_ID"); job != "" {
		a := &Allocation{Job: job}
		seen, err := a.query()
		if err != nil {
			return nil, err
		}
		o.tell("already inside of Slurm job %s: using its nodes", job)
		return a, a.take(seen)
	}
	handed := time.Now()
	out, err := slurm("sbatch", hold, submission(name, wanted, slots)...)
	if err != nil {
		return nil, err
	}
	job, _, _ := strings.Cut(strings.TrimSpace(out), ";")
	a := &Allocation{Job: job, own: true}
	o.tell("Slurm job %s is submitted: %s", job, counted(wanted.Nodes, "node"))
	if err := a.wait(ctx, handed, o); err != nil {
		return nil, errors.Join(err, a.release())
	}
	o.tell("Slurm job %s runs on %s after %.1f s in the queue", job, strings.Join(a.Nodes, ", "), a.QueueWait.Seconds())
	return a, nil
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// hold keeps the nodes while this program has a step on them. It is the job's script: a
// program that is killed has no way to give nodes back, but its steps end with it.
const hold = `#!/bin/sh
idle=0
while [ "$idle" -lt 4 ]; do
	sleep 10
	idle=$((idle + 1))
	if squeue -h -s -j "$SLURM_JOB_ID" -o %i | grep -q '\.[0-9][0-9]*$'; then idle=0; fi
done
`

// submission are the arguments of sbatch. A requeued job would begin again without the
// program that asked for it, so it is not; and a node that fails must not take the
// others along, which still have to report it.
func submission(name string, wanted spec.Slurm, slots int) []string {
	args := []string{
		"--parsable", "--job-name=assay-" + name, "--output=/dev/null", "--error=/dev/null", "--no-requeue", "--no-kill",
		"--nodes=" + strconv.Itoa(max(1, wanted.Nodes)), "--ntasks-per-node=" + strconv.Itoa(slots),
		"--time=" + strconv.Itoa(int((wanted.Time.Std()+time.Minute-1)/time.Minute)),
	}
	if wanted.Exclusive == nil || *wanted.Exclusive {
		args = append(args, "--exclusive")
	}
	for _, option := range []struct{ name, value string }{
		{"partition", wanted.Partition}, {"account", wanted.Account}, {"qos", wanted.QOS},
		{"constraint", wanted.Constraint}, {"gres", wanted.Gres}, {"switches", wanted.Switches},
	} {
		if option.value != "" {
			args = append(args, "--"+option.name+"="+option.value)
		}
	}
	return append(args, wanted.Options...)
}

// Between two looks at the queue: soon at first, then rarely, as schedulers serve many.
const (
	lookFirst = 500 * time.Millisecond
	lookLast  = 5 * time.Second
)

// wait waits until the job runs, and says why it does not run yet.
func (a *Allocation) wait(ctx context.Context, handed time.Time, o CrewOptions) error {
	for every := lookFirst; ; every = min(lookLast, every*5/4) {
		seen, err := a.query()
		if err != nil {
			return err
		}
		switch {
		case seen.state == "RUNNING":
			a.QueueWait = time.Since(handed)
			return a.take(seen)
		case seen.state != "PENDING" && seen.state != "CONFIGURING":
			return fmt.Errorf("Slurm job %s is %s before it ran: %s", a.Job, seen.state, seen.reason)
		case seen.reason != "" && seen.reason != "None" && !slices.Contains(a.Reasons, seen.reason):
			a.Reasons = append(a.Reasons, seen.reason)
			o.tell("Slurm job %s waits: %s", a.Job, seen.reason)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("Slurm job %s did not run before this ended, and is cancelled: %w", a.Job, context.Cause(ctx))
		case <-time.After(every):
		}
	}
}

// take notes what was given.
func (a *Allocation) take(seen jobState) error {
	a.Partition, a.Restarts, a.Submitted, a.Started = seen.partition, seen.restarts, seen.submitted, seen.started
	out, err := slurm("scontrol", "", "show", "hostnames", seen.nodes)
	if err != nil {
		return err
	}
	if a.Nodes = strings.Fields(out); len(a.Nodes) == 0 {
		return fmt.Errorf("Slurm job %s has no nodes", a.Job)
	}
	return nil
}

// release gives the nodes back, where this program has asked for them.
func (a *Allocation) release() error {
	if !a.own {
		return nil
	}
	_, err := slurm("scancel", "", a.Job)
	return err
}

// stepTransport reaches nodes of a job by srun, one step for each.
type stepTransport struct{ job string }

func (s stepTransport) command(h Host, args ...string) *exec.Cmd {
	// A step gets everything that its job has on the node, and shares it with others: the
	// steps of one node follow each other faster than Slurm notices their ends.
	cmd := exec.Command("srun", append([]string{
		"--jobid=" + s.job, "--nodes=1", "--ntasks=1", "--nodelist=" + h.Name, "--overlap", "--cpu-bind=none", "--mem=0", "--quiet",
	}, args...)...)
	cmd.Env = plainEnvironment()
	return cmd
}

// plainEnvironment is that of this process without what Slurm says of the job that it is
// in itself, which srun would take for wishes.
func plainEnvironment() []string {
	return slices.DeleteFunc(os.Environ(), func(pair string) bool {
		return strings.HasPrefix(pair, "SLURM_") && !strings.HasPrefix(pair, "SLURM_CONF=")
	})
}

func (s stepTransport) explain(h Host, said string, err error) error {
	if said != "" {
		return fmt.Errorf("node %s of Slurm job %s: %w: %s", h.Name, s.job, err, said)
	}
	return fmt.Errorf("node %s of Slurm job %s: %w", h.Name, s.job, err)
}
