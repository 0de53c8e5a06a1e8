package plan

import (
	"fmt"

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
	Algorithm  string `json:"algorithm"` // auto, or one of the native ones
	Bytes      int64  `json:"bytes"`     // as nccl-tests counts them
	DataType   string `json:"dataType"`
	InPlace    bool   `json:"inPlace,omitempty"`
	Iterations int    `json:"iterations"`
	Warmup     int    `json:"warmup"`
	Chunks     int    `json:"chunks,omitempty"`  // calls that the buffer is cut into; 0 means one
	Profile    string `json:"profile,omitempty"` // size for the sweep, stability or chunking for what is compared apart
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
		add := func(one Collective) {
			one.Backend, one.Device, one.DataType, one.Warmup = c.Backend, c.Device, c.DataType, c.Warmup
			list = append(list, Point{Name: one.name(ranks), Ranks: ranks, Collective: &one})
		}
		for _, op := range c.Operations {
			for _, algorithm := range c.Algorithms {
				for _, size := range sizesOf(c, op) {
					for _, inPlace := range placesOf(c.Place, op) {
						add(Collective{Op: op, Algorithm: algorithm, Bytes: size, InPlace: inPlace, Iterations: c.Iterations, Profile: ProfileSize})
					}
				}
			}
			largest := largest(c)
			if c.Stability > 0 && op == "all_reduce" {
				add(Collective{Op: op, Algorithm: c.Algorithms[0], Bytes: largest, Iterations: c.Stability, Profile: ProfileStability})
			}
			for _, chunks := range c.Chunks {
				if op == "all_reduce" {
					add(Collective{Op: op, Algorithm: c.Algorithms[0], Bytes: largest, Iterations: c.Iterations, Chunks: chunks, Profile: ProfileChunking})
				}
			}
		}
		if c.Pairs && ranks > 1 {
			add(Collective{Op: OpPairs, Algorithm: "direct", Bytes: pairLatencyBytes, Iterations: c.Iterations, Profile: ProfileSize})
			add(Collective{Op: OpPairs, Algorithm: "direct", Bytes: pairBandwidthBytes, Iterations: max(3, c.Iterations/4), Profile: ProfileSize})
		}
	}
	return list
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
	if c.Algorithm != "auto" && c.Op != OpPairs {
		text += " " + c.Algorithm
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
