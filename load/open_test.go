package load

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"assay/record"
	"assay/target"
	"assay/workload/arrival"
)

// A queue is a server that works on one call at a time, in the order they came.
// A call that is given up leaves it at once and costs it nothing.
type queue struct {
	clock   *record.Clock
	service time.Duration
	servers int

	mu    sync.Mutex
	free  []int64 // when each server will be free
	ended []ending
}

type ending struct {
	call record.Call
	due  int64
	sent int64
	done int64
	err  error
}

func (q *queue) Do(ctx context.Context, p target.Prepared, due int64) *target.Raw {
	q.mu.Lock()
	if q.free == nil {
		q.free = make([]int64, q.servers)
	}
	now := q.clock.Now()
	next := slices.Index(q.free, slices.Min(q.free))
	q.free[next] = max(now, q.free[next]) + int64(q.service)
	end := q.free[next]
	q.mu.Unlock()
	err := wait(ctx, q.clock.Until(end), nil)
	if err == nil && p.FirstByte != nil {
		p.FirstByte()
	}
	done := q.clock.Now()
	q.mu.Lock()
	q.ended = append(q.ended, ending{p.Call, due, now, done, err})
	q.mu.Unlock()
	return &target.Raw{Done: done}
}

func (q *queue) measured() []ending {
	var list []ending
	for _, e := range q.ended {
		if e.call.Phase == record.Measure {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b ending) int { return int(a.call.ID - b.call.ID) })
	return list
}

