package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"

	"assay/bundle"
	"assay/generator"
	"assay/plan"
	"assay/record"
	"assay/spec"
	"assay/target"
	"assay/target/fidelity"
	"assay/telemetry"
)

// GenerateOptions is what a load generator may touch.
type GenerateOptions struct {
	Environ []string       // as os.Environ
	Tool    bundle.Tool    // this program
	Host    telemetry.Host // the machine

	// Simulate and Senders are those of Options.
	Simulate func(ctx context.Context, s fidelity.Schedule) (*fidelity.Simulation, error)
	Senders  int
}

// Generate is one load generator: it joins the leader that the credentials name and
// sends its part of the load, until the leader has nothing more for it to do.
func Generate(ctx context.Context, c generator.Credentials, opts GenerateOptions) error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	member, err := generator.Join(ctx, c, generator.Hello{
		Program: opts.Tool.Version, Host: host, PID: os.Getpid(), Processors: runtime.GOMAXPROCS(0), BootID: readLine("/proc/sys/kernel/random/boot_id"), TimeNS: linkName("/proc/self/ns/time"),
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stopped := context.AfterFunc(ctx, func() { member.Close() })
	f := &follower{leader: &leader{member: member}, opts: opts}
	err = f.obey(ctx)
	f.end()
	if stopped() {
		err = errors.Join(err, member.Close())
	}
	return err
}

// readLine is the one line of a file that the kernel writes; empty where there is none.
func readLine(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

func linkName(path string) string {
	name, err := os.Readlink(path)
	if err != nil {
		return ""
	}
	return name
}

// A follower is a load generator while it works.
type follower struct {
	opts   GenerateOptions
	leader *leader
	launch *activeLaunch
	point  sync.WaitGroup // the one that is under way

	conn     connection
	redactor *bundle.Redactor
	cancel   context.CancelCauseFunc
}

// obey carries the leader's orders out, one after the other, until the last.
func (f *follower) obey(ctx context.Context) error {
	for order := range f.leader.member.Orders() {
		switch order.Kind {
		case generator.OrderLaunch:
			if err := f.prepare(ctx, *order.Launch); err != nil {
				return errors.Join(err, f.leader.fail(err))
			}
			if err := f.leader.member.Report(generator.Report{Stage: generator.Ready}); err != nil {
				return err
			}
		case generator.OrderCalibrate:
			if err := f.calibrate(ctx, order.Why); err != nil {
				return errors.Join(err, f.leader.fail(err))
			}
		case generator.OrderPoint:
			f.begin(ctx, order.Point)
		case generator.OrderBegin:
			f.leader.start <- order.Start
		case generator.OrderRest:
			close(f.leader.rested)
		case generator.OrderStop:
			if f.cancel != nil {
				f.cancel(fmt.Errorf("%s: %w", order.Why, errStopped))
			}
		case generator.OrderEnd:
			return nil
		default:
			return fmt.Errorf("an order %q, which this version does not know", order.Kind)
		}
	}
	return f.leader.member.Err()
}

// errStopped ends a point that the leader cuts short.
var errStopped = fmt.Errorf("the leader ended the point: %w", target.ErrRunEnded)

// end waits for what is under way.
func (f *follower) end() {
	if f.cancel != nil {
		f.cancel(errStopped)
	}
	f.point.Wait()
	if f.launch != nil {
		f.launch.client.Close()
	}
}

// prepare reads this generator's part of a launch and connects to its target.
func (f *follower) prepare(ctx context.Context, part generator.Part) error {
	p, err := plan.Decode(part.Plan)
	if err != nil {
		return err
	}
	if part.Launch < 0 || part.Launch >= len(p.Launches) {
		return fmt.Errorf("launch %d of %d", part.Launch, len(p.Launches))
	}
	clock, err := record.ClockFrom(part.Epoch)
	if err != nil {
		return err
	}
	planned := p.Launches[part.Launch]
	s, err := f.side(p, planned.Side)
	if err != nil {
		return err
	}
	in, err := accept(p)
	if err != nil {
		return err
	}
	conn := s.conn
	f.redactor = bundle.NewRedactor(append(spec.Secrets(p.Run), conn.secrets...), f.opts.Environ)
	conn.client.Ask.Omit = part.Omit
	if err := in.learn(ctx, conn); err != nil {
		return err
	}
	conn.client.Redact, conn.client.CountSeed = f.redactor.String, part.Run
	f.conn = conn
	// Generators may share a host, and a thread that waits awake takes a processor.
	conn.client.Spin = p.Load().ReaderWait == spec.WaitSpin
	if t := s.target; t.Traceparent != nil && *t.Traceparent {
		conn.client.Trace = target.NewTrace(part.Run, planned.Index)
	}
	f.launch = &activeLaunch{
		plan: p.Facing(s.target), planned: planned, in: in, recordings: &recordings{counter: in.words()}, clock: clock,
		to: f.leader, leader: f.leader, collectorBudget: part.CollectorBudget, probes: conn.client, dialect: conn.dialect,
	}
	f.launch.probes.Connections, f.launch.probes.Readers, f.launch.probes.Spin = 1, 1, false
	f.launch.client, err = target.New(conn.client, conn.dialect, clock)
	return err
}

// calibrate measures this process as a client, with its own part of the load.
func (f *follower) calibrate(ctx context.Context, when string) error {
	if f.launch == nil {
		return errors.New("a calibration before the launch")
	}
	l := f.launch
	e := &execution{plan: l.plan, in: l.in, conn: f.conn, redactor: f.redactor, opts: Options{
		Out: os.TempDir(), Tool: f.opts.Tool, Environ: f.opts.Environ, Host: f.opts.Host,
		Simulate: f.opts.Simulate, Senders: f.opts.Senders, CollectorBudget: l.collectorBudget,
	}}
	found := e.calibration(ctx, l.clock, when)
	return f.leader.member.Report(generator.Report{Stage: generator.Calibrated, Calibration: &found})
}

// side is the side that a launch measures.
func (f *follower) side(p plan.Plan, name string) (*side, error) {
	sides, err := connectSides(p, lookup(f.opts.Environ))
	if err != nil {
		return nil, err
	}
	for _, s := range sides {
		if s.name == name {
			return s, nil
		}
	}
	return nil, fmt.Errorf("the plan has a launch of side %q and no such side", name)
}

// begin measures a point beside the orders that steer it.
func (f *follower) begin(ctx context.Context, index int) {
	f.leader.begin()
	ctx, f.cancel = context.WithCancelCause(ctx)
	f.point.Go(func() {
		stop := f.leader.counting()
		err := f.measure(ctx, index)
		stop()
		if errors.Is(err, errStopped) {
			err = nil // the leader knows why
		}
		if err != nil {
			_ = f.leader.fail(err) // a leader that is gone ends the orders too
			return
		}
		_ = f.leader.member.Report(f.leader.done())
	})
}

func (f *follower) measure(ctx context.Context, index int) error {
	if f.launch == nil {
		return errors.New("a point before the launch")
	}
	point, ok := f.launch.plan.PointByIndex(index)
	if !ok {
		return fmt.Errorf("point %d: the plan has none", index)
	}
	begun, err := readVitals()
	if err != nil {
		return err
	}
	if point.Idle {
		return f.launch.idle(ctx)
	}
	err = f.launch.measurePoint(ctx, point)
	var spent Health
	if err := spent.spent(begun); err != nil {
		return err
	}
	f.leader.spend(spent, f.launch.at.probed)
	return err
}
