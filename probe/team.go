package probe

import (
	"runtime"
	"sync"
)

// A team is threads that work at once, each bound to a processor of its own as far
// as there are enough: a thread that wanders measures its wandering.
type team struct {
	size  int
	start []chan func(member int)
	done  sync.WaitGroup // of the work at hand
	ended sync.WaitGroup // of the members
}

// newTeam starts n threads.
func newTeam(n int) *team {
	t := &team{size: n}
	processors := allowed()
	for i := range n {
		work := make(chan func(int))
		t.start = append(t.start, work)
		t.ended.Go(func() {
			// A thread that is still locked when its goroutine ends dies with it, and its
			// binding with it.
			runtime.LockOSThread()
			bind(processors, i)
			for job := range work {
				job(i)
				t.done.Done()
			}
		})
	}
	return t
}

// run has every member do job and waits for the last.
func (t *team) run(job func(member int)) {
	t.done.Add(t.size)
	for _, work := range t.start {
		work <- job
	}
	t.done.Wait()
}

// close ends the threads.
func (t *team) close() error {
	for _, work := range t.start {
		close(work)
	}
	t.ended.Wait()
	return nil
}

// threadsOf are how many threads work at once, in turn: as asked, or one and as many
// as there are processors.
func threadsOf(s *Setting) []int {
	if len(s.Micro.Threads) > 0 {
		return s.Micro.Threads
	}
	all := runtime.GOMAXPROCS(0)
	if all == 1 {
		return []int{1}
	}
	return []int{1, all}
}

// A crew is what each member of a team has for itself.
type crew[T any] struct {
	*team
	own []T
}

// newCrew starts n threads, each of which makes its own: memory belongs to the NUMA
// node of the thread that touches it first.
func newCrew[T any](n int, make_ func(member int) T) crew[T] {
	c := crew[T]{newTeam(n), make([]T, n)}
	c.run(func(i int) { c.own[i] = make_(i) })
	return c
}

// close ends the threads and lets go of what they had. It may be called again, and
// for a crew that was never made.
func (c *crew[T]) close() error {
	if c.team == nil {
		return nil
	}
	end := c.team.close
	*c = crew[T]{}
	return end()
}

// each has every member work with its own.
func (c *crew[T]) each(job func(own *T)) { c.run(func(i int) { job(&c.own[i]) }) }

// sum adds what every member says.
func (c *crew[T]) sum(of func(own *T) int64) (total int64) {
	for i := range c.own {
		total += of(&c.own[i])
	}
	return total
}
