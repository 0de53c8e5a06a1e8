package train

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"assay/bundle"
	"assay/intake"
	"assay/plan"
	"assay/record"
	"assay/spec"
)

// A Launch is one launch whose ranks measure.
type Launch struct {
	Plan     plan.Plan
	Planned  plan.Launch
	Clock    *record.Clock
	Out      *bundle.Launch
	Run      string // id of the run
	Progress func(p plan.Point, message string)
}

// Measure has the worlds of a launch measure their points, one world after the
// other. A world that fails is started again as often as the spec allows; then the
// launch fails, and what was recorded stays.
func (s *Staff) Measure(ctx context.Context, l Launch) error {
	for number, planned := range l.Plan.Worlds(l.Planned) {
		if err := s.measure(ctx, l, number, planned); err != nil {
			return err
		}
	}
	return nil
}

// Probe has workers measure a probe: one with torch that of an accelerator of this host,
// and one on each of the other hosts where the spec names some. Their world comes after
// those of the launch.
func (s *Staff) Probe(ctx context.Context, l Launch, p plan.Point) error {
	p.Ranks = 1
	if l.Plan.Decided().Probe.Launch != nil {
		p.Ranks = s.tools.Hosts
	}
	return s.measure(ctx, l, len(l.Plan.Worlds(l.Planned))+p.Index, plan.World{Ranks: p.Ranks, Points: []plan.Point{p}})
}

func (s *Staff) measure(ctx context.Context, l Launch, number int, planned plan.World) error {
	how := launcher(l.Plan.Decided(), planned.Points[0])
	left := planned.Points
	for attempt := 0; ; attempt++ {
		w := &world{staff: s, launch: l, number: number, how: how, ranks: planned.Ranks}
		done, err := w.measure(ctx, left)
		left = left[done:]
		if err == nil || ctx.Err() != nil {
			return err
		}
		at := int32(planned.Points[len(planned.Points)-1].Index)
		if len(left) > 0 {
			at = int32(left[0].Index)
		}
		note := errors.Join(err, l.Out.Events.Append(record.Event{At: l.Clock.Now(), Name: record.WorldFailed, Point: at, Detail: err.Error()}))
		if attempt >= how.Restarts || len(left) == 0 {
			return note
		}
		l.Progress(left[0], "started again: "+err.Error())
		if err := l.Out.Events.Append(record.Event{At: l.Clock.Now(), Name: record.WorldRestarted, Point: at, Detail: fmt.Sprintf("attempt %d", attempt+2)}); err != nil {
			return err
		}
	}
}

// hang is how long a rank may be silent.
func hang(how spec.Launcher) time.Duration {
	if how.HangTimeout > 0 {
		return how.HangTimeout.Std()
	}
	return 5 * time.Second
}

// folder makes the folder of a world's rank files, outside of the bundle until
// they are complete.
func folder() (dir string, remove func(), err error) {
	dir, err = os.MkdirTemp("", "assay-ranks-")
	if err != nil {
		return "", nil, fmt.Errorf("folder of the ranks' files: %w", err)
	}
	return dir, func() { os.RemoveAll(dir) }, nil
}

// mostRankFile is the largest file of a rank that is kept: a packed trace of some
// steps has megabytes.
const mostRankFile = 1 << 30

// keep attaches a file that a rank made, and says why when it cannot.
func (l Launch) keep(dir, name string, world int) error {
	data, err := intake.ReadFile(filepath.Join(dir, filepath.Base(name)), mostRankFile)
	if err != nil {
		return fmt.Errorf("file of a rank: %w", err)
	}
	return l.Out.Attach(fmt.Sprintf("world-%02d-%s", world, filepath.Base(name)), data)
}
