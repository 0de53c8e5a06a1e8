package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"assay/bundle"
	"assay/cmd/assay/bench"
	"assay/launch"
	"assay/plan"
	"assay/spec"
)

// goes says where the run is carried out, as the flags ask for. Ranks of training and
// collectives start where their document says, and the flags go into it; any other run
// goes to its host as a whole.
func (j *job) goes(where fieldFlags) error {
	if where.spec.Train == nil || where.spec.Train.Launch == nil {
		return nil
	}
	how, err := where.launcher()
	if err != nil {
		return err
	}
	t, c := j.run.Spec.Train, j.run.Spec.Collectives
	switch {
	case j.resume != nil:
		return usageError(errors.New("--launcher and --resume: a run is continued where it was begun"))
	case t == nil && c == nil && how.Kind == spec.LaunchEnvironment:
		return usageError(errors.New("--launcher environment: it joins ranks of training and collectives, and this document has none"))
	case t == nil && c == nil:
		if how.Kind != spec.LaunchLocal {
			j.far = how
		}
		return j.cuts(how.Sets)
	}
	if t != nil {
		t.Launch = moveTo(t.Launch, *how)
	}
	if c != nil {
		c.Launch = moveTo(c.Launch, *how)
	}
	if j.source, err = spec.WriteYAML(j.run); err == nil {
		j.run, err = parseRun(j.file, j.source)
	}
	return err
}

// launcher is what the flags of hostFields ask for, by the rules of a document.
func (f *fieldFlags) launcher() (*spec.Launcher, error) {
	run := spec.Run{APIVersion: spec.APIVersion, Kind: spec.KindBenchmarkRun, Spec: f.spec}
	run.Metadata.Name = "flags"
	run.Spec.Intent.WorkloadType = spec.Training
	run.Spec.Workload.Precision = "fp32"
	resolved, _ := spec.Resolve(run)
	run.Spec.Workload.Model = resolved.Spec.Train.Shape.Family
	source, err := spec.WriteYAML(run)
	if err != nil {
		return nil, err
	}
	document, faults := spec.Parse("", source)
	if !spec.Valid(faults) {
		return nil, usageError(bench.Explain(faults, f.paths))
	}
	resolved, _ = spec.Resolve(*document.Run)
	return resolved.Spec.Train.Launch, nil
}

// moveTo is a launcher with the hosts of another.
func moveTo(own *spec.Launcher, how spec.Launcher) *spec.Launcher {
	moved := spec.Launcher{}
	if own != nil {
		moved = *own
	}
	moved.Kind, moved.Hosts, moved.Slurm = how.Kind, how.Hosts, how.Slurm
	if how.Sets > 0 {
		moved.Sets = how.Sets
	}
	return &moved
}

// carries carries the run out, here or on the host that it goes to.
func (j job) carries(ctx context.Context, env Env) (dir string, err error) {
	if j.far != nil && j.hot.given() {
		return "", usageError(errors.New("--metrics-listen, --metrics-push and --otlp: the run is carried out elsewhere, and published from there: write sinks.hotMetrics into the document"))
	}
	switch {
	case j.far != nil && j.run.Spec.Trials.Sets > 1:
		return j.carryOutSets(ctx, env)
	case j.far != nil:
		return j.carryOutFar(ctx, env)
	}
	return carryOut(ctx, env, j)
}

// sealWithin is how long a run that was asked to end may take to seal what it has.
const sealWithin = 2 * time.Minute

// carryOutFar has the first host carry the run out. It is the same program with the same
// document; its bundle comes back through a folder that both see, or else through the
// connection.
func (j job) carryOutFar(ctx context.Context, env Env) (dir string, err error) {
	p, err := plan.New(j.run)
	if err != nil {
		return "", usageError(err)
	}
	defer env.hold()()
	shared, mark, err := staging(j.out)
	if err != nil {
		return "", err
	}
	defer clearStaging(shared)
	crew, facts, err := gatherBy(ctx, p, *j.far, launch.CrewOptions{Program: rankTools().Native[0], Tell: tellOn(env)})
	if err != nil {
		return "", err
	}
	defer crew.Close()
	describeCrew(facts, j.far.Kind, crew)
	placed, err := json.Marshal(placement{Facts: facts, Shared: shared, Mark: mark})
	if err != nil {
		return "", err
	}
	world, err := crew.Start(context.WithoutCancel(ctx), launch.Job{
		Ranks: 1, Command: append(j.farCommand(), j.farFiles()...), Env: []string{envPlacement + "=" + string(placed)}, Log: func(int) io.Writer { return env.Stderr },
		Out: shared, Files: map[string][]byte{farDocument: j.source},
	})
	if err != nil {
		return "", err
	}
	exit := untilEnd(ctx, world)
	dirs, err := bringHome(ctx, shared, crew.Trouble())
	for _, dir = range dirs {
		err = errors.Join(err, showReport(ctx, env, reportAsk{format: j.format, all: j.all, formatChanged: j.format != "text"}, dir))
	}
	return dir, errors.Join(err, farError(ctx, world.Host(0), exit))
}

