package run

import (
	"fmt"
	"maps"

	"assay/bundle"
	"assay/telemetry"
)

// nodes are the other hosts of the run with the digest of what each is built of.
func (e *execution) nodes() (list []bundle.Node, err error) {
	for _, n := range e.opts.Nodes {
		if len(n.Environment) > 0 {
			n.Environment = maps.Clone(n.Environment)
			e.fillHostKeys(n.Environment)
			if n.TopologyDigest, err = telemetry.TopologyDigest(n.Environment); err != nil {
				return nil, fmt.Errorf("node %s: %w", n.Name, err)
			}
		}
		list = append(list, n)
	}
	return list, nil
}

// nodeNames are the names of the other hosts, for the ledger of launches.
func (e *execution) nodeNames() (names []string) {
	for _, n := range e.opts.Nodes {
		names = append(names, n.Name)
	}
	return names
}