// numbered offers the calls of one shard.
func numbered(ctx context.Context, shard, shards int) <-chan target.Prepared {
	calls := make(chan target.Prepared)
	go func() { // ends with ctx
		for id := int64(shard); ; id += int64(shards) {
			select {
			case calls <- target.Prepared{Call: record.Call{ID: id}}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return calls
}

func scheduleOf(t *testing.T, process string, rate float64, limits arrival.Limits) *arrival.Schedule {
	t.Helper()
	series, err := arrival.NewSeries(process, 0, 11, arrival.Steady(rate))
	if err != nil {
		t.Fatal(err)
	}
	s, err := arrival.New(series, limits)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A point is what a run of an open loop on a fake clock leaves behind.
type point struct {
	*queue
	tally      Tally
	kept       int
	begin, end int64
	begun      int64 // the stamp before Run
	err        error
}

// runOpen carries out o against q on a fake clock.
func runOpen(t *testing.T, o Open, q *queue, inside func(ctx context.Context, cancel context.CancelCauseFunc)) *point {
	t.Helper()
	out := &point{queue: q}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		clock, err := record.StartClock()
		if err != nil {
			t.Fatal(err)
		}
		q.clock = clock
		if inside != nil {
			inside(ctx, cancel)
		}
		var mu sync.Mutex
		o.Tally = &out.tally
		o.Entered = func(phase record.Phase, at int64) {
			switch phase {
			case record.Measure:
				out.begin = at
			case record.Cooldown:
				out.end = at
			}
		}
		out.begun = clock.Now()
		out.err = o.Run(ctx, clock, numbered(ctx, o.Shard, max(1, o.Shards)), q, func(*target.Raw) { mu.Lock(); out.kept++; mu.Unlock() })
	})
	return out
}

// Coordinated omission: a server that needs 500 ms for each call, one at a time,
// is offered 10 calls a second. Call k is due at k/10 s and ends at (k+1)/2 s, so
// it takes 0.5 + 0.4·k s from when it was due. A client that waited for room
// would report 0.5 s.
func TestCoordinatedOmission(t *testing.T) {
	for _, tt := range []struct {
		servers int
		service time.Duration
	}{{1, 500 * time.Millisecond}, {4, 2 * time.Second}} { // both do 2 calls a second
		s := scheduleOf(t, "constant", 10, arrival.Limits{Measure: 40 * time.Second})
		p := runOpen(t, Open{Schedule: s, MaxInFlight: 10_000}, &queue{service: tt.service, servers: tt.servers}, nil)
		if p.err != nil {
			t.Fatal(p.err)
		}
		measured := p.measured()
		if len(measured) != 400 {
			t.Fatalf("%d measured calls, want 400", len(measured))
		}
		// The D/D/c queue: call k is the ⌊k/c⌋-th of its server, which begins with
		// call k mod c and never rests.
		theory := func(k int) float64 {
			turn, first := k/tt.servers, float64(k%tt.servers)/10
			return first + float64(turn+1)*tt.service.Seconds() - float64(k)/10
		}
		var response []float64
		for k, e := range measured {
			got := float64(e.done-e.due) / 1e9
			if math.Abs(got-theory(k)) > 1e-3 {
				t.Fatalf("%d servers: call %d took %v s from when it was due, want %v", tt.servers, k, got, theory(k))
			}
			response = append(response, got)
		}
		slices.Sort(response)
		rank := int(math.Ceil(0.99*400)) - 1
		if got, want := response[rank], theory(rank); math.Abs(got-want) > 0.11*float64(tt.servers) {
			t.Errorf("%d servers: p99 = %v s, want %v", tt.servers, got, want)
		}
		if late := measured[399].sent - measured[399].due; late > 1e6 {
			t.Errorf("the last call left %v late: the loop waited for the server", time.Duration(late))
		}
	}
}

// The window is the schedule's, load goes on until the last measured call has
// ended, and what is then in flight is cut.
func TestOpenPhases(t *testing.T) {
	s := scheduleOf(t, "constant", 100, arrival.Limits{Warmup: time.Second, Measure: 2 * time.Second})
	p := runOpen(t, Open{Schedule: s, MaxInFlight: 1000}, &queue{service: 3 * time.Second, servers: 1000}, nil)
	if p.err != nil {
		t.Fatal(p.err)
	}
	start := p.begun + int64(lead)
	if p.begin != start+1e9 || p.end != start+3e9 {
		t.Errorf("window = [%d, %d), want [%d, %d)", p.begin, p.end, start+int64(1e9), start+int64(3e9))
	}
	counts := map[record.Phase]int{}
	cut := 0
	for _, e := range p.ended {
		counts[e.call.Phase]++
		if errors.Is(e.err, target.ErrRunEnded) {
			cut++
		}
	}
	// The last measured call is due at 2.99 s and ends at 5.99 s: until then the
	// load goes on, and those due after 2.99 s are cut.
	if counts[record.Warmup] != 100 || counts[record.Measure] != 200 || counts[record.Cooldown] < 298 || cut < 298 || cut > 301 {
		t.Errorf("calls = %v with %d cut, want 100, 200 and about 300 cut", counts, cut)
	}
	if int(p.tally.Begun.Load()) != p.kept || p.kept != len(p.ended) {
		t.Errorf("%d calls begun, %d kept, %d ended: want all the same", p.tally.Begun.Load(), p.kept, len(p.ended))
	}
	if most := p.tally.Most.Load(); most < 300 || most > 301 {
		t.Errorf("%d calls at once, want 300", most)
	}
}

// A call without room is dropped, kept and counted; it is not sent later.
func TestDropped(t *testing.T) {
	s := scheduleOf(t, "constant", 10, arrival.Limits{Measure: 10 * time.Second})
	p := runOpen(t, Open{Schedule: s, MaxInFlight: 2}, &queue{service: time.Second, servers: 10}, nil)
	if p.err != nil {
		t.Fatal(p.err)
	}
	// Two places for a second each, ten calls a second: two of ten go out.
	if got := len(p.measured()); got < 18 || got > 21 {
		t.Errorf("%d measured calls were sent, want 20", got)
	}
	begun, dropped := p.tally.Begun.Load(), p.tally.Dropped.Load()
	if dropped < 79 || begun != int64(len(p.ended))+dropped || int(begun) != p.kept {
		t.Errorf("begun %d, sent %d, dropped %d, kept %d: want begun = sent + dropped = kept", begun, len(p.ended), dropped, p.kept)
	}
}

// Shards together send what the whole sends: the same numbers at the same times
// for the same phases.
func TestOpenShards(t *testing.T) {
	limits := arrival.Limits{Warmup: time.Second, Measure: 3 * time.Second}
	type sent struct {
		id    int64
		due   int64
		phase record.Phase
	}
	of := func(shard, shards int) (list []sent) {
		p := runOpen(t, Open{Schedule: scheduleOf(t, "poisson", 40, limits), Shard: shard, Shards: shards, MaxInFlight: 1000}, &queue{service: time.Millisecond, servers: 1000}, nil)
		if p.err != nil {
			t.Fatal(p.err)
		}
		for _, e := range p.ended {
			if e.call.Shard != int32(shard) || e.call.User != -1 {
				t.Fatalf("call %+v of shard %d", e.call, shard)
			}
			if e.call.Phase != record.Cooldown { // how long that lasts is each shard's own
				list = append(list, sent{e.call.ID, e.due - p.begin, e.call.Phase})
			}
		}
		return list
	}
	order := func(a, b sent) int { return int(a.id - b.id) }
	whole := of(0, 1)
	slices.SortFunc(whole, order)
	for _, shards := range []int{2, 3, 7} {
		var union []sent
		for shard := range shards {
			union = append(union, of(shard, shards)...)
		}
		slices.SortFunc(union, order)
		if !slices.Equal(union, whole) {
			t.Errorf("%d shards together sent %d calls, want the %d of the whole, number by number", shards, len(union), len(whole))
		}
	}
}

// The asked share of calls is given up after the asked time, the same ones each
// time; the others are left alone.
func TestCancel(t *testing.T) {
	s := scheduleOf(t, "constant", 100, arrival.Limits{Measure: 10 * time.Second})
	policy := SendPolicy{Cancel: Cancel{Share: 0.3, After: 200 * time.Millisecond, Seed: 5}}
	first := map[int64]bool{}
	for round := range 2 {
		p := runOpen(t, Open{Schedule: s, MaxInFlight: 1000, SendPolicy: policy}, &queue{service: time.Second, servers: 1000}, nil)
		given := map[int64]bool{}
		for _, e := range p.measured() {
			if e.err == nil {
				continue
			}
			given[e.call.ID] = true
			if !errors.Is(e.err, target.ErrGivenUp) || e.done-e.sent != 200e6 {
				t.Fatalf("call %d ended after %v: %v", e.call.ID, time.Duration(e.done-e.sent), e.err)
			}
		}
		// 1000 calls: five standard deviations are 72.
		if len(given) < 228 || len(given) > 372 {
			t.Errorf("%d of 1000 calls were given up, want 300", len(given))
		}
		if round == 0 {
			first = given
		}
		for id := range given {
			if !first[id] {
				t.Fatalf("call %d was given up in one run only", id)
			}
		}
	}
}

// No more calls than allowed wait for their first byte; the others are late, and
// their lag says so. That holds for both loops.
func TestPrefillConcurrency(t *testing.T) {
	s := scheduleOf(t, "constant", 10, arrival.Limits{Measure: 2 * time.Second})
	p := runOpen(t, Open{Schedule: s, MaxInFlight: 1000, SendPolicy: SendPolicy{PrefillConcurrency: 3}}, &queue{service: time.Second, servers: 1000}, nil)
	if p.err != nil {
		t.Fatal(p.err)
	}
	// Three a second leave; the twentieth is due at 1.9 s and leaves after six
	// rounds of a second each.
	measured := p.measured()
	if got := measured[19].sent - measured[19].due; got < 4e9 || got > 43e8 {
		t.Errorf("call 19 left %v late, want about 4.2s", time.Duration(got))
	}
	if most := mostAtOnce(p.ended); most != 3 {
		t.Errorf("%d calls waited for their first byte at once, want 3", most)
	}

	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		clock, err := record.StartClock()
		if err != nil {
			t.Fatal(err)
		}
		q := &queue{clock: clock, service: time.Second, servers: 1000}
		closed := Closed{Users: 8, Measure: 10 * time.Second, SendPolicy: SendPolicy{PrefillConcurrency: 3}}
		if err := closed.Run(ctx, clock, endless(ctx), q, func(*target.Raw) {}); err != nil {
			t.Fatal(err)
		}
		if most := mostAtOnce(q.ended); most != 3 {
			t.Errorf("closed loop: %d calls waited for their first byte at once, want 3", most)
		}
	})
}

