package child

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Place is where a process may run. The zero Place is anywhere.
type Place struct {
	CPUs  []int
	Bound bool // memory is taken from Node alone
	Node  int
}

// Anywhere says that the place asks for nothing.
func (p Place) Anywhere() bool { return len(p.CPUs) == 0 }

// String writes the place as people and the kernel write it: "processors 0-3,8 of NUMA
// node 1".
func (p Place) String() string {
	if p.Anywhere() {
		return "any processor"
	}
	text := "processors " + ranges(p.CPUs)
	if p.Bound {
		text += fmt.Sprintf(" of NUMA node %d", p.Node)
	}
	return text
}

func ranges(cpus []int) string {
	sorted := slices.Sorted(slices.Values(cpus))
	var parts []string
	for i := 0; i < len(sorted); {
		j := i
		for j+1 < len(sorted) && sorted[j+1] == sorted[j]+1 {
			j++
		}
		part := strconv.Itoa(sorted[i])
		if j > i {
			part += "-" + strconv.Itoa(sorted[j])
		}
		parts, i = append(parts, part), j+1
	}
	return strings.Join(parts, ",")
}
