package plan

import (
	"fmt"
	"slices"

	"assay/spec"
	"assay/unit"
)

// OpPairs is the operation of a point that measures every two ranks.
const OpPairs = "pairs"

// A Collective is a point of one operation at one size. Workers get it as it is
// here.
type Collective struct {
	Backend    string `json:"backend"`
	Device     string `json:"device"`
	Op         string `json:"op"`
	Algorithm  string `json:"algorithm"` // auto, or one that the backend has
	Bytes      int64  `json:"bytes"`     // as nccl-tests counts them
	DataType   string `json:"dataType"`
	InPlace    bool   `json:"inPlace,omitempty"`
	Iterations int    `json:"iterations"`
	Warmup     int    `json:"warmup"`
	Chunks     int    `json:"chunks,omitempty"`  // calls that the buffer is cut into; 0 means one
	Profile    string `json:"profile,omitempty"` // size for the sweep, stability or chunking for what is compared apart

	// Protocol and Setting are what the library is set to besides the algorithm,
	// and Env the variables that tell it; empty leaves all to the library.
	Protocol string   `json:"protocol,omitempty"`
	Setting  string   `json:"setting,omitempty"`
	Env      []string `json:"env,omitempty"`
}

// Asked names how the library is told to work: auto, ring, ring ll128, or the name of
// a setting.
func (c Collective) Asked() string {
	switch {
	case c.Setting != "":
		return c.Setting
	case c.Protocol != "":
		return c.Algorithm + " " + c.Protocol
	}
	return c.Algorithm
}

// The profiles of collectives.
const (
	ProfileSize      = "size"
	ProfileStability = "stability"
	ProfileChunking  = "chunking"
)

func collectivePoints(c spec.Collectives) []Point {
	var list []Point
	for _, ranks := range c.Ranks {
		for i, how := range manners(c) {
			for _, one := range operationPoints(c, how, ranks, i == 0) {
				one.Backend, one.Device, one.DataType, one.Warmup = c.Backend, c.Device, c.DataType, c.Warmup
				one.Protocol, one.Setting, one.Env = how.protocol, how.setting, how.env
				list = append(list, Point{Name: one.name(ranks), Ranks: ranks, Collective: &one})
			}
		}
	}
	return list
}

// operationPoints are the operations that one manner of working is measured with. What
// is compared apart and the matrix of pairs are measured once, in the first manner.
func operationPoints(c spec.Collectives, how manner, ranks int, first bool) (list []Collective) {
	for _, op := range c.Operations {
		for _, algorithm := range how.algorithms {
			for _, size := range sizesOf(c, op) {
				for _, inPlace := range placesOf(c.Place, op) {
					list = append(list, Collective{Op: op, Algorithm: algorithm, Bytes: size, InPlace: inPlace, Iterations: c.Iterations, Profile: ProfileSize})
				}
			}
		}
		if op != "all_reduce" || !first {
			continue
		}
		largest := largest(c)
		if c.Stability > 0 {
			list = append(list, Collective{Op: op, Algorithm: c.Algorithms[0], Bytes: largest, Iterations: c.Stability, Profile: ProfileStability})
		}
		for _, chunks := range c.Chunks {
			list = append(list, Collective{Op: op, Algorithm: c.Algorithms[0], Bytes: largest, Iterations: c.Iterations, Chunks: chunks, Profile: ProfileChunking})
		}
	}
	if c.Pairs && ranks > 1 && first {
		list = append(list,
			Collective{Op: OpPairs, Algorithm: "direct", Bytes: pairLatencyBytes, Iterations: c.Iterations, Profile: ProfileSize},
			Collective{Op: OpPairs, Algorithm: "direct", Bytes: pairBandwidthBytes, Iterations: max(3, c.Iterations/4), Profile: ProfileSize})
	}
	return list
}

// A manner is one way for the library to work. A library reads its environment when
// ranks join, so that each manner is measured by ranks of its own.
type manner struct {
	algorithms []string
	protocol   string // empty for auto
	setting    string
	env        []string // sorted
}

// The names that NCCL has for its algorithms and protocols.
var (
	ncclAlgorithms = map[string]string{"ring": "Ring", "tree": "Tree", "nvls": "NVLS"}
	ncclProtocols  = map[string]string{"ll": "LL", "ll128": "LL128", "simple": "Simple"}
)

// manners are those of the spec: for nccl one for each algorithm and protocol, then
// the settings. Native ranks take their algorithm from each point.
func manners(c spec.Collectives) (list []manner) {
	if c.Backend != spec.BackendNCCL {
		list = append(list, manner{algorithms: c.Algorithms})
	} else {
		for _, algorithm := range c.Algorithms {
			for _, protocol := range c.Protocols {
				list = append(list, ncclManner(algorithm, protocol))
			}
		}
	}
	for _, s := range c.Settings {
		list = append(list, manner{algorithms: []string{"auto"}, setting: s.Name, env: slices.Sorted(slices.Values(s.Env))})
	}
	return list
}

func ncclManner(algorithm, protocol string) manner {
	m := manner{algorithms: []string{algorithm}}
	if name := ncclAlgorithms[algorithm]; name != "" {
		m.env = append(m.env, "NCCL_ALGO="+name)
	}
	if name := ncclProtocols[protocol]; name != "" {
		m.protocol = protocol
		m.env = append(m.env, "NCCL_PROTO="+name)
	}
	return m
}

// The messages of the matrix of pairs: one small enough to show latency alone, one
// large enough to fill a link.
const (
	pairLatencyBytes   = 8
	pairBandwidthBytes = 4 << 20
)

func (c Collective) name(ranks int) string {
	text := fmt.Sprintf("%s %s ranks=%d", c.Op, unit.Bytes(c.Bytes), ranks)
	if c.Op == "barrier" {
		text = fmt.Sprintf("%s ranks=%d", c.Op, ranks)
	}
	if asked := c.Asked(); asked != "auto" && c.Op != OpPairs {
		text += " " + asked
	}
	if c.InPlace {
		text += " in place"
	}
	if c.Chunks > 1 {
		text += fmt.Sprintf(" in %d chunks", c.Chunks)
	}
	if c.Profile == ProfileStability {
		text += " stability"
	}
	return text
}

// placesOf says whether an operation has buffers that can be one.
func placesOf(place, op string) []bool {
	switch {
	case op == "barrier" || op == "point_to_point" || op == "all_to_all":
		return []bool{false} // there is no buffer, or no other one
	case place == spec.PlaceIn:
		return []bool{true}
	case place == spec.PlaceOut:
		return []bool{false}
	}
	return []bool{false, true}
}

// sizesOf are the messages that an operation is measured with.
func sizesOf(c spec.Collectives, op string) []int64 {
	if op == "barrier" {
		return []int64{0}
	}
	var list []int64
	for _, size := range c.Sizes {
		list = append(list, int64(size))
	}
	return list
}

func largest(c spec.Collectives) int64 {
	var most unit.Bytes
	for _, size := range c.Sizes {
		most = max(most, size)
	}
	return int64(most)
}
