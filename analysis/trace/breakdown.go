package trace

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// mostKernels is how many kinds of kernel are listed.
const mostKernels = 15

// trace says where the time of a recording went.
func (r recording) trace() (Trace, error) {
	if len(r.events) == 0 {
		return Trace{}, errors.New("nothing in it happened on a device, and no operation on a host: was the profiler active?")
	}
	if err := r.check(); err != nil {
		return Trace{}, err
	}
	t := Trace{Rank: r.rank, Notes: r.notes, Top: top(r.events, r.host), Collectives: collectives(r.events)}
	for _, e := range r.events {
		if e.class == classCompute || e.class == classComm {
			t.Kernels += max(1, e.count)
		}
	}
	if r.summed {
		for _, e := range r.events {
			t.add(e.class, (e.end-e.begin)/1e9)
		}
		t.Notes = append(t.Notes, "totals without times: span, idle time and overlap are not known")
		return t, nil
	}
	of := map[string][]interval{}
	first, last := r.events[0].begin, r.events[0].end
	for _, e := range r.events {
		of[e.class] = append(of[e.class], interval{e.begin, e.end})
		if e.class != classSync {
			first, last = min(first, e.begin), max(last, e.end)
		}
	}
	for class, list := range of {
		t.add(class, covered(list)/1e9)
	}
	busy := covered(slices.Concat(of[classCompute], of[classComm])) / 1e9
	t.Span = (last - first) / 1e9
	t.Idle = max(0, t.Span-busy)
	t.Overlapped = t.Comm + t.Compute - busy
	t.Exposed = t.Comm - t.Overlapped
	return t, nil
}

// latest is later than any clock of a trace, in ns: sums of millions of it are
// still numbers.
const latest = 1e21

// check wants every event to have a time: a table may hold any text that is some
// kind of number.
func (r recording) check() error {
	for _, e := range r.events {
		if !(e.begin > -latest && e.end < latest && e.begin <= e.end) {
			return fmt.Errorf("%q runs from %v to %v ns, want a begin and a later end", e.name, e.begin, e.end)
		}
	}
	return nil
}

func (t *Trace) add(class string, seconds float64) {
	switch class {
	case classCompute:
		t.Compute += seconds
	case classComm:
		t.Comm += seconds
	case classCopy:
		t.Copy += seconds
	case classSync:
		t.Sync += seconds
	}
}

type interval struct{ begin, end float64 }

// covered is how long at least one of the intervals holds.
func covered(list []interval) (length float64) {
	list = slices.SortedFunc(slices.Values(list), func(a, b interval) int { return cmp.Compare(a.begin, b.begin) })
	for i, until := 0, 0.0; i < len(list); i++ {
		if i == 0 {
			until = list[0].begin
		}
		length += max(0, list[i].end-max(until, list[i].begin))
		until = max(until, list[i].end)
	}
	return length
}

// top lists the kinds of kernel that took most; of a host's operations, which nest,
// each without what it called.
func top(events []event, host bool) []Kernel {
	type key struct{ name, class string }
	sums := map[key]*Kernel{}
	for _, e := range events {
		k := key{e.name, e.class}
		if sums[k] == nil {
			sums[k] = &Kernel{Name: e.name, Class: e.class}
		}
		took := e.end - e.begin
		if host {
			took = e.self
		}
		sums[k].Count += max(1, e.count)
		sums[k].Seconds += took / 1e9
	}
	var list []Kernel
	for _, k := range sums {
		list = append(list, *k)
	}
	slices.SortFunc(list, func(a, b Kernel) int {
		return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), cmp.Compare(a.Name, b.Name))
	})
	return list[:min(len(list), mostKernels)]
}

// collectives adds up the collectives of one kind, size and number of ranks. Their
// time holds waiting for peers, so that the bandwidth is what was got, not what the
// link could do.
func collectives(events []event) []Collective {
	sums := map[called]*Collective{}
	for _, e := range events {
		if e.collective == nil {
			continue
		}
		c := *e.collective
		if sums[c] == nil {
			sums[c] = &Collective{Name: c.name, Bytes: c.bytes, Ranks: c.ranks}
		}
		sums[c].Count++
		sums[c].Seconds += (e.end - e.begin) / 1e9
	}
	var list []Collective
	for _, c := range sums {
		if factor := busFactor(c.Name, c.Ranks); factor > 0 && c.Seconds > 0 && c.Bytes > 0 {
			c.BusBW = new(float64(c.Bytes) * float64(c.Count) * factor / c.Seconds)
		}
		list = append(list, *c)
	}
	slices.SortFunc(list, func(a, b Collective) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Ranks, b.Ranks))
	})
	return list
}

// busFactor is what makes the rate of a collective that of its links, as nccl-tests
// has it; zero for one rank, which uses none.
func busFactor(name string, ranks int) float64 {
	n := float64(ranks)
	plain := strings.ReplaceAll(name, "_", "")
	switch {
	case ranks < 2:
		return 0
	case strings.Contains(plain, "allreduce"):
		return 2 * (n - 1) / n
	case strings.Contains(plain, "gather") || strings.Contains(plain, "scatter") || strings.Contains(plain, "alltoall"):
		return (n - 1) / n
	}
	return 1
}
