//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"errors"
	"runtime"
	"sync"
)

// A Sandbox runs programs. It is safe for concurrent use.
type Sandbox struct {
	furnishing furnishing

	// slots holds one entry for each program that may run at once: a cell that waits for
	// one, or a place for a cell that is still to be started.
	slots chan slot

	workers int
}

// A slot is the place of one cell. Its number gives the cell a user of its own.
type slot struct {
	number int
	cell   *outside // nil means none yet
}

// Open makes sure that this host can hold a program, by holding one that tries to get
// out. It returns a *Refusal where it cannot. The binary must call Enter first in main.
func Open(ctx context.Context, opts Options) (*Sandbox, error) {
	if !canEnter.Load() {
		return nil, errors.New("sandbox.Open in a binary whose main does not call sandbox.Enter first")
	}
	python, err := findPython(ctx, opts.Python)
	if err != nil {
		return nil, err
	}
	s := &Sandbox{
		furnishing: furnishing{Python: python.Executable, Referee: python.Referee, Readable: python.readable()},
		workers:    or(opts.Workers, runtime.GOMAXPROCS(0)),
	}
	s.slots = make(chan slot, s.workers) // every slot is in it when nothing runs
	for i := range s.workers {
		s.slots <- slot{number: i}
	}
	if err := s.tryToEscape(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close ends all cells, once the programs in them have ended.
func (s *Sandbox) Close() error {
	for range s.workers {
		if taken := <-s.slots; taken.cell != nil {
			taken.cell.kill()
		}
	}
	return nil
}

// Run runs one program, as soon as fewer than Options.Workers others are running. It
// returns an error when the program could not be run or its checks are broken;
// whatever the program itself does is an Outcome.
func (s *Sandbox) Run(ctx context.Context, p Program) (Outcome, error) {
	p.Limits = p.Limits.withDefaults()
	var taken slot
	select {
	case taken = <-s.slots:
	case <-ctx.Done():
		return Outcome{}, context.Cause(ctx)
	}
	defer func() { s.slots <- taken }()
	if taken.cell == nil {
		started, err := startCell(taken.number, s.furnishing)
		if err != nil {
			return Outcome{}, err
		}
		taken.cell = started
	}
	outcome, reusable, err := taken.cell.run(ctx, p)
	if !reusable {
		taken.cell.kill()
		taken.cell = nil
	}
	return outcome, err
}

// RunAll runs every program, Options.Workers at a time, and returns their outcomes in
// the order of programs. The first error ends it.
func (s *Sandbox) RunAll(ctx context.Context, programs []Program) ([]Outcome, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	outcomes := make([]Outcome, len(programs))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(s.workers, len(programs)) {
		workers.Go(func() {
			for i := range next {
				var err error
				if outcomes[i], err = s.Run(ctx, programs[i]); err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := range programs {
		next <- i
	}
	close(next)
	workers.Wait()
	return outcomes, context.Cause(ctx)
}
