// Package cordon takes nodes out of service and puts them back, by the program of the
// scheduler that hands them out: scontrol for Slurm, kubectl for Kubernetes.
//
// It does what it is asked, for one node, and says what the scheduler answered. Whether a
// node should be taken out is decided by people, and by whom it is kept, see package acts.
//
// To add a scheduler, write one file with one Scheduler and list it in All.
package cordon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// A Scheduler hands out nodes.
type Scheduler struct {
	Name    string
	Program string // that it is asked by

	// state asks for a node: whether work may be placed on it, and in the scheduler's own
	// words what it is. A node that the scheduler does not know is errUnknown.
	state func(ctx context.Context, node string) (State, error)

	// out takes a node out of service: what runs there goes on, and nothing new comes.
	out func(ctx context.Context, node, why string) error

	// back puts it into service again.
	back func(ctx context.Context, node string) error
}

// A State is what a scheduler says of a node.
type State struct {
	Out  bool   // nothing new is placed on it
	Text string // in the scheduler's words
	Why  string // the reason that somebody gave; empty for none
}

// All lists the schedulers.
var All = []Scheduler{Slurm, Kubernetes}

var errUnknown = errors.New("it does not know the node")

// answerWithin is how long a scheduler may take: one that is busy answers within seconds.
const answerWithin = 30 * time.Second

// Find is the scheduler of a node: the one called name, or else the one that knows the
// node. A scheduler whose program is not installed is not asked.
func Find(ctx context.Context, name, node string) (Scheduler, State, error) {
	var found []Scheduler
	var state State
	var asked []string
	for _, s := range All {
		if name != "" && name != s.Name {
			continue
		}
		if _, err := exec.LookPath(s.Program); err != nil {
			asked = append(asked, fmt.Sprintf("%s: %s is not installed", s.Name, s.Program))
			continue
		}
		seen, err := s.state(ctx, node)
		if err != nil {
			asked = append(asked, fmt.Sprintf("%s: %v", s.Name, err))
			continue
		}
		found, state = append(found, s), seen
	}
	switch {
	case len(found) == 1:
		return found[0], state, nil
	case len(found) > 1:
		return Scheduler{}, State{}, fmt.Errorf("slurm and kubernetes both know node %s: say which with --scheduler", node)
	case len(asked) == 0:
		return Scheduler{}, State{}, fmt.Errorf("no scheduler %q: want slurm or kubernetes", name)
	}
	return Scheduler{}, State{}, fmt.Errorf("no scheduler answers for node %s (%s)", node, strings.Join(asked, "; "))
}

// Out takes a node out of service and makes sure that it is.
func (s Scheduler) Out(ctx context.Context, node, why string) (State, error) {
	return s.change(ctx, node, true, func() error { return s.out(ctx, node, why) })
}

// Back puts a node into service again and makes sure that it is.
func (s Scheduler) Back(ctx context.Context, node string) (State, error) {
	return s.change(ctx, node, false, func() error { return s.back(ctx, node) })
}

func (s Scheduler) change(ctx context.Context, node string, out bool, do func() error) (State, error) {
	if err := do(); err != nil {
		return State{}, err
	}
	seen, err := s.state(ctx, node)
	if err == nil && seen.Out != out {
		err = fmt.Errorf("%s was told and still says that node %s is %s", s.Name, node, seen.Text)
	}
	return seen, err
}

// ask runs a scheduler's program.
func ask(ctx context.Context, program string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, answerWithin, fmt.Errorf("it did not answer within %v", answerWithin))
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s: %w", program, context.Cause(ctx))
	case err != nil:
		text, _, _ := strings.Cut(strings.TrimSpace(said.String()+string(out)), "\n")
		return "", fmt.Errorf("%s: %s (%w)", program, text, err)
	}
	return string(out), nil
}
