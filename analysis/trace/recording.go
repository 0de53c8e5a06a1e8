package trace

import (
	"cmp"
	"fmt"
	"slices"
)

// Bounds of what is kept of a trace, each well above what a profiler writes in a
// minute and together some hundred megabytes.
const (
	mostIntervals  = 4 << 20  // stretches in which a device did one class of thing
	mostOperations = 2 << 20  // of a host without a device
	mostNames      = 64 << 20 // bytes of the names of kernels
)

// latest is later than any clock of a trace, in ns: sums of millions of it are
// still numbers.
const latest = 1e21

// An event is one thing that a device or host did, in ns of the trace's clock.
type event struct {
	name       string
	class      string
	begin, end float64
	collective *called
	count      int // how many it stands for; zero means one
}

// called is what a collective was called with.
type called struct {
	name  string
	bytes int64
	ranks int
}

// kind is what the events of one kernel have in common.
type kind struct{ name, class string }

// A recording is what a format has read. Events are added up as they come: a trace
// has millions of them, of few kinds.
type recording struct {
	rank   *int
	host   bool // of a host alone: operations stand for kernels
	summed bool // totals without times: nothing can be said about overlap
	notes  []string

	kernels     map[kind]*Kernel
	collectives map[called]*Collective
	busy        map[string][]interval // by class
	intervals   int
	first, last float64 // of what is more than waiting
	names       int     // bytes

	operations []operation // of the host, as long as no device is seen
	kinds      []kind      // that operations are of
	kindOf     map[kind]int32
	threadOf   map[string]int32
}

// An operation is what one thread of a host did. Operations nest.
type operation struct {
	begin, end, self float64 // self is without what it called
	kind, thread     int32
}

// add takes in an event of a device, or of a host that waited for one.
func (r *recording) add(e event) error {
	if err := e.check(); err != nil {
		return err
	}
	if err := r.sum(kind{e.name, e.class}, max(1, e.count), e.end-e.begin); err != nil {
		return err
	}
	if c := e.collective; c != nil {
		if r.collectives == nil {
			r.collectives = map[called]*Collective{}
		}
		if r.collectives[*c] == nil {
			r.collectives[*c] = &Collective{Name: c.name, Bytes: c.bytes, Ranks: c.ranks}
		}
		r.collectives[*c].Count++
		r.collectives[*c].Seconds += (e.end - e.begin) / 1e9
	}
	if r.summed {
		return nil
	}
	return r.occupy(e.class, interval{e.begin, e.end})
}

// check wants an event to have a time: a table may hold any text that is some kind of
// number, and one that is none would make nonsense of all.
func (e event) check() error {
	if !(e.begin > -latest && e.end < latest && e.begin <= e.end) {
		return fmt.Errorf("%.80q runs from %v to %v ns, want a begin and a later end", e.name, e.begin, e.end)
	}
	return nil
}

// sum adds so many events of a kind that took so long together.
func (r *recording) sum(k kind, count int, took float64) error {
	if r.kernels == nil {
		r.kernels = map[kind]*Kernel{}
	}
	of := r.kernels[k]
	if of == nil {
		if r.names += len(k.name); r.names > mostNames {
			return fmt.Errorf("the names of its kernels have more than %d bytes", mostNames)
		}
		of = &Kernel{Name: k.name, Class: k.class}
		r.kernels[k] = of
	}
	of.Count += count
	of.Seconds += took / 1e9
	return nil
}

// occupy marks a stretch in which something of a class happened. One that overlaps
// the last is joined to it: what is wanted is how long all cover.
func (r *recording) occupy(class string, i interval) error {
	if class != classSync {
		if !r.begun() {
			r.first, r.last = i.begin, i.end
		}
		r.first, r.last = min(r.first, i.begin), max(r.last, i.end)
	}
	if r.busy == nil {
		r.busy = map[string][]interval{}
	}
	list := r.busy[class]
	if n := len(list); n > 0 && i.begin <= list[n-1].end && i.end >= list[n-1].begin {
		list[n-1] = interval{min(list[n-1].begin, i.begin), max(list[n-1].end, i.end)}
		return nil
	}
	if r.intervals++; r.intervals > mostIntervals {
		return fmt.Errorf("more than %d stretches of time: record fewer steps", mostIntervals)
	}
	r.busy[class] = append(list, i)
	return nil
}

// begun reports whether anything but waiting was seen.
func (r *recording) begun() bool {
	return len(r.busy[classCompute])+len(r.busy[classComm])+len(r.busy[classCopy]) > 0
}

// addOperation takes in what a thread of the host did. It is of no use beside a
// device.
func (r *recording) addOperation(e event, thread string) error {
	if r.begun() {
		r.operations, r.kinds, r.kindOf, r.threadOf = nil, nil, nil, nil
		return nil
	}
	if err := e.check(); err != nil {
		return err
	}
	if len(r.operations) == mostOperations {
		return fmt.Errorf("more than %d operations of a host and none of a device: record fewer steps", mostOperations)
	}
	if r.kindOf == nil {
		r.kindOf, r.threadOf = map[kind]int32{}, map[string]int32{}
	}
	k := kind{e.name, e.class}
	of, known := r.kindOf[k]
	if !known {
		if r.names += len(k.name); r.names > mostNames {
			return fmt.Errorf("the names of its operations have more than %d bytes", mostNames)
		}
		of = int32(len(r.kinds))
		r.kindOf[k], r.kinds = of, append(r.kinds, k)
	}
	if _, known := r.threadOf[thread]; !known {
		r.threadOf[thread] = int32(len(r.threadOf))
	}
	r.operations = append(r.operations, operation{e.begin, e.end, e.end - e.begin, of, r.threadOf[thread]})
	return nil
}

// standIn makes kernels of the host's operations, each with the time that it took
// itself.
func (r *recording) standIn() error {
	r.host, r.kernels, r.collectives, r.busy, r.intervals, r.names = true, nil, nil, nil, 0, 0
	list := r.operations
	slices.SortFunc(list, func(a, b operation) int {
		return cmp.Or(cmp.Compare(a.thread, b.thread), cmp.Compare(a.begin, b.begin), cmp.Compare(b.end, a.end))
	})
	var open []int // operations that the next may be inside of
	for i := range list {
		o := &list[i]
		for len(open) > 0 {
			above := &list[open[len(open)-1]]
			if above.thread == o.thread && o.begin < above.end {
				above.self -= min(o.end, above.end) - o.begin
				break
			}
			open = open[:len(open)-1]
		}
		open = append(open, i)
	}
	for _, o := range list {
		k := r.kinds[o.kind]
		if err := r.sum(k, 1, o.self); err != nil {
			return err
		}
		if err := r.occupy(k.class, interval{o.begin, o.end}); err != nil {
			return err
		}
	}
	r.operations = nil
	return nil
}
