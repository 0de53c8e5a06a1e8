package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"assay/bundle"
	"assay/launch"
	"assay/plan"
	"assay/record"
	"assay/report/faces"
	"assay/run"
	"assay/spec"
)

// envHosts names the hosts of the set that a whole run is on, for servers that are started
// on several of them.
const envHosts = "ASSAY_SET_HOSTS"

// cuts writes into the document how many sets the hosts of a whole run are cut into, where
// somebody has asked for them.
func (j *job) cuts(sets int) (err error) {
	if sets < 2 {
		return nil
	}
	if j.source, err = spec.WithSets(j.run, sets); err == nil {
		j.run, err = parseRun(j.file, j.source)
	}
	return err
}

// hasHosts refuses a run on sets of hosts that has none.
func (j job) hasHosts(p plan.Plan) error {
	switch {
	case p.Trials().Sets < 2:
		return nil
	case j.resume != nil:
		return errors.New("--resume: a run on sets of hosts cannot be continued: measure again")
	case j.far == nil:
		return fmt.Errorf("spec.trials.sets: %d sets, and no hosts to cut: want --launcher ssh with --hosts, or --launcher slurm with --nodes", p.Trials().Sets)
	}
	return nil
}

// A visit is launches of the plan that follow each other on one set of hosts.
type visit struct {
	set      int
	launches []int
}

// visits are those of a plan, in its order.
func visits(p plan.Plan) (list []visit) {
	for _, l := range p.Launches {
		if n := len(list); n == 0 || list[n-1].set != l.Set {
			list = append(list, visit{set: l.Set})
		}
		last := &list[len(list)-1]
		last.launches = append(last.launches, l.Index)
	}
	return list
}

// carryOutSets has the hosts carry the run out in turn, set by set in the order of the
// plan, each as carryOutFar does. The sides of a block are always on one set. What comes
// back is put together into one bundle.
func (j job) carryOutSets(ctx context.Context, env Env) (dir string, err error) {
	show, err := faces.Find(j.format)
	if err != nil {
		return "", usageError(err)
	}
	signer, err := loadSigner(j.keyFile)
	if err != nil {
		return "", usageError(err)
	}
	decided, err := j.decide(signer)
	if err != nil {
		return "", usageError(err)
	}
	p := decided.plan
	defer env.hold()()
	shared, _, err := staging(j.out)
	if err != nil {
		return "", err
	}
	crew, facts, err := gatherBy(ctx, p, *j.far, launch.CrewOptions{Program: rankTools().Native[0], Tell: tellOn(env)})
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(shared))
	}
	defer crew.Close()
	nodes := describeCrew(facts, j.far.Kind, crew)
	if len(nodes)%p.Sets() != 0 {
		return "", errors.Join(usageError(fmt.Errorf("--sets: %d hosts in %d sets: want a number of hosts that can be cut into sets of one size", len(nodes), p.Sets())), os.RemoveAll(shared))
	}
	parts, failed := j.visitAll(ctx, env, tour{p, crew, facts, nodes, shared})
	status := bundle.Failed
	if ctx.Err() != nil {
		status = bundle.Aborted
	}
	result, err := run.Assemble(p, run.Options{
		Source: spec.RedactSource(j.source, j.run), Out: j.out, Tool: tool(), Environ: env.Environ(), Now: time.Now(),
		Nodes: nodes, Baseline: decided.baseline, Workload: decided.frozen,
	}, parts, status)
	if err != nil {
		if result != nil {
			err = errors.Join(err, result.Bundle.Abandon())
		}
		return "", errors.Join(failed, err, leftIn(shared, parts))
	}
	dir = result.Bundle.Dir()
	sealed, err := j.seals(ctx, env, result, p, signer)
	if err != nil {
		return dir, errors.Join(failed, err, leftIn(shared, parts))
	}
	err = errors.Join(failed, os.RemoveAll(shared), j.prints(env, show, sealed))
	return dir, errors.Join(err, archive(context.WithoutCancel(ctx), env, p, sealed.RunID, dir))
}

// leftIn says where the parts are that could not be put together.
func leftIn(shared string, parts []*bundle.Bundle) error {
	if len(parts) == 0 {
		return os.RemoveAll(shared)
	}
	return fmt.Errorf("the bundles of the hosts stay in %s", shared)
}

// A tour is a run that goes from set to set.
type tour struct {
	plan   plan.Plan
	crew   *launch.Crew
	facts  record.Environment
	nodes  []bundle.Node
	shared string // the folder that what comes back is kept in
}

// visitAll makes all visits, and goes on after one that failed: what other hosts measure is
// as good. The parts are in the order in which they were made.
func (j job) visitAll(ctx context.Context, env Env, t tour) (parts []*bundle.Bundle, failed error) {
	all := visits(t.plan)
	for i, v := range all {
		if ctx.Err() != nil {
			return parts, errors.Join(failed, fmt.Errorf("the run was ended before part %d of %d: %w", i+1, len(all), context.Cause(ctx)))
		}
		hosts := namesOf(spec.SetOf(t.nodes, v.set, t.plan.Sets()))
		fmt.Fprintf(env.Stderr, "part %d of %d: launches %s on %s\n", i+1, len(all), launchNumbers(v.launches), strings.Join(hosts, ", "))
		made, err := j.visit(ctx, env, t, v, hosts)
		parts = append(parts, made...)
		failed = errors.Join(failed, err)
	}
	return parts, failed
}

// visit has one set make its launches and returns the sealed bundle of them, or none.
func (j job) visit(ctx context.Context, env Env, t tour, v visit, hosts []string) (made []*bundle.Bundle, err error) {
	own, mark, err := staging(t.shared)
	if err != nil {
		return nil, err
	}
	placed, err := json.Marshal(placement{Facts: t.facts, Shared: own, Mark: mark, Launches: v.launches, Hosts: namesOf(t.nodes)})
	if err != nil {
		return nil, err
	}
	world, err := t.crew.Start(context.WithoutCancel(ctx), launch.Job{
		Ranks: 1, Set: v.set, Sets: t.plan.Sets(), Command: j.farCommand(), Log: func(int) io.Writer { return env.Stderr },
		Env: []string{envPlacement + "=" + string(placed), envHosts + "=" + strings.Join(hosts, ",")},
		Out: own, Files: map[string][]byte{farDocument: j.source},
	})
	if err != nil {
		return nil, err
	}
	failed := farError(ctx, world.Host(0), untilEnd(ctx, world))
	for _, dir := range staged(own) {
		if err := sealHome(ctx, dir, t.crew.Trouble()); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		b, err := bundle.OpenVerified(dir, bundle.Trust{})
		if err == nil && !b.Seal.Verified {
			err = &bundle.SealError{Seal: *b.Seal}
		}
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		made = append(made, b)
	}
	return made, failed
}

// namesOf are the names of hosts.
func namesOf(nodes []bundle.Node) (names []string) {
	for _, n := range nodes {
		names = append(names, n.Name)
	}
	return names
}

// launchNumbers are launches as people count them.
func launchNumbers(launches []int) string {
	var words []string
	for _, index := range launches {
		words = append(words, fmt.Sprint(index+1))
	}
	return strings.Join(words, ", ")
}
