package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"assay/generator"
	"assay/launch"
	"assay/plan"
	"assay/record"
	"assay/run/watch"
	"assay/spec"
	"assay/train"
)

// Exchanges of four stamps with each generator: many while nothing else goes on, fewer
// when the measurement is over. While a point is under way there is one in a second.
const (
	exchangesBefore = 50
	exchangesAfter  = 20
)

// GeneratorWorker is the name by which processes that another launcher has placed know the
// command of a load generator.
const GeneratorWorker = "generator"

// generatorGrace is what generators get to end by themselves.
const generatorGrace = 5 * time.Second

// startGenerators starts the load generators of a launch and gives each its part of it.
// The returned function ends them and writes down what they were; it does nothing where
// this process sends the load itself. Every launch has new ones: what befell one of them
// in the launch before must not change this one.
func (e *execution) startGenerators(ctx context.Context, l *activeLaunch) (end func() error, err error) {
	count := l.plan.Generators()
	if count < 2 {
		return func() error { return nil }, nil
	}
	how := spec.Launcher{Kind: spec.LaunchLocal}
	if asked := l.plan.Load().Launch; asked != nil {
		how = *asked
	}
	e.report(Progress{Launch: l.planned.Index, Message: fmt.Sprintf("starting %d load generators", count)})
	leader, err := generator.Listen(generator.Options{
		Run: e.runID(), Program: e.opts.Tool.Version, Count: count, Address: cmp.Or(how.Address, e.opts.Ranks.Address), Epoch: l.clock.Epoch, Hang: how.HangTimeout.Std(),
	})
	if err != nil {
		return nil, err
	}
	stop, err := e.launchGenerators(ctx, l, leader, how, count)
	if err != nil {
		return nil, errors.Join(err, leader.Close())
	}
	finish := func() error {
		leader.End()
		stop()
		l.generators = nil
		return errors.Join(leader.Close(), l.describeGenerators(leader))
	}
	if err := e.readyGenerators(ctx, l, leader); err != nil {
		return nil, errors.Join(err, finish())
	}
	l.generators = leader
	return func() error {
		err := errors.Join(leader.Sync(ctx, generator.After, exchangesAfter), e.calibrateGenerators(ctx, l, leader, record.CalibrationAfter, l.turn.last))
		var lost *generator.LostError
		if errors.As(err, &lost) || ctx.Err() != nil {
			err = nil // the point that noticed has reported it, or the run was cancelled
		}
		return errors.Join(err, finish())
	}, nil
}

// launchGenerators starts the processes and tells the leader of their ends.
func (e *execution) launchGenerators(ctx context.Context, l *activeLaunch, leader *generator.Leader, how spec.Launcher, count int) (stop func(), err error) {
	starter := e.opts.Ranks.Launchers[how.Kind]
	if starter == nil || len(e.opts.Generator) == 0 {
		return nil, fmt.Errorf("load.launch.kind: this program cannot start load generators by %q", how.Kind)
	}
	places, err := train.Places(how.Pin, count)
	if err != nil {
		return nil, fmt.Errorf("load.launch.pin: %w", err)
	}
	credentials := make([][]byte, count)
	for number := range credentials {
		if credentials[number], err = leader.Credentials(number); err != nil {
			return nil, err
		}
	}
	command, env := e.opts.Generator, []string(nil)
	if train.Far(l.plan) != nil { // the program lies elsewhere there, and nobody has set its variables
		command, env = append([]string{launch.Self}, command[1:]...), e.keys()
	}
	worker := ""
	if how.Kind == spec.LaunchEnvironment { // each has its own copy of the program, and is asked for it by name
		worker = GeneratorWorker
	}
	set, sets := l.planned.Set, l.plan.Sets()
	world, err := starter.Start(ctx, launch.Job{
		Ranks: count, Command: command, Worker: worker, Env: env, Places: places, Namespaces: spec.SetOf(how.Namespaces, set, sets), Master: "127.0.0.1:0", Set: set, Sets: sets,
		Input: func(number int) []byte { return credentials[number] },
		Log: func(number int) io.Writer {
			log, err := l.out.Log(fmt.Sprintf("generator-%05d.log", number))
			if err != nil {
				return io.Discard
			}
			return log
		},
	})
	if err != nil {
		return nil, fmt.Errorf("start %d load generators: %w", count, err)
	}
	ended := make(chan struct{})
	go func() { // ends with the last process
		defer close(ended)
		for exit := range world.Ended() {
			leader.Exited(exit.Rank, exitText(exit))
		}
	}()
	return func() {
		world.Stop(generatorGrace)
		<-ended
	}, nil
}

