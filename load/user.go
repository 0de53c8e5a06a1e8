package load

import (
	"context"

	"assay/record"
	"assay/target"
)

// A user asks, waits for the end of the answer, thinks, and asks again.
type user struct {
	*closedRun
	number int32
	due    int64 // of the next call
	phase  record.Phase
}

// join makes a user begin, whose first call is due at the stamp due. The pool
// waits for it.
func (l *closedRun) join(ctx context.Context, number int32, due int64) {
	u := &user{closedRun: l, number: number, due: due}
	if l.send.to.Inline() {
		go u.resume(ctx) // ends when the first call is under way
	} else {
		go u.work(ctx) // ends with the user
	}
}

// work is a user that has a goroutine.
func (u *user) work(ctx context.Context) {
	defer u.pool.left()
	for u.goesOn(ctx) {
		p, ok := u.wait(ctx)
		if !ok {
			return
		}
		u.take(&p)
		raw := u.send.send(ctx, p, u.due)
		u.settle(raw)
		if u.behind() {
			kept := make(chan struct{})
			u.results.put(raw, func() { close(kept) })
			<-kept
		} else {
			u.results.put(raw, nil)
		}
	}
}

// next goes on with a user that has no goroutine. It never blocks.
func (u *user) next(ctx context.Context) {
	if !u.goesOn(ctx) {
		u.pool.left()
		return
	}
	if u.ThinkTime == 0 && u.clock.Until(u.due) <= 0 {
		select {
		case p, ok := <-u.calls:
			if ok {
				u.ask(ctx, p)
			} else {
				u.pool.left()
			}
			return
		default:
		}
	}
	go u.resume(ctx) // ends when the call is under way
}

// resume is next where there is something to wait for.
func (u *user) resume(ctx context.Context) {
	if p, ok := u.wait(ctx); ok {
		u.ask(ctx, p)
	} else {
		u.pool.left()
	}
}

// ask starts p. Whoever sees its end goes on with the user.
func (u *user) ask(ctx context.Context, p target.Prepared) {
	u.take(&p)
	u.send.start(ctx, p, u.due, func(raw *target.Raw) { u.ended(ctx, raw) })
}

// ended keeps what came of a call and goes on: the next call goes out first.
func (u *user) ended(ctx context.Context, raw *target.Raw) {
	u.settle(raw)
	if u.behind() {
		u.results.put(raw, func() { u.next(ctx) })
		return
	}
	u.pool.stay() // whatever becomes of the user, this one is to be kept
	u.next(ctx)
	u.results.put(raw, nil)
	u.pool.left()
}

// goesOn reports whether there is another turn.
func (u *user) goesOn(ctx context.Context) bool { return ctx.Err() == nil && u.pool.wants(u.number) }

// wait returns the next call when it is due and prepared. It is false when the
// user is not to go on, or the calls have run out.
func (u *user) wait(ctx context.Context) (target.Prepared, bool) {
	if early := u.clock.Until(u.due); early > 0 && (wait(ctx, early, nil) != nil || !u.goesOn(ctx)) {
		return target.Prepared{}, false
	}
	select {
	case p, ok := <-u.calls:
		return p, ok
	case <-ctx.Done():
		return target.Prepared{}, false
	}
}

// take makes p a call of this user.
func (u *user) take(p *target.Prepared) {
	u.phase = u.gate.begin()
	p.Call.User, p.Call.Shard, p.Call.Phase = u.number, int32(u.Shard), u.phase
	u.send.Tally.Begun.Add(1)
}

// settle counts a call as over.
func (u *user) settle(raw *target.Raw) {
	u.gate.end(u.phase)
	u.due = raw.Again() + int64(u.ThinkTime)
}

// behind reports whether as many exchanges wait to be kept as there are users. The
// next call then waits until this one is kept: that bounds the memory, and the
// delay counts, since the call was due.
func (u *user) behind() bool { return u.results.waiting() >= u.Users }
