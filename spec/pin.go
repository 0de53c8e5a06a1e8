package spec

import (
	"fmt"
	"strconv"
	"strings"
)

// A Pin says which processors the processes that assay starts may run on. Where the
// kernel refuses it, the run is refused.
type Pin struct {
	// The processors of each process in turn, as lists such as 0-3,8.
	CPUs []string `json:"cpus,omitzero" example:"[0-3, 4-7]"`

	// The NUMA node of each process in turn, instead of cpus: its processors, and memory
	// of that node alone.
	NUMA []int `json:"numa,omitzero" min:"0" max:"1023"`
}

// At is where process number i belongs: processors, or a node where it is not negative.
// A nil Pin leaves it where it is.
func (p *Pin) At(i int) (cpus []int, node int, err error) {
	switch {
	case p == nil:
		return nil, -1, nil
	case len(p.NUMA) > 0:
		return nil, p.NUMA[i%len(p.NUMA)], nil
	case len(p.CPUs) > 0:
		cpus, err = CPUList(p.CPUs[i%len(p.CPUs)])
		return cpus, -1, err
	}
	return nil, -1, nil
}

// mostCPUs bounds the numbers of processors: those that a kernel can have.
const mostCPUs = 8192

// CPUList reads a list of processors as the kernel writes it: 0-3,8.
func CPUList(text string) ([]int, error) {
	var list []int
	for part := range strings.SplitSeq(strings.TrimSpace(text), ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		from, err := strconv.Atoi(strings.TrimSpace(first))
		to, err2 := strconv.Atoi(strings.TrimSpace(last))
		if err != nil || err2 != nil || from < 0 || to < from || to >= mostCPUs {
			return nil, fmt.Errorf("got %q, want a list of processors such as 0-3,8", text)
		}
		for cpu := from; cpu <= to; cpu++ {
			list = append(list, cpu)
		}
	}
	return list, nil
}

// pinAgrees wants lists that can be read, and one way to say where.
func pinAgrees(c *checker, path string, p *Pin) {
	if p == nil {
		return
	}
	for i, text := range p.CPUs {
		if _, err := CPUList(text); err != nil {
			c.fail(itemPath(path+".cpus", i), err.Error())
		}
	}
	if len(p.CPUs) > 0 && len(p.NUMA) > 0 {
		c.fail(path+".numa", "processors are named already: want cpus or numa, not both")
	}
}

func serverPinAgrees(c *checker) {
	if t := c.run.Spec.Target; t != nil && t.Server != nil {
		pinAgrees(c, "spec.target.server.pin", t.Server.Pin)
	}
	for i, candidate := range c.run.Spec.Candidates {
		if candidate.Target.Server != nil {
			pinAgrees(c, itemPath("spec.candidates", i)+".target.server.pin", candidate.Target.Server.Pin)
		}
	}
}