// mostAtOnce is the largest number of calls between sent and done.
func mostAtOnce(ended []ending) (most int) {
	for _, a := range ended {
		now := 0
		for _, b := range ended {
			if b.sent <= a.sent && a.sent < b.done {
				now++
			}
		}
		most = max(most, now)
	}
	return most
}

// A cancelled point says why, keeps what was in flight and loses nothing.
func TestOpenCancelled(t *testing.T) {
	full := errors.New("disk full")
	s := scheduleOf(t, "constant", 10, arrival.Limits{Measure: time.Hour})
	p := runOpen(t, Open{Schedule: s, MaxInFlight: 5, SendPolicy: SendPolicy{PrefillConcurrency: 2}}, &queue{service: time.Minute, servers: 9},
		func(_ context.Context, cancel context.CancelCauseFunc) {
			time.AfterFunc(1500*time.Millisecond, func() { cancel(full) })
		})
	if !errors.Is(p.err, full) {
		t.Errorf("error = %v, want %v", p.err, full)
	}
	if p.kept != 15 || p.tally.Begun.Load() != 15 || p.tally.Dropped.Load() != 10 {
		t.Errorf("begun %d, dropped %d, kept %d; want 15, 10 and 15", p.tally.Begun.Load(), p.tally.Dropped.Load(), p.kept)
	}
}

