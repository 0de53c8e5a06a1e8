// Package train has ranks measure: it finds out what their workers need, starts a
// world of them, hands it its points one by one, and writes what they say into a
// launch's tables.
//
// It knows worlds. What a worker says and how its clock is read is package
// worker's, how processes start is package launch's, and what the rows mean is for
// those who judge them.
package train

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"assay/launch"
	"assay/plan"
	"assay/spec"
	"assay/workers"
)

// Tools is what the program offers the ranks that it starts.
type Tools struct {
	Native    []string                   // the command of the native worker
	Cache     string                     // where the Python workers are unpacked; empty means the user's cache
	Launchers map[string]launch.Launcher // by the spec's launch.kind
	Python    workers.Python             // that is known to have torch, so that nobody asks it again; zero means that one is looked for
	Address   string                     // at which ranks of other hosts reach this program; empty means that there are none
	Hosts     int                        // how many other hosts there are
	Attends   bool                       // this host runs ranks for a program elsewhere
}

// A Staff is what the worlds of a plan are started with.
type Staff struct {
	tools  Tools
	python workers.Python // zero where no point needs torch
	script []string       // the command of the torch worker
}

// Hire looks for what the plan's points need before anything starts: a Python with
// torch that is missing is reported in the first second.
func Hire(ctx context.Context, p plan.Plan, tools Tools) (*Staff, error) {
	s := &Staff{tools: tools}
	if Far(p) != nil && !tools.Attends {
		return s, nil // what ranks need is needed on their hosts, which look for it themselves
	}
	if err := placeable(p); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(p.Points, needsTorch) || own(p.Decided()) {
		return s, nil
	}
	wanted := python(p.Decided())
	if s.python = tools.Python; s.python.Path == "" || wanted != "" && wanted != s.python.Path {
		var err error
		if s.python, err = workers.FindPython(ctx, wanted); err != nil {
			return nil, err
		}
	}
	if err := s.able(p); err != nil {
		return nil, err
	}
	dir, err := workers.Unpack(cache(tools.Cache))
	if err != nil {
		return nil, fmt.Errorf("unpack the workers: %w", err)
	}
	s.script = workers.Command(s.python.Path, dir)
	return s, nil
}

// Python is the interpreter that ranks run in; empty where none is started here.
func (s *Staff) Python() string { return s.python.Path }

// own says that the spec brings a worker command of its own for everything that
// needs torch.
func own(s spec.RunSpec) bool {
	return s.Train != nil && len(s.Train.Command) > 0 && (s.Collectives == nil || s.Collectives.Backend == spec.BackendNative)
}

func cache(dir string) string {
	if dir != "" {
		return dir
	}
	if dir, err := os.UserCacheDir(); err == nil {
		return filepath.Join(dir, "assay")
	}
	return filepath.Join(os.TempDir(), "assay")
}

// python is the interpreter that the spec names; empty means that one is looked
// for.
func python(s spec.RunSpec) string {
	switch {
	case s.Train != nil && s.Train.Python != "":
		return s.Train.Python
	case s.Collectives != nil && s.Collectives.Python != "":
		return s.Collectives.Python
	case s.Probe != nil:
		return s.Probe.Python
	}
	return ""
}

// needsTorch says whether a point is measured by a torch worker.
func needsTorch(p plan.Point) bool {
	switch p.Kind() {
	case plan.KindSteps:
		return true
	case plan.KindCollective, plan.KindPairs:
		return p.Collective.Backend != spec.BackendNative
	case plan.KindProbe:
		return p.Micro.Torch()
	}
	return false
}

// able refuses what the torch that was found cannot do, before any rank starts.
func (s *Staff) able(p plan.Plan) error {
	var errs []error
	for _, point := range p.Points {
		device, backend := "", ""
		switch {
		case point.Steps != nil:
			device, backend = point.Steps.Device, point.Steps.Backend
		case point.Collective != nil && point.Collective.Backend != spec.BackendNative:
			device, backend = point.Collective.Device, point.Collective.Backend
		case point.Micro != nil && point.Micro.OnDevice():
			device = "cuda"
		}
		if device == "cuda" && !s.python.CUDA {
			errs = append(errs, fmt.Errorf("%s: %s has torch %s without a CUDA device: use --device cpu, or name another Python with --python", point.Name, s.python.Path, s.python.Torch))
		}
		if backend != "" && !slices.Contains(s.python.Backends, backend) {
			errs = append(errs, fmt.Errorf("%s: torch %s of %s was built without backend %s, it has %v", point.Name, s.python.Torch, s.python.Path, backend, s.python.Backends))
		}
		if len(errs) > 0 {
			break // one is enough: points of a plan share their backend
		}
	}
	return errors.Join(errs...)
}

// The workers, by the names that a leader asks other ranks for.
const (
	workerNative = "native" // this program
	workerTorch  = "torch"  // assay's own, in Python
	workerOwn    = "own"    // train.command of the spec
)

// Workers are the commands that a plan may start, by name. A rank of another host has
// its own, from its own command line.
func (s *Staff) Workers(run spec.RunSpec) launch.Workers {
	all := launch.Workers{workerNative: s.tools.Native}
	if len(s.script) > 0 {
		all[workerTorch] = s.script
	}
	if run.Train != nil && len(run.Train.Command) > 0 {
		all[workerOwn] = run.Train.Command
	}
	return all
}

// workerOf is the worker that every rank of a world runs.
func workerOf(run spec.RunSpec, first plan.Point) string {
	switch {
	case !needsTorch(first):
		return workerNative
	case first.Steps != nil && len(run.Train.Command) > 0:
		return workerOwn
	}
	return workerTorch
}

// launcher is how the spec wants the ranks of a point to be started.
func launcher(run spec.RunSpec, p plan.Point) spec.Launcher {
	var l *spec.Launcher
	switch {
	case p.Steps != nil:
		l = run.Train.Launch
	case p.Collective != nil:
		l = run.Collectives.Launch
	case p.Micro != nil:
		l = run.Probe.Launch
	}
	if l == nil {
		return spec.Launcher{Kind: spec.LaunchLocal}
	}
	return *l
}

// Far is how the spec wants this program to start ranks or load generators on other
// hosts; nil where all of them run here or are there already.
func Far(p plan.Plan) *spec.Launcher {
	for _, l := range launchers(p) {
		if l.Kind == spec.LaunchSSH || l.Kind == spec.LaunchSlurm {
			return l
		}
	}
	return nil
}

// Namespaces are those of this host that ranks or load generators start in; nil where
// they start in its own.
func Namespaces(p plan.Plan) []string {
	for _, l := range launchers(p) {
		if len(l.Namespaces) > 0 {
			return l.Namespaces
		}
	}
	return nil
}

// launchers are those that the spec gives for ranks and load generators.
func launchers(p plan.Plan) []*spec.Launcher {
	var list []*spec.Launcher
	if t := p.Train(); t != nil {
		list = append(list, t.Launch)
	}
	if c := p.Collectives(); c != nil {
		list = append(list, c.Launch)
	}
	if s := p.Decided().Probe; s != nil {
		list = append(list, s.Launch)
	}
	if l := p.Load(); l != nil && p.Generators() > 1 {
		list = append(list, l.Launch)
	}
	return slices.DeleteFunc(list, func(l *spec.Launcher) bool { return l == nil })
}
