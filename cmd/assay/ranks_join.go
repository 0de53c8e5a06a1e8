package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"

	"assay/launch"
	"assay/plan"
	"assay/run"
	"assay/spec"
	"assay/train"
)

// jobNames are the variables in which launchers say which job this is: the same for
// every rank of it, and another for the next.
var jobNames = []string{"TORCHELASTIC_RUN_ID", "SLURM_JOB_ID", "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID", "MASTER_PORT"}

// joins says whether the ranks of a plan are there already.
func joins(p plan.Plan) bool {
	t, c, l := p.Train(), p.Collectives(), p.Load()
	return l != nil && l.Launch != nil && l.Launch.Kind == spec.LaunchEnvironment && p.Generators() > 1 ||
		t != nil && t.Launch != nil && t.Launch.Kind == spec.LaunchEnvironment ||
		c != nil && c.Launch != nil && c.Launch.Kind == spec.LaunchEnvironment
}

// join takes this process's place in the job that torchrun, srun or mpirun started.
// Rank 0 gets a launcher for the others; any other rank serves it until the run is
// over, and followed is true then.
func join(ctx context.Context, env Env, p plan.Plan, tools *train.Tools) (followed bool, leave func() error, err error) {
	lookup := lookupIn(env)
	get := func(name string) string { value, _ := lookup(name); return value }
	here, ok := launch.FromEnvironment(get)
	if !ok {
		return false, nil, usageError(errors.New("--launcher environment: neither torchrun nor srun nor mpirun started this process: use one of them, or --launcher local"))
	}
	meeting := launch.Meeting{Job: here.Launcher, Address: get("ASSAY_MEETING"), Listen: get("ASSAY_LISTEN")}
	for _, name := range jobNames {
		meeting.Job += " " + get(name)
	}
	if meeting.Address == "" {
		if meeting.Address, err = here.MeetAt(meeting.Job); err != nil {
			return false, nil, usageError(err)
		}
	}
	if here.Rank > 0 {
		return true, nil, follow(ctx, env, here, meeting, p, *tools, get)
	}
	host, _, err := net.SplitHostPort(cmp.Or(meeting.Listen, meeting.Address))
	if err != nil {
		return false, nil, usageError(fmt.Errorf("ASSAY_LISTEN, or else ASSAY_MEETING: %w", err))
	}
	if here.Nodes > 1 {
		tools.Address = host
	}
	leader, err := lead(ctx, env, here, meeting, get)
	if err != nil {
		return false, nil, err
	}
	tools.Launchers[spec.LaunchEnvironment] = leader
	return false, leader.Close, nil
}

// lead waits for the other ranks. Where it had to make the secret of the job, that is
// gone from the disk again when everybody has come.
func lead(ctx context.Context, env Env, here launch.Environment, meeting launch.Meeting, get func(string) string) (*launch.Leader, error) {
	secret, forget, err := launch.LeaderSecret(here, get, meeting.Job)
	if err != nil {
		return nil, usageError(err)
	}
	meeting.Secret = secret
	fmt.Fprintf(env.Stderr, "rank 0 of %d (%s) leads; the others meet it at %s\n", here.World, here.Launcher, meeting.Address)
	leader, err := launch.Lead(ctx, here, meeting)
	return leader, errors.Join(err, forget())
}

// follow serves rank 0 with the workers that this rank's own command line calls for.
func follow(ctx context.Context, env Env, here launch.Environment, meeting launch.Meeting, p plan.Plan, tools train.Tools, get func(string) string) error {
	secret, err := launch.FollowerSecret(here, get, meeting.Job)
	if err != nil {
		return usageError(err)
	}
	meeting.Secret = secret
	staff, err := train.Hire(ctx, p, tools)
	if err != nil {
		return fmt.Errorf("rank %d: %w", here.Rank, err)
	}
	workers := staff.Workers(p.Decided())
	workers[run.GeneratorWorker] = generatorTool()
	return launch.Follow(ctx, here, meeting, workers, env.Stderr)
}
