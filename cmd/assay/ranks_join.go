package main

import (
	"context"
	"errors"
	"fmt"
	"net"

	"assay/launch"
	"assay/plan"
	"assay/spec"
	"assay/train"
)

// jobNames are the variables in which launchers say which job this is: the same for
// every rank of it, and another for the next.
var jobNames = []string{"TORCHELASTIC_RUN_ID", "SLURM_JOB_ID", "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID", "MASTER_PORT"}

// joins says whether the ranks of a plan are there already.
func joins(p plan.Plan) bool {
	t, c := p.Run.Spec.Train, p.Run.Spec.Collectives
	return t != nil && t.Launch != nil && t.Launch.Kind == spec.LaunchEnvironment ||
		c != nil && c.Launch != nil && c.Launch.Kind == spec.LaunchEnvironment
}

// join takes this process's place in the job that torchrun, srun or mpirun started.
// Rank 0 gets a launcher for the others; any other rank serves it until the run is
// over, and followed is true then.
func join(ctx context.Context, env Env, tools *train.Tools) (followed bool, leave func() error, err error) {
	lookup := lookupIn(env)
	get := func(name string) string { value, _ := lookup(name); return value }
	here, ok := launch.FromEnvironment(get)
	if !ok {
		return false, nil, usageError(errors.New("--launcher environment: neither torchrun nor srun nor mpirun started this process: use one of them, or --launcher local"))
	}
	job := here.Launcher
	for _, name := range jobNames {
		job += " " + get(name)
	}
	token := job
	if own := get("ASSAY_TOKEN"); own != "" {
		token = own
	}
	address := get("ASSAY_MEETING")
	if address == "" {
		if address, err = here.Meeting(job); err != nil {
			return false, nil, usageError(err)
		}
	}
	if here.Rank > 0 {
		return true, nil, launch.Follow(ctx, here, address, token, env.Stderr)
	}
	fmt.Fprintf(env.Stderr, "rank 0 of %d (%s) leads; the others meet it at %s\n", here.World, here.Launcher, address)
	leader, err := launch.Lead(ctx, here, address, token)
	if err != nil {
		return false, nil, err
	}
	tools.Launchers[spec.LaunchEnvironment] = leader
	if tools.Address, _, err = net.SplitHostPort(address); err != nil {
		return false, nil, usageError(fmt.Errorf("ASSAY_MEETING: %w", err))
	}
	return false, leader.Close, nil
}