// keys are the variables that the spec's targets are reached with. They go to the load
// generators of other hosts by the launcher's own connection.
func (e *execution) keys() (used []string) {
	find := lookup(e.opts.Environ)
	_, _ = connectSides(e.plan, func(name string) (string, bool) { // it succeeded before
		value, ok := find(name)
		if ok {
			used = append(used, name+"="+value)
		}
		return value, ok
	})
	return used
}

func exitText(exit launch.Exit) string {
	switch {
	case exit.Asked:
		return "was stopped"
	case exit.Signal != "":
		return "was " + exit.Signal
	}
	return fmt.Sprintf("ended with code %d; see its log", exit.Code)
}

// readyGenerators waits for the generators, compares clocks and hands out the parts.
func (e *execution) readyGenerators(ctx context.Context, l *activeLaunch, leader *generator.Leader) error {
	if err := leader.Gather(ctx); err != nil {
		return err
	}
	if err := leader.Sync(ctx, generator.Before, exchangesBefore); err != nil {
		return err
	}
	count := l.plan.Generators()
	err := leader.Launch(ctx, func(number int) (generator.Part, error) {
		part, err := e.plan.Shard(number, count)
		if err != nil {
			return generator.Part{}, err
		}
		encoded, err := part.Encode()
		return generator.Part{
			Run: e.runID(), Plan: encoded, Launch: l.planned.Index, Omit: e.conn.client.Ask.Omit,
			CollectorBudget: e.opts.CollectorBudget / int64(count), // they may share this host
		}, err
	})
	if err != nil {
		return err
	}
	return e.calibrateGenerators(ctx, l, leader, record.CalibrationBefore, l.turn.first)
}

// calibrateGenerators has the generators measure their own error, where it is the turn of
// the launch. The one that errs most stands for the client in what is said of the run;
// what every one found is kept beside it.
func (e *execution) calibrateGenerators(ctx context.Context, l *activeLaunch, leader *generator.Leader, when string, due bool) error {
	if !due || !calibrates(e.plan) || ctx.Err() != nil {
		return nil
	}
	e.report(Progress{Launch: l.planned.Index, Message: "measuring the load generators' own error, " + when + " the run"})
	l.live.Enter(watch.Calibrating)
	defer l.live.Enter(watch.Preparing)
	list, err := leader.Calibrate(ctx, when)
	if err != nil {
		return err
	}
	for number, found := range list {
		if err := l.attachCalibration(fmt.Sprintf("calibration-%s-generator-%05d.json", when, number), found); err != nil {
			return err
		}
	}
	return l.attachCalibration(record.CalibrationFile(when), worstOf(list))
}

// worstOf is the calibration with the largest error of TTFT, or one that could not be
// made.
func worstOf(list []record.Calibration) record.Calibration {
	return slices.MaxFunc(list, func(a, b record.Calibration) int {
		if unknown := a.Unavailable != ""; unknown != (b.Unavailable != "") {
			return map[bool]int{true: 1, false: -1}[unknown]
		}
		return cmp.Compare(a.TTFT.P99, b.TTFT.P99)
	})
}

// describeGenerators writes down the generators and their clocks, and who else knocked.
func (l *activeLaunch) describeGenerators(leader *generator.Leader) error {
	var errs []error
	for _, who := range leader.Refused() {
		errs = append(errs, l.to.event(record.Event{At: l.clock.Now(), Name: record.GeneratorRefused, Point: -1, Detail: who}))
	}
	return errors.Join(append(errs, l.out.Generators.Append(leader.Describe()...), l.out.Pings.Append(leader.Pings()...))...)
}

// splittable refuses a plan that cannot be dealt out, before anything starts.
func splittable(p plan.Plan) error {
	_, err := p.Shard(0, p.Generators())
	return err
}
