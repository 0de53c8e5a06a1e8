// Package probe measures the parts of a host by themselves: memory, caches,
// arithmetic, disk, network, the start of processes.
//
// Every probe is a list of variants. A variant's inner loop is calibrated until the
// clock no longer decides the result, runs once to warm up, and is then timed as
// often as the plan says; each timed replicate is one row of the table trials and
// counts what was done in it. The package checks the answers of what it times. It
// draws no conclusions: rates, levels and the roofline belong to analysis/hardware.
// What an accelerator can do is measured by a worker that has its libraries, not
// here.
//
// To add a probe, write one file NAME.go with one Probe and list it in All.
package probe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"assay/plan"
	"assay/record"
	"assay/stats"
)

// A Setting is one point of a plan and where it is measured.
type Setting struct {
	Point int
	Micro plan.Micro
	Dir   string             // for the files of disk and dataloader; empty means the system's temporary folder
	Epoch int64              // CLOCK_MONOTONIC at stamp zero of the launch
	Trial func(record.Trial) // is given every replicate, outside of timed regions
	Note  func(string)       // called with what a reader should know; nil means nobody listens

	// Only names the one variant to measure; empty means all.
	Only string

	// Path is called with what the kernel knows of the network probe's connections; nil means
	// nobody.
	Path func(Link)

	// Secret is what the server of the network probe printed when it started; a probe
	// over loopback needs none.
	Secret string

	limit int64 // bytes of the largest working set, for tests; zero means none
}

// most is so many bytes, or fewer in a test.
func (s *Setting) most(bytes int64) int64 {
	if s.limit > 0 {
		return min(s.limit, bytes)
	}
	return bytes
}

// A Probe is one thing that can be measured on a host.
type Probe struct {
	Name string
	Doc  string

	// open makes ready what the variants share. They are measured in their order;
	// close is called when all are over, also after an error.
	open func(ctx context.Context, s *Setting) (variants []variant, close func() error, err error)
}

// All lists every probe of a host, in the order of help.
var All = []Probe{Speed, Memory, Cache, Matmul, Roofline, Disk, Checkpoint, Network, Startup, Dataloader}

// A variant is one way to use what a probe measures.
type variant struct {
	name    string
	scope   string
	threads int
	size    int64

	// What one iteration does.
	bytes, operations int64
	flop              float64

	// do makes so many iterations and waits for their end.
	do func(iterations int) error

	// single says that each iteration is timed by itself, as often as the duration
	// allows: what is wanted is how iterations differ.
	single bool

	// begin makes ready and end cleans up; either may be nil.
	begin, end func() error

	// settle is called after each replicate, outside of the timed region: it says how
	// many answers were wrong since the last time, and what was sent again.
	settle func() (wrong int64, resent *int64, err error)
}

// Measure measures every variant of the point's probe.
func Measure(ctx context.Context, s Setting) (err error) {
	if s.Micro.Torch() {
		return fmt.Errorf("probe %s on device %s: a worker with torch must measure it: set probe.python", s.Micro.Probe, s.Micro.Device)
	}
	at := slices.IndexFunc(All, func(p Probe) bool { return p.Name == s.Micro.Probe })
	if at < 0 {
		return fmt.Errorf("no probe %q: want one of %s", s.Micro.Probe, strings.Join(Names(), ", "))
	}
	clock, err := record.StartClock()
	if err != nil {
		return err
	}
	m := &measuring{Setting: s, clock: clock, shift: clock.Epoch - s.Epoch}
	if m.Note == nil {
		m.Note = func(string) {}
	}
	variants, end, err := All[at].open(ctx, &m.Setting)
	if err != nil {
		return fmt.Errorf("probe %s: %w", s.Micro.Probe, err)
	}
	defer func() { err = errors.Join(err, end()) }()
	for _, v := range variants {
		if s.Only != "" && v.name != s.Only {
			continue
		}
		if err := m.variant(ctx, v); err != nil {
			return fmt.Errorf("probe %s %s: %w", s.Micro.Probe, v.name, err)
		}
	}
	return nil
}

