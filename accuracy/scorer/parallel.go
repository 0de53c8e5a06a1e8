package scorer

import (
	"context"
	"sync"
)

// Each does work for every one of n places, at most width at a time, and waits for all. What
// a place yields stands at its own index, so that the order of results does not depend on
// who was first.
func Each[T any](ctx context.Context, n, width int, work func(ctx context.Context, i int) T) []T {
	results := make([]T, n)
	slots := make(chan struct{}, max(1, width)) // as many as may be under way
	var all sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			results[i] = work(ctx, i)
		})
	}
	all.Wait()
	return results
}
