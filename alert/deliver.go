package alert

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

const (
	firstRetry = time.Second
	lastRetry  = 10 * time.Minute
	patience   = 24 * time.Hour // a route that is away for a night is not given up
	oneTry     = 10 * time.Second
)

// backoff is how long to wait after a number of tries.
func backoff(tries int) time.Duration {
	return min(lastRetry, firstRetry<<min(tries-1, 20))
}

// A refusal is an error that another try would not mend.
type refusal struct{ error }

// A busyError is one of a receiver that says when to come again.
type busyError struct {
	error
	after time.Duration
}

// DeliverOne tries the delivery that has been due for longest, and reports whether there
// was one. The error says what became of it where that was not good. Deliveries to one
// route keep their order.
func (b *Book) DeliverOne(ctx context.Context, routes []Route, now time.Time) (tried bool, err error) {
	i := b.due(now)
	if i < 0 {
		return false, nil
	}
	d := &b.Outbox[i]
	at := slices.IndexFunc(routes, func(r Route) bool { return r.Name == d.Route })
	if at < 0 {
		return true, b.giveUp(i, errors.New("the document has no such route any more"))
	}
	within, cancel := context.WithTimeout(ctx, oneTry)
	defer cancel()
	err = routes[at].send(within, *d)
	switch {
	case err == nil:
		b.Outbox = slices.Delete(b.Outbox, i, i+1)
		return true, nil
	case ctx.Err() != nil:
		return false, nil // we were stopped: it counts as no try
	}
	var refused refusal
	if errors.As(err, &refused) || now.Sub(d.Since) > patience {
		return true, b.giveUp(i, err)
	}
	d.Tries++
	wait := backoff(d.Tries)
	var busy busyError
	if errors.As(err, &busy) {
		wait = min(max(wait, busy.after), lastRetry)
	}
	d.Next, d.Error = now.Add(wait), err.Error()
	return true, fmt.Errorf("alert %s by route %s: %w; tried again in %s", d.Alert.ID, d.Route, err, wait)
}

// due is the first delivery whose time has come and that waits for none before it.
func (b *Book) due(now time.Time) int {
	waits := map[string]bool{}
	for i, d := range b.Outbox {
		if waits[d.Route] {
			continue
		}
		if !d.Next.After(now) {
			return i
		}
		waits[d.Route] = true
	}
	return -1
}

func (b *Book) giveUp(i int, why error) error {
	d := b.Outbox[i]
	d.Error = why.Error()
	b.Outbox = slices.Delete(b.Outbox, i, i+1)
	b.Lost = append(b.Lost, d)
	b.Lost = b.Lost[max(0, len(b.Lost)-mostLost):]
	return fmt.Errorf("alert %s by route %s is lost: %w", d.Alert.ID, d.Route, why)
}