// Names lists the names of all probes of a host.
func Names() []string {
	var list []string
	for _, p := range All {
		list = append(list, p.Name)
	}
	return list
}

// nothing is what a probe without anything to close returns.
func nothing() error { return nil }

// clockShare is the most that the clock's step and cost may be of a timed region.
const clockShare = .01

// mostSingles bounds the rows of a variant whose iterations are timed by themselves:
// enough for a p99 with a bound, and still a small table.
const mostSingles = 2000

// A measuring is a point while it is measured.
type measuring struct {
	Setting
	clock *record.Clock
	shift int64 // from the clock's stamps to the launch's
}

func (m *measuring) now() int64 { return m.clock.Now() + m.shift }

func (m *measuring) variant(ctx context.Context, v variant) (err error) {
	if v.begin != nil {
		if err := v.begin(); err != nil {
			return err
		}
	}
	if v.end != nil {
		defer func() { err = errors.Join(err, v.end()) }()
	}
	loops, err := m.calibrate(ctx, v)
	if err != nil {
		return err
	}
	if err := m.trial(v, record.Warmup, 0, loops); err != nil {
		return err
	}
	begun, budget := m.now(), int64(m.Micro.Duration.Std())
	for seq := range int64(m.trials(v)) {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if v.single && seq >= int64(m.Micro.Replicates) && m.now()-begun > budget {
			break
		}
		if err := m.trial(v, record.Measure, seq, loops); err != nil {
			return err
		}
	}
	return nil
}

func (m *measuring) trials(v variant) int {
	if v.single {
		return max(mostSingles, m.Micro.Replicates)
	}
	return m.Micro.Replicates
}

// calibrate chooses how many iterations a replicate has: enough for the clock, and
// the replicate's share of the duration.
func (m *measuring) calibrate(ctx context.Context, v variant) (int, error) {
	var failed error
	loop, err := stats.CalibrateLoop(func() time.Duration { return time.Duration(m.now()) }, clockShare, func(n int) {
		if failed == nil {
			failed = context.Cause(ctx)
		}
		if failed == nil {
			failed = v.do(n)
		}
		if failed != nil {
			time.Sleep(time.Millisecond) // ends the search for a long enough region
		}
	})
	if err := errors.Join(failed, err); err != nil {
		return 0, err
	}
	if v.settle != nil {
		if _, _, err := v.settle(); err != nil {
			return 0, err
		}
	}
	if v.single {
		if loop.Iterations > 1 {
			m.Note(fmt.Sprintf("%s: one takes less than a hundred steps of the clock: rows hold the mean of %d", v.name, loop.Iterations))
		}
		return loop.Iterations, nil
	}
	share := m.Micro.Duration.Std() / time.Duration(max(1, m.Micro.Replicates))
	each := float64(loop.Region) / float64(loop.Iterations)
	return max(loop.Iterations, int(float64(share)/max(each, 1))), nil
}

// trial times one replicate.
func (m *measuring) trial(v variant, phase record.Phase, seq int64, loops int) error {
	start := m.now()
	err := v.do(loops)
	end := m.now()
	if err != nil {
		return err
	}
	row := record.Trial{
		Point: int32(m.Point), Phase: phase, Probe: m.Micro.Probe, Variant: v.name, Seq: seq,
		Start: start, End: end, Loops: int64(loops),
		Bytes: v.bytes * int64(loops), Operations: v.operations * int64(loops),
		Threads: int32(v.threads), Size: v.size, Scope: v.scope, Clock: "host",
	}
	if v.flop > 0 {
		flop := v.flop * float64(loops)
		row.FLOP = &flop
	}
	if v.settle != nil {
		if row.Wrong, row.Retransmits, err = v.settle(); err != nil {
			return err
		}
	}
	m.Trial(row)
	return nil
}
