package sim

import (
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// An engine drives a scheduler through time, as a task of a pacer. The end of an
// iteration is the start of the next, on paper, not when the thread got round to
// it: lateness never adds up, and the schedule is a function of the arrivals.
type engine struct {
	sched  *scheduler
	pacer  *pacer
	meter  *meter
	factor float64
	jitter float64
	rng    *rand.Rand
	first  time.Duration // added to the first iteration
	cold   Cold
	limit  int // sequences that may wait
	emit   func(q *sequence, due int64)

	mu      sync.Mutex
	arrived []*stream // not yet seen by the scheduler, in order of arrival
	held    int       // sequences reserved for, not yet seen by the scheduler
	queued  int       // sequences the scheduler lets wait
	active  bool      // the task is scheduled
	gone    bool      // a client left since the last iteration
	closed  bool      // the server closes: nothing fires any more

	busy bool // an iteration is under way
}

func newEngine(cfg Config, factor float64, p *pacer, m *meter) *engine {
	return &engine{
		sched: &scheduler{shape: cfg.Engine, pool: newBlockPool(cfg.Engine.KVBlocks, !cfg.Engine.NoPrefixCache)},
		pacer: p, meter: m, factor: factor, jitter: cfg.Jitter, first: cfg.FirstDelay, cold: cfg.Cold, limit: cfg.Engine.MaxQueue,
		rng:  rand.New(rand.NewPCG(cfg.Seed, 0xe6)),
		emit: func(q *sequence, due int64) { q.stream.token(q.choice, due) },
	}
}

// reserve makes room in the queue for n sequences, or reports that it is full.
func (e *engine) reserve(n int) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.held+e.queued+n > e.limit {
		return false
	}
	e.held += n
	return true
}

// submit queues a stream for which there is room.
func (e *engine) submit(s *stream) {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		s.drop()
		return
	}
	// Two connections may come here in the other order than they arrived.
	at, _ := slices.BinarySearchFunc(e.arrived, s.arrival, func(a *stream, t int64) int {
		if a.arrival <= t {
			return -1
		}
		return 1
	})
	e.arrived = slices.Insert(e.arrived, at, s)
	e.meter.unseen.Add(int64(len(s.choices)))
	wake := !e.active
	e.active = true
	e.mu.Unlock()
	if wake {
		e.pacer.add(s.arrival, e)
	}
}

// cancel makes the engine look for streams whose client left.
func (e *engine) cancel() {
	e.mu.Lock()
	e.gone = true
	e.mu.Unlock()
}

// fire ends the iteration that was due now and starts the next.
func (e *engine) fire(due int64) (int64, bool) {
	if e.busy {
		e.sched.finish(func(q *sequence) { e.emit(q, due) })
		e.busy = false
	}
	for {
		idle := len(e.sched.running)+len(e.sched.waiting) == 0
		next, ok := e.takeIn(due, idle)
		if !ok {
			e.meter.engine(e.sched)
			return 0, false
		}
		due = next
		length, work := e.sched.plan()
		e.meter.admitted(e.sched.batch, due)
		e.observe()
		if work {
			e.busy = true
			if e.sched.counts.iterations == 0 {
				due += int64(e.first)
			}
			return due + int64(float64(length)*e.factor*e.cold.at(e.sched.counts.iterations)*noise(e.rng, e.jitter)), true
		}
	}
}

// takeIn hands the streams that arrived until now to the scheduler. An idle
// engine begins its next iteration when the next stream arrived; with none left
// it sleeps, and takeIn reports false.
func (e *engine) takeIn(now int64, idle bool) (start int64, awake bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.gone {
		e.gone = false
		e.forget()
		idle = len(e.sched.running)+len(e.sched.waiting) == 0
	}
	if idle {
		if len(e.arrived) == 0 {
			e.active = false
			return 0, false
		}
		now = max(now, e.arrived[0].arrival)
	}
	n := 0
	for ; n < len(e.arrived) && e.arrived[n].arrival <= now; n++ {
		e.held -= len(e.arrived[n].choices)
		e.meter.unseen.Add(-int64(len(e.arrived[n].choices)))
		if e.arrived[n].gone.Load() {
			e.arrived[n].drop()
			continue
		}
		for c := range e.arrived[n].choices {
			e.sched.add(newSequence(e.arrived[n], c))
		}
	}
	e.arrived = slices.Delete(e.arrived, 0, n)
	return now, true
}

// forget removes the sequences of clients that left and ends their streams.
func (e *engine) forget() {
	ended := map[*stream]bool{}
	e.sched.remove(func(q *sequence) bool {
		if q.stream.gone.Load() {
			ended[q.stream] = true
			return true
		}
		return false
	})
	for s := range ended {
		s.drop()
	}
}

// observe publishes what the plan of an iteration changed.
func (e *engine) observe() {
	e.mu.Lock()
	e.queued = len(e.sched.waiting)
	e.mu.Unlock()
	e.meter.engine(e.sched)
}

// drop ends every stream when the server closes.
func (e *engine) drop() {
	e.mu.Lock()
	arrived := e.arrived
	e.arrived, e.closed = nil, true
	e.mu.Unlock()
	ended := map[*stream]bool{}
	for _, q := range slices.Concat(e.sched.running, e.sched.waiting) {
		ended[q.stream] = true
	}
	for _, s := range arrived {
		ended[s] = true
	}
	for s := range ended {
		s.drop()
	}
}

func newSequence(s *stream, c int) *sequence {
	ch := &s.choices[c]
	return &sequence{
		stream: s, choice: c, limit: ch.limit, prompt: len(ch.prompt),
		tokens: slices.Clip(ch.prompt), // choices share it; growing copies
		say: func(i int) token {
			return encodeToken(string(s.appendText(nil, span{choice: c, from: i, to: i + 1})))
		},
	}
}
