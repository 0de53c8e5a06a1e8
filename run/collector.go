package run

import (
	"encoding/json"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"

	"assay/record"
)

// The collector belongs to the process, and so does what keeps it quiet: several
// points may be under way at once where a program runs several specs.
var collector struct {
	mu      sync.Mutex
	holders int
	percent int   // as it was before
	budget  int64 // of the first holder
	watched bool  // whether the next collection sets the percentage anew
}

// holdCollector keeps the garbage collector from running until release is called,
// unless budget bytes have been allocated since it ran last. Zero leaves the collector
// alone. A collection takes a quarter of the processors for its time, and who waits for
// one of them is late: at a thousand users that is milliseconds of every send.
func holdCollector(budget int64) (release func()) {
	if budget <= 0 {
		return func() {}
	}
	c := &collector
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.holders++; c.holders == 1 {
		runtime.GC() // what came before the point does not count against its budget
		c.budget, c.percent = budget, debug.SetGCPercent(percentFor(budget))
		keepBudget()
	}
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.holders--; c.holders == 0 {
			debug.SetGCPercent(c.percent)
		}
	})
}

// leastHeap is what the runtime takes for alive where less is: it scales this with the
// percentage.
const leastHeap = 4 << 20

// percentFor is how much the heap must grow, in percent of what is alive in it, before
// it has grown by so many bytes. A limit of the memory would do the same, until what is
// alive comes near it: then the collector would never stop.
func percentFor(budget int64) int {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return int(min(math.MaxInt32, 100*budget/max(leastHeap, int64(live[0].Value.Uint64()))))
}

// keepBudget sets the percentage anew after each collection, for as long as somebody
// holds the collector: what is alive has changed. The lock is held.
func keepBudget() {
	if collector.watched {
		return // the next collection is noticed already
	}
	collector.watched = true
	type sentinel struct{ _ *byte } // with a pointer, or it may share its memory and never be collected
	runtime.SetFinalizer(new(sentinel), func(*sentinel) {
		c := &collector
		c.mu.Lock()
		defer c.mu.Unlock()
		c.watched = false
		if c.holders > 0 {
			debug.SetGCPercent(percentFor(c.budget))
			keepBudget()
		}
	})
}

// A collections counts what the collector has done so far.
type collections struct {
	cycles uint64
	pauses *metrics.Float64Histogram
}

func readCollections() collections {
	list := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}, {Name: "/sched/pauses/total/gc:seconds"}}
	metrics.Read(list)
	return collections{list[0].Value.Uint64(), list[1].Value.Float64Histogram()}
}

// since is what the collector did from begun to now. The longest pause is the upper
// end of the bucket that it fell into: the runtime keeps no more.
func (now collections) since(begun collections, budget int64) record.Collector {
	c := record.Collector{Collections: int64(now.cycles - begun.cycles), BudgetBytes: budget}
	for i, n := range now.pauses.Counts {
		if n > begun.pauses.Counts[i] {
			c.LongestPause = now.pauses.Buckets[i+1]
			if math.IsInf(c.LongestPause, 1) {
				c.LongestPause = now.pauses.Buckets[i]
			}
		}
	}
	return c
}

// A windowCollector tells of what the collector did in the measured window of a point.
type windowCollector struct {
	budget int64
	begun  collections
}

// entered follows the phases of the point.
func (w *windowCollector) entered(phase record.Phase, at int64, events eventLog) {
	switch phase {
	case record.Measure:
		w.begun = readCollections()
	case record.Cooldown:
		if w.begun.pauses == nil {
			return // the window never began
		}
		detail, err := json.Marshal(readCollections().since(w.begun, w.budget))
		if err != nil {
			detail = []byte(err.Error()) // cannot be: three numbers
		}
		events(record.WindowCollector, at, string(detail))
	}
}
