package sim

import (
	"container/heap"
	"math"
	"runtime"
	"sync"
	"time"
)

// A task is something that must happen at exact times.
type task interface {
	// fire does what was due at due and says when it must happen again.
	fire(due int64) (next int64, again bool)

	// drop is called instead when the pacer stops first.
	drop()
}

// A pacer fires tasks at their times, all on one operating-system thread of its
// own: what runs inside fire needs no lock against other tasks of the pacer.
type pacer struct {
	clock clock
	waker *waker

	mu      sync.Mutex
	inbox   []entry
	until   int64 // the earliest time the thread knows of
	stopped bool

	queue entries // owned by the thread
}

type entry struct {
	due  int64
	task task
}

func newPacer(c clock) (*pacer, error) {
	b, err := newWaker()
	if err != nil {
		return nil, err
	}
	return &pacer{clock: c, waker: b, until: math.MaxInt64}, nil
}

// add schedules t. After stop the task is dropped at once.
func (p *pacer) add(due int64, t task) {
	p.mu.Lock()
	stopped := p.stopped
	if !stopped {
		p.inbox = append(p.inbox, entry{due, t})
		if due < p.until {
			p.waker.wake() // the thread may be asleep until later than due
		}
	}
	p.mu.Unlock()
	if stopped {
		t.drop()
	}
}

// stop makes run return.
func (p *pacer) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
	p.waker.wake()
}

// run fires tasks until stop is called, then drops those left.
func (p *pacer) run() {
	// Never unlocked: the thread, whose timer slack is changed, ends with run.
	runtime.LockOSThread()
	tightenTimer()
	for p.collect() {
		if len(p.queue) == 0 {
			p.waker.wait(-1)
		} else if head := p.queue[0]; p.waitFor(head.due) {
			p.fire(head)
		}
	}
	for _, e := range p.queue {
		e.task.drop()
	}
	p.waker.close()
}

// collect takes in new tasks and reports whether to go on.
func (p *pacer) collect() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, e := range p.inbox {
		heap.Push(&p.queue, e)
		p.inbox[i] = entry{}
	}
	p.inbox = p.inbox[:0]
	p.until = math.MaxInt64
	if len(p.queue) > 0 {
		p.until = p.queue[0].due
	}
	return !p.stopped
}

// spin is how long before its time a task is waited for awake: above the usual
// wake-up delay of a sleeping thread, and about 1 % of a core at 100 tasks a
// second.
const spin = 100 * time.Microsecond

// waitFor waits for due and reports whether it was reached; a ring or a long
// sleep ends it early, so that new tasks are looked at.
func (p *pacer) waitFor(due int64) bool {
	if ahead := time.Duration(due - p.clock.now()); ahead > spin {
		p.waker.wait(ahead - spin)
		return false
	}
	for p.clock.now() < due {
	}
	return true
}

func (p *pacer) fire(head entry) {
	next, again := head.task.fire(head.due)
	if !again {
		heap.Pop(&p.queue)
		return
	}
	p.queue[0].due = next
	heap.Fix(&p.queue, 0)
}

// entries is a heap by due time.
type entries []entry

func (e entries) Len() int           { return len(e) }
func (e entries) Less(i, j int) bool { return e[i].due < e[j].due }
func (e entries) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *entries) Push(x any)        { *e = append(*e, x.(entry)) }
func (e *entries) Pop() any {
	last := len(*e) - 1
	x := (*e)[last]
	(*e)[last] = entry{}
	*e = (*e)[:last]
	return x
}