// A data set that ends before the schedule does ends the point with a reason.
func TestCallsRunOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock, err := record.StartClock()
		if err != nil {
			t.Fatal(err)
		}
		calls := make(chan target.Prepared, 3) // all there are
		for id := range 3 {
			calls <- target.Prepared{Call: record.Call{ID: int64(id)}}
		}
		close(calls)
		q := &queue{clock: clock, service: time.Second, servers: 9}
		err = Open{Schedule: scheduleOf(t, "constant", 10, arrival.Limits{Measure: time.Minute}), MaxInFlight: 9}.Run(t.Context(), clock, calls, q, func(*target.Raw) {})
		if !errors.Is(err, errCallsRanOut) || len(q.ended) != 3 {
			t.Errorf("error = %v after %d calls, want %v after 3", err, len(q.ended), errCallsRanOut)
		}
	})
}

// The exact pacer never returns early and gives up when asked to. How late it is
// depends on the machine: make bench-sender tells.
func TestExact(t *testing.T) {
	clock, err := record.StartClock()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { // ends below; a goroutine of its own, since Begin keeps its thread
		defer close(done)
		pacer := Exact{clock}
		pacer.Begin()
		for i := range int64(50) {
			at := clock.Now() + i*100_000 - 1_000_000
			if err := pacer.Wait(t.Context(), at); err != nil {
				t.Error(err)
			}
			if now := clock.Now(); now < at {
				t.Errorf("waited until %d, want %d", now, at)
			}
		}
		full := errors.New("disk full")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(30*time.Millisecond, func() { cancel(full) })
		if err := pacer.Wait(ctx, clock.Now()+int64(time.Hour)); !errors.Is(err, full) {
			t.Errorf("a cancelled wait returned %v, want %v", err, full)
		}
	}()
	<-done
}
