package trace

import (
	"cmp"
	"errors"
	"slices"
	"strings"
)

// mostKernels is how many kinds of kernel are listed.
const mostKernels = 15

// trace says where the time of a recording went.
func (r *recording) trace() (Trace, error) {
	if len(r.kernels) == 0 {
		return Trace{}, errors.New("nothing in it happened on a device, and no operation on a host: was the profiler active?")
	}
	t := Trace{Rank: r.rank, Notes: r.notes, Top: r.top(), Collectives: r.called()}
	for k, of := range r.kernels {
		if k.class == classCompute || k.class == classComm {
			t.Kernels += of.Count
		}
		if r.summed {
			t.add(k.class, of.Seconds)
		}
	}
	if r.summed {
		t.Notes = append(t.Notes, "totals without times: span, idle time and overlap are not known")
		return t, nil
	}
	for class, list := range r.busy {
		t.add(class, covered(list)/1e9)
	}
	busy := covered(slices.Concat(r.busy[classCompute], r.busy[classComm])) / 1e9
	t.Span = (r.last - r.first) / 1e9
	t.Idle = max(0, t.Span-busy)
	t.Overlapped = t.Comm + t.Compute - busy
	t.Exposed = t.Comm - t.Overlapped
	return t, nil
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

// covered is how long at least one of the intervals holds. It puts them in order.
func covered(list []interval) (length float64) {
	slices.SortFunc(list, func(a, b interval) int { return cmp.Compare(a.begin, b.begin) })
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
func (r *recording) top() []Kernel {
	var list []Kernel
	for _, k := range r.kernels {
		list = append(list, *k)
	}
	slices.SortFunc(list, func(a, b Kernel) int {
		return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), cmp.Compare(a.Name, b.Name))
	})
	return slices.Clone(list[:min(len(list), mostKernels)])
}

// called lists the collectives by kind, size and number of ranks. Their time holds
// waiting for peers, so that the bandwidth is what was got, not what the link could
// do.
func (r *recording) called() []Collective {
	var list []Collective
	for _, c := range r.collectives {
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