// farDocument is the name of the document on the host.
const farDocument = "run.yaml"

// farCommand is the run as the host carries it out.
func (j job) farCommand() []string {
	args := []string{launch.Self, "run", farDocument, "-o", "."}
	mode := j.progress.mode
	if mode != "none" {
		mode = "plain"
	}
	return append(args, "--progress", mode, "--progress-interval", j.progress.interval.String())
}

// farFiles are options that name files of the host.
func (j job) farFiles() (args []string) {
	for _, file := range []struct{ flag, path string }{{"--key", j.keyFile}, {"--baseline", j.baseline}, {"--workload", j.frozen}} {
		if path, err := filepath.Abs(file.path); file.path != "" && err == nil {
			args = append(args, file.flag, path)
		}
	}
	return args
}

// staging makes a folder in out that nobody else uses, with a file that is nowhere else.
func staging(out string) (dir, mark string, err error) {
	if out, err = filepath.Abs(out); err != nil {
		return "", "", err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return "", "", err
	}
	if dir, err = os.MkdirTemp(out, ".far-"); err != nil {
		return "", "", err
	}
	mark = ".mark-" + rand.Text()
	return dir, mark, os.WriteFile(filepath.Join(dir, mark), nil, 0o600)
}

// untilEnd waits for the run. One that is asked to end seals what it has first.
func untilEnd(ctx context.Context, world launch.World) (last launch.Exit) {
	defer context.AfterFunc(ctx, func() { world.Stop(sealWithin) })()
	for exit := range world.Ended() {
		last = exit
	}
	return last
}

// bringHome moves every bundle out of the folder that it came back in: there are several
// where the host began the run again. One that cannot be moved stays where it is, and the
// error says where that is.
func bringHome(ctx context.Context, shared string, trouble error) (dirs []string, err error) {
	for _, from := range staged(shared) {
		dir := filepath.Join(filepath.Dir(shared), filepath.Base(from))
		switch _, e := os.Lstat(dir); {
		case e == nil:
			err = errors.Join(err, fmt.Errorf("%s is there already: the bundle that came back stays at %s", dir, from))
			continue
		case !errors.Is(e, os.ErrNotExist):
			err = errors.Join(err, fmt.Errorf("the bundle that came back stays at %s: %w", from, e))
			continue
		}
		if e := os.Rename(from, dir); e != nil {
			err = errors.Join(err, fmt.Errorf("the bundle that came back stays at %s: %w", from, e))
			continue
		}
		dirs = append(dirs, dir)
		err = errors.Join(err, sealHome(ctx, dir, trouble))
	}
	return dirs, err
}

// sealHome seals a bundle whose host was lost, with all that reached this one.
func sealHome(ctx context.Context, dir string, trouble error) error {
	b, err := bundle.Open(dir)
	if err != nil || b.Sealed {
		return err
	}
	options := bundle.SealOptions{}
	if trouble != nil {
		options.Killed = strings.ReplaceAll(trouble.Error(), "\n", "; ")
	}
	_, err = bundle.Recover(context.WithoutCancel(ctx), dir, options)
	return err
}

// staged lists the bundles in a folder of staging, in the order of their names.
func staged(shared string) (dirs []string) {
	entries, _ := os.ReadDir(shared) // what cannot be read has nothing to bring home
	for _, entry := range entries {
		dir := filepath.Join(shared, entry.Name())
		if strings.HasPrefix(entry.Name(), ".") {
			continue // not a bundle yet
		}
		if _, err := os.Stat(filepath.Join(dir, bundle.SpecFile)); err == nil {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// clearStaging removes the folder, unless a bundle is still in it.
func clearStaging(shared string) {
	if len(staged(shared)) == 0 {
		os.RemoveAll(shared)
	}
}

// farError is how the run ended where it did not end well.
func farError(ctx context.Context, host string, exit launch.Exit) error {
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("the run on host %s was ended: %w", host, context.Cause(ctx))
	case exit.Code != 0 && exit.Signal != "":
		return fmt.Errorf("the run on host %s was ended: %s", host, exit.Signal)
	case exit.Code != 0:
		return fmt.Errorf("the run on host %s ended with exit code %d", host, exit.Code)
	}
	return nil
}
