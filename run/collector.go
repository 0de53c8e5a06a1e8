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
	percent int
	limit   int64
}

// holdCollector keeps the garbage collector from running until release is called,
// unless the process needs more than budget bytes beyond what it has now. Zero leaves
// the collector alone. A collection takes a quarter of the processors for its time,
// and who waits for one of them is late: at a thousand users that is milliseconds of
// every send.
func holdCollector(budget int64) (release func()) {
	if budget <= 0 {
		return func() {}
	}
	c := &collector
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.holders++; c.holders == 1 {
		runtime.GC() // what came before the point does not count against its budget
		c.percent = debug.SetGCPercent(-1)
		c.limit = debug.SetMemoryLimit(-1)
		debug.SetMemoryLimit(min(c.limit, addBytes(mappedBytes(), budget)))
	}
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.holders--; c.holders == 0 {
			debug.SetMemoryLimit(c.limit)
			debug.SetGCPercent(c.percent)
		}
	})
}

func addBytes(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// mappedBytes is the memory that a limit of the runtime counts.
func mappedBytes() int64 {
	list := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(list)
	return int64(list[0].Value.Uint64() - list[1].Value.Uint64())
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

// entered is told of the phases of the point.
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
