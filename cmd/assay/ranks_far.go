package main

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"assay/bundle"
	"assay/launch"
	"assay/plan"
	"assay/record"
	"assay/spec"
	"assay/train"
	"assay/unit"
)

// A rankHosts is where the ranks of a run are.
type rankHosts struct {
	tools    train.Tools        // what they are started with
	facts    record.Environment // what is known of them
	nodes    []bundle.Node      // those hosts; nil means this one, or that another launcher knows
	followed bool               // this process was a rank itself, and the run is over
	leave    func() error
}

// meet brings together what the ranks of a plan need: those that another launcher has
// started, or hosts to start them on. Most plans need neither.
func (j job) meet(ctx context.Context, env Env, p plan.Plan) (at rankHosts, err error) {
	at = rankHosts{tools: rankTools(), facts: j.placed.facts(), leave: func() error { return nil }}
	at.tools.Python = j.python
	switch {
	case joins(p):
		at.followed, at.leave, err = join(ctx, env, p, &at.tools)
	case train.Far(p) != nil:
		at.facts, at.nodes, at.leave, err = gatherHosts(ctx, env, p, &at.tools)
	case j.placed.part():
		at.nodes = j.placed.nodes()
	case p.Sets() > 1:
		for _, name := range train.Namespaces(p) {
			at.nodes = append(at.nodes, bundle.Node{Name: name})
		}
	}
	return at, err
}

// gatherHosts makes the hosts ready that the ranks of a plan start on. Facts are what
// was found out of them.
func gatherHosts(ctx context.Context, env Env, p plan.Plan, tools *train.Tools) (facts record.Environment, nodes []bundle.Node, leave func() error, err error) {
	how := train.Far(p)
	if err := oneLaunch(p.Decided()); err != nil {
		return nil, nil, nil, err
	}
	document, err := p.Encode()
	if err != nil {
		return nil, nil, nil, err
	}
	options := launch.CrewOptions{Program: tools.Native[0], Brief: document, Tell: tellOn(env)}
	crew, facts, err := gatherBy(ctx, p, *how, options)
	if err != nil {
		return nil, nil, nil, err
	}
	if hosts := len(crew.Facts()); hosts%p.Sets() != 0 {
		return nil, nil, nil, errors.Join(usageError(fmt.Errorf("launch.sets: %d hosts in %d sets: want a number of hosts that can be cut into sets of one size", hosts, p.Sets())), crew.Close())
	}
	if tools.Address = how.Address; tools.Address == "" {
		tools.Address = crew.Address()
	}
	tools.Launchers[how.Kind] = crew
	tools.Hosts = len(crew.Facts())
	return facts, describeCrew(facts, how.Kind, crew), crew.Close, nil
}

// oneLaunch wants one set of hosts for all that a run has ranks for.
func oneLaunch(s spec.RunSpec) error {
	type part struct {
		name   string
		launch *spec.Launcher
	}
	var parts []part
	if s.Probe != nil && s.Probe.Launch != nil {
		parts = append(parts, part{"probe", s.Probe.Launch})
	}
	if s.Train != nil {
		parts = append(parts, part{"train", s.Train.Launch})
	}
	if s.Collectives != nil {
		parts = append(parts, part{"collectives", s.Collectives.Launch})
	}
	for i := 1; i < len(parts); i++ {
		if !reflect.DeepEqual(parts[0].launch, parts[i].launch) {
			return usageError(fmt.Errorf("spec.%s.launch and spec.%s.launch differ: a run has one set of hosts", parts[0].name, parts[i].name))
		}
	}
	return nil
}

// tellOn writes lines for people who wait.
func tellOn(env Env) func(format string, args ...any) {
	return func(format string, args ...any) { fmt.Fprintf(env.Stderr, format+"\n", args...) }
}

// gatherBy makes hosts ready by the launcher that the spec names.
func gatherBy(ctx context.Context, p plan.Plan, how spec.Launcher, options launch.CrewOptions) (*launch.Crew, record.Environment, error) {
	if how.Kind == spec.LaunchSlurm {
		wanted := spec.Slurm{Nodes: 1, Time: unit.Duration(time.Hour)}
		if how.Slurm != nil {
			wanted = *how.Slurm
		}
		crew, allocation, err := launch.Slurm(ctx, p.Name, wanted, slotsOf(wanted, p), options)
		return crew, slurmFacts(allocation), err
	}
	hosts, err := launch.ReadHosts(how.Hosts)
	if err != nil {
		return nil, nil, usageError(err)
	}
	crew, err := launch.SSH(ctx, hosts, options)
	return crew, record.Environment{}, err
}

// slotsOf is how many ranks or load generators each node has: as many as the spec says, or
// its share of the largest world.
func slotsOf(wanted spec.Slurm, p plan.Plan) int {
	if wanted.TasksPerNode > 0 {
		return wanted.TasksPerNode
	}
	ranks := p.Generators()
	for _, point := range p.Points {
		ranks = max(ranks, point.Ranks)
	}
	nodes := max(1, wanted.Nodes/p.Sets())
	return max(1, (ranks+nodes-1)/nodes)
}

// slurmFacts are what the scheduler said of the nodes that it gave.
func slurmFacts(a *launch.Allocation) record.Environment {
	facts := record.Environment{}
	if a == nil {
		return facts
	}
	facts.Set("scheduler.kind", "slurm")
	facts.Set("scheduler.job", a.Job)
	facts.Set("scheduler.partition", a.Partition)
	facts.Set("scheduler.nodes", a.Nodes)
	facts.Set("scheduler.submitted", a.Submitted)
	facts.Set("scheduler.started", a.Started)
	facts.Set("scheduler.queue_wait_seconds", a.QueueWait.Seconds())
	facts.Set("scheduler.pending_reasons", strings.Join(a.Reasons, ", "))
	facts.Set("scheduler.restarts", a.Restarts)
	return facts
}

// describeCrew adds the facts of a run's hosts and returns what each says of itself.
func describeCrew(facts record.Environment, kind string, crew *launch.Crew) (nodes []bundle.Node) {
	facts.Set("launcher.kind", kind)
	var names []string
	var slowest time.Duration
	for i, h := range crew.Facts() {
		at := fmt.Sprintf("launcher.host.%d.", i)
		names = append(names, h.Name)
		nodes = append(nodes, bundle.Node{Name: h.Name, Environment: h.Captured})
		slowest = max(slowest, h.StartUp)
		facts.Set(at+"name", h.Name)
		facts.Set(at+"system", h.System+" "+h.Machine)
		facts.Set(at+"copied", h.Copied)
		facts.Set(at+"program", "sha256:"+h.Digest)
		facts.Set(at+"start_up_seconds", h.StartUp.Seconds())
	}
	facts.Set("launcher.hosts", names)
	facts.Set("launcher.start_up_seconds", slowest.Seconds())
	return nodes
}
