package run

import (
	"context"

	"assay/load"
	"assay/plan"
	"assay/record"
	"assay/target"
)

// queries readies a point whose calls are the samples of queries.
func (l *activeLaunch) queries(point plan.Point, tally *load.Tally) offer {
	q := point.Query
	return func(ctx context.Context, calls <-chan target.Prepared, keep func(*target.Raw), entered func(record.Phase, int64)) error {
		return load.Queries{
			Samples: q.Samples, InFlight: q.InFlight,
			Warmup: point.Warmup.Std(), WarmupQueries: point.WarmupRequests,
			MinQueries: q.MinQueries, MinDuration: q.MinDuration.Std(), MaxDuration: q.MaxDuration.Std(), Once: q.Once,
			Entered: entered, Tally: tally,
		}.Run(ctx, l.clock, calls, l.client, keep)
	}
}
