package rank

import (
	"context"
	"errors"
	"fmt"

	"assay/plan"
	"assay/record"
	"assay/worker"
)

// A Prober measures one probe of this host. Its trials are on the clock of the host, and
// it hands them over outside of what it times.
type Prober func(ctx context.Context, point plan.Point, trial func(record.Trial), note func(string)) error

// probe measures the host when it is its turn, while other ranks of the same machine wait.
func (r *rank) probe(ctx context.Context, point plan.Point, world worker.WorldLine) error {
	if r.prober == nil {
		return setupError{fmt.Errorf("%s: this worker has no probes", point.Name)}
	}
	if err := r.client.Barrier(worker.PhaseReady); errors.Is(err, worker.ErrSkip) {
		return nil
	} else if err != nil {
		return err
	}
	own, last := 0, 0
	for i, turn := range world.Turns {
		last = max(last, turn)
		if i == r.client.Rank {
			own = turn
		}
	}
	for turn := range last + 1 {
		if turn > 0 {
			if err := r.client.Barrier(fmt.Sprintf("turn %d", turn)); err != nil {
				return err
			}
		}
		if turn != own {
			continue
		}
		err := r.prober(ctx, point, r.client.Trial, r.client.Note)
		r.client.Flush()
		if err != nil {
			return setupError{fmt.Errorf("%s: %w", point.Name, err)}
		}
	}
	return nil
}
