package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"assay/analysis/nodes"
	"assay/judge"
	"assay/suite/acts"
	"assay/suite/cordon"
)

// cordonFlags are what both ways need.
type cordonFlags struct {
	why, by, scheduler, file string
	anyway, asJSON           bool
	trust                    trustFlags
}

func (o *cordonFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.why, "why", "", "the reason, which is kept and given to the scheduler")
	f.StringVar(&o.by, "by", "", "who decided, which is kept")
	f.StringVar(&o.scheduler, "scheduler", "", "slurm or kubernetes (default the one that knows the node)")
	f.StringVar(&o.file, "acts", "nodes/acts.jsonl", "file that keeps what was decided about nodes")
	f.BoolVar(&o.anyway, "anyway", false, "do it although the bundle speaks against it, which is kept too")
	f.BoolVar(&o.asJSON, "json", false, "print the act as JSON")
	o.trust.add(cmd)
}

func cordonCommand(env Env) *cobra.Command {
	var o cordonFlags
	var evidence string
	cmd := &cobra.Command{
		Use:   "cordon NODE --why REASON --evidence BUNDLE",
		Short: "Take a slow node out of service",
		Long: `Cordon asks the scheduler to place nothing new on a node: Slurm drains it (scontrol),
Kubernetes cordons it (kubectl). What runs there goes on. The bundle must show that the
node is slow (assay probe --hosts), or else --anyway says that somebody knows better.
The act is a line of --acts with the reason, the digest of the bundle and that of the
line before. assay never does this by itself.

Exit codes: 0 done, 1 the scheduler did not do it, 2 usage error, 3 the bundle does not
show that the node is slow, 4 the bundle was changed after sealing.`,
		Example: `  assay cordon gpu07 --why "disk 60 % behind" --evidence runs/nodes`,
		Args:    exactArgs(1, "a node"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if strings.TrimSpace(o.why) == "" || evidence == "" {
				return usageError(errors.New("--why and --evidence: say why, and which bundle shows it"))
			}
			j, node, err := o.measured(env, evidence, args[0])
			if err != nil {
				return err
			}
			var against string
			if len(node.Causes) == 0 {
				against = fmt.Sprintf("%s does not show that node %s is slow", evidence, args[0])
			}
			act := acts.Act{Act: acts.Cordoned, Subject: args[0], Digest: j.Bundle.Manifest.Digest}
			for _, c := range node.Causes {
				act.Parts = append(act.Parts, c.Resource)
			}
			return o.carryOut(cmd.Context(), env, act, against, true)
		},
	}
	o.register(cmd)
	cmd.Flags().StringVar(&evidence, "evidence", "", "the bundle that shows that the node is slow")
	return cmd
}

func uncordonCommand(env Env) *cobra.Command {
	var o cordonFlags
	var verified, baseline string
	cmd := &cobra.Command{
		Use:   "uncordon NODE --why REASON --verified BUNDLE",
		Short: "Put a node back into service that was measured again",
		Long: `Uncordon asks the scheduler to place work on a node again. The bundle of --verified must
be made after the node was taken out, must have measured every part that was slow then,
and must show that none is now, against the other nodes in it or, with --baseline,
against the nodes of an earlier bundle. The act is a line of --acts, as that of
assay cordon.

Exit codes: 0 done, 1 the scheduler did not do it, 2 usage error, 3 the bundle does not
show that the node is well, 4 a bundle was changed after sealing.`,
		Example: `  assay uncordon gpu07 --why "disk replaced" --verified runs/again --baseline runs/nodes`,
		Args:    exactArgs(1, "a node"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if strings.TrimSpace(o.why) == "" || verified == "" {
				return usageError(errors.New("--why and --verified: say why, and which bundle shows that it is well"))
			}
			j, node, err := o.measured(env, verified, args[0])
			if err != nil {
				return err
			}
			before, err := o.before(env, baseline)
			if err != nil {
				return err
			}
			past, err := acts.Read(o.file)
			if err != nil {
				return err
			}
			act := acts.Act{Act: acts.Uncordoned, Subject: args[0], Digest: j.Bundle.Manifest.Digest, Parts: j.Nodes.Parts(node.Name)}
			return o.carryOut(cmd.Context(), env, act, unwell(j, node, before, past), false)
		},
	}
	o.register(cmd)
	cmd.Flags().StringVar(&verified, "verified", "", "the bundle that shows that the node is well")
	cmd.Flags().StringVar(&baseline, "baseline", "", "an earlier bundle that the node is held against too")
	return cmd
}

