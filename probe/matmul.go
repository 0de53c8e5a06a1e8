package probe

import (
	"context"
	"fmt"
	"math/rand/v2"
)

// Matmul measures how fast matrices are multiplied, each thread its own.
var Matmul = Probe{
	Name: "matmul",
	Doc:  "products of square matrices, float32 and float64, by this program's own kernels; a vendor's library may be faster",
	open: openMatmul,
}

// matmulSide is the side of the matrices: a multiple of every tile and block here,
// and small enough that three of them stay in most second-level caches and all
// third-level ones.
const matmulSide = 480

func openMatmul(_ context.Context, s *Setting) ([]variant, func() error, error) {
	k := kernels()[0]
	s.Note(fmt.Sprintf("matmul: products of %d×%d by this program's %s kernel: what a vendor's library reaches may be more", matmulSide, matmulSide, k.name))
	var list []variant
	for _, threads := range threadsOf(s) {
		list = append(list,
			matmulVariant("float32", k, threads, func() *product[float32] { return newProduct(k.width32, k.tile32) }),
			matmulVariant("float64", k, threads, func() *product[float64] { return newProduct(k.width64, k.tile64) }))
	}
	return list, nothing, nil
}

func matmulVariant[T float32 | float64](name string, k kernel, threads int, fresh func() *product[T]) variant {
	var members crew[*product[T]]
	n := float64(matmulSide)
	return variant{
		name: name, scope: k.name, threads: threads, size: matmulSide, operations: int64(threads), flop: 2 * n * n * n * float64(threads),
		begin: func() error {
			members = newCrew(threads, func(int) *product[T] { return fresh() })
			return nil
		},
		end: func() error { return members.close() },
		do: func(iterations int) error {
			members.each(func(p **product[T]) {
				for range iterations {
					(*p).multiply()
				}
			})
			return nil
		},
		settle: func() (int64, *int64, error) {
			return members.sum(func(p **product[T]) int64 { return (*p).wrong() }), nil, nil
		},
	}
}

// A product is C = AB. Its elements are small whole numbers, so that every order of
// summing gives the same C, which must be exact.
type product[T float32 | float64] struct {
	a, b, c          []T
	packedA, packedB []T
	out              []T // one tile
	width            int
	tile             func(k int, a, b, c *T)
}

// Blocks of A of blockRows×blockDepth stay in the second-level cache while panels of
// B of blockDepth×width pass through the first.
const (
	blockRows  = 96
	blockDepth = 240
)

func newProduct[T float32 | float64](width int, tile func(k int, a, b, c *T)) *product[T] {
	const n = matmulSide
	p := &product[T]{
		a: make([]T, n*n), b: make([]T, n*n), c: make([]T, n*n),
		packedA: make([]T, blockRows*blockDepth), packedB: make([]T, blockDepth*n),
		out: make([]T, tileRows*width), width: width, tile: tile,
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range p.a {
		p.a[i], p.b[i] = T(rng.IntN(5)-2), T(rng.IntN(5)-2)
	}
	return p
}

func (p *product[T]) multiply() {
	const n = matmulSide
	clear(p.c)
	for depth := 0; depth < n; depth += blockDepth {
		p.packB(depth)
		for row := 0; row < n; row += blockRows {
			p.packA(row, depth)
			for column := 0; column < n; column += p.width {
				panel := p.packedB[column*blockDepth:]
				for r := 0; r < blockRows; r += tileRows {
					p.tile(blockDepth, &p.packedA[r*blockDepth], &panel[0], &p.out[0])
					p.add(row+r, column)
				}
			}
		}
	}
}

// packA lays the rows of a block of A so that a tile reads them in order.
func (p *product[T]) packA(row, depth int) {
	to := p.packedA
	for r := 0; r < blockRows; r += tileRows {
		for i := range tileRows {
			from := p.a[(row+r+i)*matmulSide+depth:][:blockDepth]
			for k, x := range from {
				to[k*tileRows+i] = x
			}
		}
		to = to[tileRows*blockDepth:]
	}
}

// packB lays the columns of B likewise.
func (p *product[T]) packB(depth int) {
	to := p.packedB
	for column := 0; column < matmulSide; column += p.width {
		for k := range blockDepth {
			copy(to[k*p.width:(k+1)*p.width], p.b[(depth+k)*matmulSide+column:])
		}
		to = to[p.width*blockDepth:]
	}
}

// add puts the tile where it belongs in C.
func (p *product[T]) add(row, column int) {
	for i := range tileRows {
		to := p.c[(row+i)*matmulSide+column:][:p.width]
		for j, x := range p.out[i*p.width:][:len(to)] {
			to[j] += x
		}
	}
}

// wrong counts the rows of C that are not those of AB, by Freivalds' check: C·x is
// held against A·(B·x) for a vector x of small whole numbers. An error in a row that
// cancels out under x is not seen.
func (p *product[T]) wrong() (rows int64) {
	x := make([]float64, matmulSide)
	for i := range x {
		x[i] = float64(i%7 - 3)
	}
	times := func(m []T, v []float64) []float64 {
		out := make([]float64, matmulSide)
		for i := range out {
			for j, e := range m[i*matmulSide:][:matmulSide] {
				out[i] += float64(e) * v[j]
			}
		}
		return out
	}
	want := times(p.a, times(p.b, x))
	for i, got := range times(p.c, x) {
		if got != want[i] {
			rows++
		}
	}
	return rows
}
