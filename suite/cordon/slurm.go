package cordon

import (
	"context"
	"fmt"
	"strings"
)

// Slurm drains nodes: jobs that run there end, and no new ones come.
var Slurm = Scheduler{Name: "slurm", Program: "scontrol", state: slurmState, out: slurmDrain, back: slurmResume}

func slurmState(ctx context.Context, node string) (State, error) {
	out, err := ask(ctx, "scontrol", "--oneliner", "show", "node", node)
	if err != nil && strings.Contains(err.Error(), "not found") {
		return State{}, errUnknown
	}
	if err != nil {
		return State{}, err
	}
	return readNode(out), nil
}

// readNode reads what scontrol prints of a node, such as
// "NodeName=n1 … State=IDLE+DRAIN … Reason=slow disk [root@2026-01-02T03:04:05]". The
// reason is the last of its fields and may hold anything.
func readNode(line string) (s State) {
	for word := range strings.FieldsSeq(line) {
		if text, ok := strings.CutPrefix(word, "State="); ok {
			s.Text = text
		}
	}
	for state := range strings.SplitSeq(s.Text, "+") {
		switch strings.TrimRight(state, "*~#!%$@^-") {
		case "DRAIN", "DRAINING", "DRAINED":
			s.Out = true
		}
	}
	if _, why, ok := strings.Cut(line, " Reason="); ok {
		why, _, _ = strings.Cut(why, " [")
		s.Why = strings.TrimSpace(why)
	}
	return s
}

func slurmDrain(ctx context.Context, node, why string) error {
	_, err := ask(ctx, "scontrol", "update", "NodeName="+node, "State=DRAIN", fmt.Sprintf("Reason=%s", why))
	return err
}

func slurmResume(ctx context.Context, node string) error {
	_, err := ask(ctx, "scontrol", "update", "NodeName="+node, "State=RESUME")
	return err
}
