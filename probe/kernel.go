package probe

import (
	"math"
	"unsafe"
)

// A kernel is the arithmetic of one instruction set.
type kernel struct {
	name string

	// A tile is the product of a panel of k×6 of A and one of k×width of B: c is its
	// six rows. Widths are of float64 and float32.
	width64, width32 int
	tile64           func(k int, a, b, c *float64)
	tile32           func(k int, a, b, c *float32)

	// A line is rounds of x = ax + b on every element of blocks of so many.
	block int
	line  func(x *float64, blocks, rounds int, a, b float64)
}

// tileRows is how many rows of A a tile has: with two registers a row they fill
// twelve, and what is left holds A and B.
const tileRows = 6

// portable is the kernel of processors that have no other here.
var portable = kernel{"portable", 8, 8, portableTile[float64], portableTile[float32], 8, portableLine}

func portableTile[T float32 | float64](k int, a, b, c *T) {
	const width = 8
	as, bs := unsafe.Slice(a, k*tileRows), unsafe.Slice(b, k*width)
	var sum [tileRows][width]T
	for range k {
		row := (*[width]T)(bs)
		for i := range tileRows {
			x := as[i]
			for j := range width {
				sum[i][j] += x * row[j]
			}
		}
		as, bs = as[tileRows:], bs[width:]
	}
	copy(unsafe.Slice(c, tileRows*width), unsafe.Slice(&sum[0][0], tileRows*width))
}

func portableLine(x *float64, blocks, rounds int, a, b float64) {
	const block = 8
	all := unsafe.Slice(x, blocks*block)
	for range blocks {
		xs := (*[block]float64)(all)
		x0, x1, x2, x3, x4, x5, x6, x7 := xs[0], xs[1], xs[2], xs[3], xs[4], xs[5], xs[6], xs[7]
		for range rounds {
			x0, x1, x2, x3 = math.FMA(x0, a, b), math.FMA(x1, a, b), math.FMA(x2, a, b), math.FMA(x3, a, b)
			x4, x5, x6, x7 = math.FMA(x4, a, b), math.FMA(x5, a, b), math.FMA(x6, a, b), math.FMA(x7, a, b)
		}
		*xs = [block]float64{x0, x1, x2, x3, x4, x5, x6, x7}
		all = all[block:]
	}
}
