package train

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"assay/launch"
	"assay/plan"
	"assay/record"
	"assay/spec"
	"assay/worker"
)

// Exchanges of four stamps with each rank: many while nothing else goes on, fewer
// when the measurement is over.
const (
	pingsBefore = 50
	pingsAfter  = 20
)

// grace is what ranks get to end by themselves.
const grace = 2 * time.Second

// A world is started ranks and the line to each of them.
type world struct {
	staff  *Staff
	launch Launch
	number int // of the world in its launch
	how    spec.Launcher
	ranks  int

	control *worker.Controller
	started launch.World
}

// measure starts the ranks, has them measure points and ends them. It returns how
// many points are done.
func (w *world) measure(ctx context.Context, points []plan.Point) (done int, err error) {
	dir, remove, err := folder()
	if err != nil {
		return 0, err
	}
	defer remove()
	w.control, err = worker.Listen(worker.Options{
		Run: w.launch.Run, Address: w.controlAddress(), Dir: dir, Ranks: w.ranks,
		Hang: hang(w.how), Epoch: w.launch.Clock.Epoch,
	})
	if err != nil {
		return 0, fmt.Errorf("listen for ranks: %w", err)
	}
	defer w.control.Close()
	w.launch.Progress(points[0], fmt.Sprintf("starting %d ranks", w.ranks))
	stop, err := w.start(ctx, points[0], dir)
	if err != nil {
		return 0, fmt.Errorf("start %d ranks: %w", w.ranks, err)
	}
	sink := &sink{launch: w.launch, world: w.number, dir: dir}
	done, err = w.visit(ctx, points, sink)
	if err == nil {
		err = errors.Join(w.control.Sync(ctx, "after", pingsAfter), w.control.Quit(ctx))
	}
	stop()
	return done, errors.Join(w.placed(err), sink.keepFiles(), w.describe(), w.launch.keepLibraryLogs(dir, w.number), sink.err)
}

// start starts the ranks and tells the controller of their ends.
func (w *world) start(ctx context.Context, first plan.Point, dir string) (stop func(), err error) {
	run := w.launch.Plan.Decided()
	name := workerOf(run, first)
	places, err := Places(w.how.Pin, w.ranks)
	if err != nil {
		return nil, err
	}
	set, sets := w.launch.Planned.Set, w.launch.Plan.Sets()
	job := launch.Job{
		Ranks: w.ranks, Worker: name, Command: w.staff.Workers(run)[name], Env: w.environment(first),
		Master: "127.0.0.1:0", Places: places, Namespaces: spec.SetOf(w.how.Namespaces, set, sets), Log: w.log,
		Out: dir, Leave: worker.RankFiles, OnePerHost: first.Micro != nil, Set: set, Sets: sets,
	}
	starter := w.staff.tools.Launchers[w.how.Kind]
	if starter == nil {
		return nil, fmt.Errorf("launch.kind: this program cannot start ranks by %q", w.how.Kind)
	}
	if err := w.launch.Out.Events.Append(record.Event{At: w.launch.Clock.Now(), Name: record.WorldAsked, Point: int32(first.Index), Detail: fmt.Sprintf("%d ranks", w.ranks)}); err != nil {
		return nil, err
	}
	if w.started, err = starter.Start(ctx, job); err != nil {
		return nil, err
	}
	for rank := range w.ranks {
		pid, _ := w.started.PID(rank)
		w.control.Started(rank, pid)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for exit := range w.started.Ended() {
			w.control.Exited(exit.Rank, exit.Code, exit.Signal, exit.Asked)
		}
	}()
	return func() {
		w.started.Stop(grace)
		<-ended
	}, nil
}

// environment is what the ranks find in theirs.
func (w *world) environment(first plan.Point) []string {
	env := w.control.Env()
	set := func(name, value string) {
		if value != "" {
			env = append(env, name+"="+value)
		}
	}
	set(worker.EnvInterface, w.how.Interface)
	switch {
	case first.Steps != nil:
		set(worker.EnvBackend, first.Steps.Backend)
		set(worker.EnvDevice, first.Steps.Device)
	case first.Collective != nil:
		set(worker.EnvBackend, first.Collective.Backend)
		set(worker.EnvDevice, first.Collective.Device)
		env = append(env, first.Collective.Env...)
	case first.Micro != nil:
		set(worker.EnvDevice, first.Micro.Device)
	}
	return env
}

// log keeps what a rank prints.
func (w *world) log(rank int) io.Writer {
	out, err := w.launch.Out.Log(fmt.Sprintf("world-%02d-rank-%05d.log", w.number, rank))
	if err != nil {
		return io.Discard
	}
	return out
}

// visit gathers the ranks and hands them their points.
func (w *world) visit(ctx context.Context, points []plan.Point, to *sink) (done int, err error) {
	if err := w.control.Gather(ctx); err != nil {
		return 0, err
	}
	if err := w.control.Sync(ctx, "before", pingsBefore); err != nil {
		return 0, err
	}
	for _, point := range points {
		w.launch.Progress(point, "")
		to.begin(point)
		err := w.control.Run(ctx, point, worker.WorldLine{
			Ranks: w.ranks, Timeout: int64(patience(w.how)), Seed: w.launch.Planned.Seed,
		}, to)
		if err := errors.Join(err, to.end(err == nil)); err != nil {
			return done, fmt.Errorf("%s: %w", point.Name, err)
		}
		done++
	}
	return done, nil
}

// patience is how long a collective may hang before the rank in it gives up by
// itself: longer than the controller needs to see who is to blame.
func patience(how spec.Launcher) time.Duration { return 4*hang(how) + 10*time.Second }

// describe writes down the processes and their clocks, however the world ended.
func (w *world) describe() error {
	return errors.Join(
		w.launch.Out.Ranks.Append(w.control.Ranks(w.number)...),
		w.launch.Out.Pings.Append(w.control.Pings(w.number)...),
	)
}

// placed says on which host the rank is that a world failed by, and what befell the
// hosts where that is why.
func (w *world) placed(err error) error {
	var failure *worker.Failure
	if errors.As(err, &failure) && w.started.Host(failure.Rank) != "" {
		err = fmt.Errorf("on host %s: %w", w.started.Host(failure.Rank), err)
	}
	watched, ok := w.staff.tools.Launchers[w.how.Kind].(launch.Watched)
	if err == nil || !ok {
		return err
	}
	if trouble := watched.Trouble(); trouble != nil {
		err = fmt.Errorf("%w: %w", trouble, err)
	}
	return err
}

// controlAddress is where the controller listens: a socket file where all ranks are
// on this host, which namespaces of the network share and nobody else can open, and
// the network where the spec names an address or ranks are on other hosts.
func (w *world) controlAddress() string {
	if w.how.Address == "" && w.how.Kind != spec.LaunchLocal {
		return w.staff.tools.Address
	}
	return w.how.Address
}
