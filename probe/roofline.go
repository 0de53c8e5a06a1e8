package probe

import (
	"context"
	"fmt"
	"math"
)

// Roofline measures kernels of several intensities: operations for each byte moved.
var Roofline = Probe{
	Name: "roofline",
	Doc:  "x = ax + b so many rounds over an array beyond the caches, float64, and over one inside the first-level cache for the roof of arithmetic",
	open: openRoofline,
}

// rounds of the line: two operations for sixteen bytes each.
var rooflineRounds = []int{1, 2, 4, 8, 16, 32, 64, 128}

// roofArray is the array of the peak: it stays in every first-level cache of today.
const roofArray = 16 << 10

// peakRounds keep loads and stores of the peak's array below a hundredth of its
// arithmetic.
const peakRounds = 1024

// stretch is how many blocks a kernel does at once: the collector waits for whoever
// is inside one, and so does everything that it stops.
const stretch = 512

// The line's fixed point is 2: x = x/2 + 1 halves the distance to it, whatever x was,
// so that values stay normal numbers for ever.
const lineA, lineB = .5, 1

func openRoofline(_ context.Context, s *Setting) ([]variant, func() error, error) {
	k := kernels()[0]
	s.Note("roofline: arithmetic by this program's " + k.name + " kernel, float64")
	large := s.most(mostStream)
	if free := freeMemory(); free > 0 {
		large = min(large, free/4)
	}
	var list []variant
	for _, threads := range threadsOf(s) {
		list = append(list, lineVariant(k, "peak", threads, roofArray*int64(threads), peakRounds))
		for _, rounds := range rooflineRounds {
			list = append(list, lineVariant(k, fmt.Sprintf("%g FLOP/B", intensity(rounds)), threads, large, rounds))
		}
	}
	return list, nothing, nil
}

// intensity is the operations for each byte that is read or written.
func intensity(rounds int) float64 { return 2 * float64(rounds) / 16 }

// An axis is one thread's array and the pass it is in.
type axis struct {
	xs     []float64
	rounds int // made since the array was filled
}

func lineVariant(k kernel, name string, threads int, size int64, rounds int) variant {
	blocks := int(size) / 8 / threads / k.block
	elements := float64(blocks * k.block * threads)
	members := &crew[axis]{}
	return variant{
		name: name, scope: k.name, threads: threads, size: size,
		bytes: int64(16 * elements), operations: 1, flop: 2 * elements * float64(rounds),
		begin: func() error {
			*members = newCrew(threads, func(int) axis {
				own := axis{xs: make([]float64, blocks*k.block)}
				for i := range own.xs {
					own.xs[i] = startOf(i)
				}
				return own
			})
			return nil
		},
		end: func() error { return members.close() },
		do: func(iterations int) error {
			members.each(func(own *axis) {
				for range iterations {
					for at := 0; at < blocks; at += stretch {
						k.line(&own.xs[at*k.block], min(stretch, blocks-at), rounds, lineA, lineB)
					}
				}
				own.rounds += iterations * rounds
			})
			return nil
		},
		settle: func() (int64, *int64, error) { return members.sum((*axis).wrong), nil, nil },
	}
}

func startOf(i int) float64 { return float64(i % 1000) }

// wrong counts elements that are not what so many rounds make of their start.
func (own *axis) wrong() (n int64) {
	for i := 0; i < len(own.xs); i += 1021 {
		x := startOf(i)
		for range min(own.rounds, 100) { // by then it has come to its fixed point
			x = math.FMA(x, lineA, lineB)
		}
		if own.xs[i] != x {
			n++
		}
	}
	return n
}