// measured opens a bundle and finds the node in it.
func (o *cordonFlags) measured(env Env, dir, name string) (*judge.Judgement, nodes.Node, error) {
	j, err := o.trust.decide(env, dir)
	if err != nil {
		return nil, nodes.Node{}, err
	}
	if !j.HasNodes() {
		return nil, nodes.Node{}, usageError(fmt.Errorf("%s compares no nodes: want a bundle of assay probe --hosts", dir))
	}
	node, ok := j.Nodes.Find(name)
	if !ok {
		var names []string
		for _, n := range j.Nodes.Nodes {
			names = append(names, n.Label())
		}
		return nil, node, usageError(fmt.Errorf("%s did not measure node %s, only %s", dir, name, strings.Join(names, ", ")))
	}
	return j, node, nil
}

// before is how hosts were before; nil where no bundle says.
func (o *cordonFlags) before(env Env, dir string) (*nodes.Report, error) {
	if dir == "" {
		return nil, nil
	}
	j, err := o.trust.decide(env, dir)
	if err != nil {
		return nil, err
	}
	if !j.HasNodes() {
		return nil, usageError(fmt.Errorf("--baseline %s compares no nodes: want a bundle of assay probe --hosts", dir))
	}
	return &j.Nodes, nil
}

// unwell is why a bundle does not show that a node may go back; empty where it does.
func unwell(j *judge.Judgement, node nodes.Node, before *nodes.Report, past []acts.Act) string {
	if len(node.Causes) > 0 {
		return fmt.Sprintf("node %s is slow still: %s", node.Label(), node.Causes[0].Text())
	}
	if len(j.Nodes.Nodes) < 3 && before == nil {
		return fmt.Sprintf("%s: give --baseline, or measure it beside two others", j.Nodes.Allows)
	}
	if before != nil {
		below, same := j.Nodes.Below(node.Name, *before)
		switch {
		case same == 0:
			return "the baseline has none of the same measures"
		case len(below) > 0:
			return fmt.Sprintf("node %s is below the baseline: %s", node.Label(), strings.Join(below, "; "))
		}
	}
	for _, act := range slices.Backward(past) {
		if act.Subject != node.Name && act.Subject != node.Host || act.Act != acts.Cordoned {
			continue
		}
		if !j.Bundle.Manifest.Created.After(act.At) {
			return fmt.Sprintf("the bundle was made before the node was taken out, at %s", act.At.Format(time.RFC3339))
		}
		for _, part := range act.Parts {
			if !slices.Contains(j.Nodes.Parts(node.Name), part) {
				return fmt.Sprintf("its %s was slow and was not measured again", part)
			}
		}
		break
	}
	return ""
}

// carryOut has the scheduler do it and keeps what was done. What keeps an act from being
// kept is found before anything is done.
func (o *cordonFlags) carryOut(ctx context.Context, env Env, act acts.Act, against string, out bool) error {
	if against != "" && !o.anyway {
		return &exitError{exitVerdict, fmt.Errorf("%s; --anyway does it all the same", against)}
	}
	if against != "" {
		act.Despite = []string{against}
	}
	if _, err := acts.Read(o.file); err != nil {
		return err
	}
	scheduler, state, err := cordon.Find(ctx, o.scheduler, act.Subject)
	if err != nil {
		return err
	}
	act.Why, act.By, act.Through, act.At = o.why, o.by, scheduler.Name, time.Now()
	if state.Out == out {
		return fmt.Errorf("node %s is %s already, says %s%s: nothing was done", act.Subject, state.Text, scheduler.Name, because(state))
	}
	if out {
		state, err = scheduler.Out(ctx, act.Subject, o.why)
	} else {
		state, err = scheduler.Back(ctx, act.Subject)
	}
	if err != nil {
		return err
	}
	if err := acts.Append(o.file, act); err != nil {
		return fmt.Errorf("node %s is %s now, but that could not be kept in %s: %w", act.Subject, state.Text, o.file, err)
	}
	if o.asJSON {
		return printJSON(env.Stdout, act)
	}
	_, err = fmt.Fprintf(env.Stdout, "node %s is %s by %s (%s)\n", act.Subject, act.Act, scheduler.Name, state.Text)
	return err
}

func because(s cordon.State) string {
	if s.Why == "" {
		return ""
	}
	return " (" + s.Why + ")"
}
