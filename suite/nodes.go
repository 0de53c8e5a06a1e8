package suite

import (
	"fmt"

	"assay/analysis/nodes"
)

// compareNodes is how hosts compare in all steps together; nil where no step was measured
// on several.
func compareNodes(rows []Row) *nodes.Report {
	var list []nodes.Report
	for _, r := range rows {
		if r.nodes != nil {
			list = append(list, *r.nodes)
		}
	}
	if len(list) == 0 {
		return nil
	}
	all := nodes.Together(list)
	return &all
}

// nodeLines are what is said of the hosts.
func (c Card) nodeLines() (lines []string) {
	if c.Nodes == nil {
		return nil
	}
	for _, n := range c.Nodes.Nodes {
		for _, cause := range n.Causes {
			lines = append(lines, fmt.Sprintf("node %s is slow: %s", n.Label(), cause.Text()))
		}
	}
	if len(lines) == 0 {
		lines = append(lines, fmt.Sprintf("nodes: none of %d is slower than the others", len(c.Nodes.Nodes)))
	}
	return append(lines, c.Nodes.Allows)
}
