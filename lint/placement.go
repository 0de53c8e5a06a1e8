package lint

import (
	"fmt"
	"slices"
	"strings"

	"assay/finding"
)

// Placement fires when launches that are counted together ran in different
// places.
var Placement = Check{
	ID: "placement-changed", Code: "P-15", Severity: finding.Void,
	Doc: "Launches ran on different nodes, devices or links.",
	When: "launches of one side ran on different nodes or devices (void for publication, otherwise a " +
		"caution)",
	Run: placement,
}

// placement looks at the launches of one run. That two runs were made in
// different places is one of the differences that apples-to-oranges lists.
func placement(f *Facts) Answer {
	nodes, named := nodesOf(f)
	devices := devicesOf(f.GPUs)
	if !named && len(devices) == 0 && !f.here() {
		return missing("the nodes of each launch")
	}
	var list []finding.Finding
	if moved := changed(nodes); len(moved) > 0 {
		list = append(list, f.moved("the nodes of the launches differ", moved))
	}
	if moved := changed(devices); len(moved) > 0 {
		list = append(list, f.moved("the devices of the launches differ", moved))
	}
	return found(list...)
}

func (f *Facts) moved(what string, evidence []string) finding.Finding {
	return finding.Finding{
		Severity: f.publishing(),
		Message:  what + ": " + summary(evidence),
		Why:      "another place is another machine with other neighbours and links",
		Fix:      "pin the placement (executionPolicy.publicationGrade.fixedTopology) and run again",
		Evidence: evidence,
	}
}

// nodesOf are the nodes of each completed launch, by side and set: on which set of its
// hosts a launch is made is planned.
func nodesOf(f *Facts) (placed []place, named bool) {
	for _, l := range f.completed() {
		if len(l.Nodes) > 0 {
			named = true
			placed = append(placed, place{l.Index, fmt.Sprintf("%s set %d", l.Side, l.Set), strings.Join(slices.Sorted(slices.Values(l.Nodes)), ", ")})
		}
	}
	return placed, named
}

// devicesOf are the devices whose samples each launch holds.
func devicesOf(gpus []GPUTally) []place {
	uuids := map[int][]string{}
	var order []int
	for _, g := range gpus {
		if uuids[g.Launch] == nil {
			order = append(order, g.Launch)
		}
		if !slices.Contains(uuids[g.Launch], g.UUID) { // once for each point
			uuids[g.Launch] = append(uuids[g.Launch], g.UUID)
		}
	}
	var list []place
	for _, launch := range order {
		slices.Sort(uuids[launch])
		list = append(list, place{launch, "", strings.Join(uuids[launch], ", ")})
	}
	return list
}

// A place is where one launch ran.
type place struct {
	launch int
	group  string // of launches that belong in one place
	where  string
}

// changed lists the launches that ran elsewhere than the first one of their group.
func changed(list []place) []string {
	first := map[string]place{}
	var out []string
	for _, p := range list {
		if _, seen := first[p.group]; !seen {
			first[p.group] = p
		}
		if at := first[p.group]; at.where != p.where {
			out = append(out, fmt.Sprintf("launch %d on %s, launch %d on %s", at.launch+1, at.where, p.launch+1, p.where))
		}
	}
	return out
}
