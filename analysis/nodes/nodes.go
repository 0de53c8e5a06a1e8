// Package nodes compares the hosts of one run with each other: which is slower than the
// others, by which part, and what is different about it.
//
// It reads what was measured on every host (package hardware), what went between every two
// (package collectives) and what each host said of itself. A host is called slow when it is
// behind the others in every launch, by more than hosts of one kind differ, and by more than
// the others differ among themselves. Two hosts can differ; which of them is at fault, two
// cannot show.
//
// To compare hosts by a further probe, give it a row in resources.
package nodes

import (
	"slices"

	"assay/analysis/collectives"
	"assay/analysis/hardware"
	"assay/bundle"
	"assay/finding"
	"assay/unit"
)

// Version is the version of the format of nodes.json.
const Version = "1.0"

// A Report is how the hosts of a run compare: derived/VERSION/nodes.json.
type Report struct {
	Version  string            `json:"version"`
	Nodes    []Node            `json:"nodes"`
	Measures []Measure         `json:"measures"`
	Allows   string            `json:"allows"` // what so many hosts and launches can show
	Findings []finding.Finding `json:"findings,omitempty"`
}

// A Node is one host and what is wrong with it.
type Node struct {
	Name   string  `json:"name"`           // as the launcher calls it
	Host   string  `json:"host,omitempty"` // as it calls itself
	Causes []Cause `json:"causes,omitempty"`
}

// A Cause is one part of a host that is slow.
type Cause struct {
	Resource string   `json:"resource"`
	Measure  string   `json:"measure"` // by which it is furthest behind
	Behind   float64  `json:"behind"`  // share of the others' speed that it lacks there
	Measures []string `json:"measures"`

	// Differs are facts of the host that are not those of the others and belong to the
	// part.
	Differs []string `json:"differs,omitempty"`

	// Follows says that a slow processor alone may be why: everything needs one.
	Follows bool `json:"follows,omitempty"`
}

// A Measure is one thing that was measured on several hosts.
type Measure struct {
	Resource string    `json:"resource"`
	Name     string    `json:"name"`
	What     string    `json:"what"` // bandwidth, latency, rate, flops
	Unit     unit.Unit `json:"unit"`
	Each     []Value   `json:"each"`   // in the order of the nodes
	Spread   float64   `json:"spread"` // (fastest − slowest)/fastest
	Noise    float64   `json:"noise"`  // by how much a host differs from itself, launch to launch
}

// A Value is what one host reached.
type Value struct {
	Node     string    `json:"node"`
	Value    float64   `json:"value"` // median of the launches
	Launches []float64 `json:"launches"`
	Behind   float64   `json:"behind"`         // share of the speed of the others' median that it lacks; negative where it is faster
	Slow     bool      `json:"slow,omitempty"` // in every launch, and beyond what chance makes of it
}

// The resources that measures are about, in the order in which one may explain the next.
const (
	Processor   = "processor"
	Accelerator = "accelerator"
	Memory      = "memory"
	Disk        = "disk"
	Network     = "network"
)

// A resource is a part of a host, the probes that measure it and the share of speed from
// which its lack counts. Hosts of one kind differ by less: processors and memory by a few
// per cent, disks and networks, which others use too, by more.
type resource struct {
	name   string
	probes []string
	limit  float64
}

var resources = []resource{
	{Processor, []string{"speed", "matmul", "roofline", "startup"}, .10},
	{Accelerator, []string{"attention", "kv_cache", "matmul_search", "transfer", "peer_to_peer"}, .05},
	{Memory, []string{"memory", "cache"}, .15},
	{Disk, []string{"disk", "checkpoint", "dataloader"}, .30},
	{Network, nil, .25},
}

// Judge compares the hosts that hold was measured on. Pairs are those of ranks of which
// each host has one.
func Judge(hold []bundle.Node, probes hardware.Report, pairs collectives.Report) Report {
	r := Report{Version: Version, Nodes: []Node{}, Measures: []Measure{}}
	for _, n := range hold {
		one := Node{Name: n.Name}
		if host, ok := n.Environment["host.name"].Value.(string); ok && host != n.Name {
			one.Host = host
		}
		r.Nodes = append(r.Nodes, one)
	}
	r.Measures = append(probed(r.Nodes, probes.Rows), linked(r.Nodes, pairs.Matrices)...)
	launches := 0
	for i := range r.Measures {
		r.Measures[i].judge()
		for _, v := range r.Measures[i].Each {
			launches = max(launches, len(v.Launches))
		}
	}
	r.Allows = allows(len(r.Nodes), launches)
	different := Differences(hold)
	for i := range r.Nodes {
		r.Nodes[i].blame(r.Measures, different)
	}
	r.find(pairs.Matrices)
	return r
}

// Together is several reports on the same hosts as one: a part that is slow in any of them
// is slow.
func Together(list []Report) Report {
	r := Report{Version: Version, Nodes: []Node{}, Measures: []Measure{}}
	for _, one := range list {
		if len(one.Allows) > len(r.Allows) {
			r.Allows = one.Allows
		}
		r.Measures = append(r.Measures, one.Measures...)
		r.Findings = append(r.Findings, one.Findings...)
		for _, n := range one.Nodes {
			if _, seen := r.Find(n.Name); !seen {
				r.Nodes = append(r.Nodes, Node{Name: n.Name, Host: n.Host})
			}
		}
	}
	for i := range r.Nodes {
		r.Nodes[i].gather(list)
	}
	return r
}

// gather takes over the causes of a node, each part once, in the order in which one may
// explain the next.
func (n *Node) gather(list []Report) {
	for _, part := range resources {
		for _, one := range list {
			own, _ := one.Find(n.Name)
			at := slices.IndexFunc(own.Causes, func(c Cause) bool { return c.Resource == part.name })
			if at < 0 {
				continue
			}
			cause := own.Causes[at]
			cause.Follows = len(n.Causes) > 0 && n.Causes[0].Resource == Processor
			n.Causes = append(n.Causes, cause)
			break
		}
	}
}
