package probe

import (
	"context"
	"errors"
	"fmt"

	"assay/unit"
)

// Memory measures the bandwidth of memory as STREAM does.
var Memory = Probe{
	Name: "memory",
	Doc:  "copy, scale, add and triad over arrays beyond the caches; bytes as STREAM counts them, without write-allocates",
	open: openMemory,
}

// streams are STREAM's kernels in its order. Each moves so many arrays of bytes;
// what the hardware reads before it writes is not counted, as STREAM does not.
var streams = []struct {
	name   string
	arrays int64
	flops  float64 // of an element
	kernel func(a, b, c []float64)
	wrong  func(a, b, c float64) bool // of what the kernel wrote
}{
	{"copy", 2, 0, duplicate, func(a, _, c float64) bool { return c != a }},
	{"scale", 2, 1, scale, func(_, b, c float64) bool { return b != streamScalar*c }},
	{"add", 3, 1, add, func(a, b, c float64) bool { return c != a+b }},
	{"triad", 3, 2, triad, func(a, b, c float64) bool { return a != b+streamScalar*c }},
}

const streamScalar = 3.0

// The loops are unrolled by eight and the slices cut once, so that the compiler needs
// neither bounds checks nor a branch for each element.

// duplicate copies in pieces, each large enough for stores past the caches: the
// collector waits for whoever is inside one copy.
func duplicate(a, _, c []float64) {
	const piece = 16 << 20 / 8
	for len(a) > 0 {
		n := copy(c, a[:min(piece, len(a))])
		a, c = a[n:], c[n:]
	}
}

func scale(_, b, c []float64) {
	for len(b) >= 8 && len(c) >= 8 {
		to, from := (*[8]float64)(b), (*[8]float64)(c)
		to[0], to[1], to[2], to[3] = streamScalar*from[0], streamScalar*from[1], streamScalar*from[2], streamScalar*from[3]
		to[4], to[5], to[6], to[7] = streamScalar*from[4], streamScalar*from[5], streamScalar*from[6], streamScalar*from[7]
		b, c = b[8:], c[8:]
	}
}

func add(a, b, c []float64) {
	for len(a) >= 8 && len(b) >= 8 && len(c) >= 8 {
		to, x, y := (*[8]float64)(c), (*[8]float64)(a), (*[8]float64)(b)
		to[0], to[1], to[2], to[3] = x[0]+y[0], x[1]+y[1], x[2]+y[2], x[3]+y[3]
		to[4], to[5], to[6], to[7] = x[4]+y[4], x[5]+y[5], x[6]+y[6], x[7]+y[7]
		a, b, c = a[8:], b[8:], c[8:]
	}
}

func triad(a, b, c []float64) {
	for len(a) >= 8 && len(b) >= 8 && len(c) >= 8 {
		to, x, y := (*[8]float64)(a), (*[8]float64)(b), (*[8]float64)(c)
		to[0], to[1], to[2], to[3] = x[0]+streamScalar*y[0], x[1]+streamScalar*y[1], x[2]+streamScalar*y[2], x[3]+streamScalar*y[3]
		to[4], to[5], to[6], to[7] = x[4]+streamScalar*y[4], x[5]+streamScalar*y[5], x[6]+streamScalar*y[6], x[7]+streamScalar*y[7]
		a, b, c = a[8:], b[8:], c[8:]
	}
}

// STREAM wants arrays of four times the last-level cache. A host that shares a large
// cache with others states all of it, and four times that may be more memory than it
// has; arrays stay below mostStream and below an eighth of what is free.
const (
	leastStream = 64 << 20
	mostStream  = 256 << 20
)

// A triple is the arrays of one thread.
type triple struct{ a, b, c []float64 }

func openMemory(_ context.Context, s *Setting) ([]variant, func() error, error) {
	last := lastLevel()
	size := min(max(leastStream, 4*last), s.most(mostStream))
	if free := freeMemory(); free > 0 {
		size = min(size, free/8)
	}
	if size < 4*last {
		s.Note(fmt.Sprintf("memory: arrays of %s are less than four times the last-level cache of %s: it may help", unit.Bytes(size), unit.Bytes(last)))
	}
	var list []variant
	var all []*crew[triple]
	for _, threads := range threadsOf(s) {
		elements := int(size) / 8 / threads / 8 * 8
		members := &crew[triple]{}
		all = append(all, members)
		for i, k := range streams {
			v := variant{
				name: k.name, threads: threads, size: int64(elements * threads * 8),
				bytes: k.arrays * 8 * int64(elements*threads), operations: 1, flop: k.flops * float64(elements*threads),
				do: func(iterations int) error {
					members.each(func(t *triple) {
						for range iterations {
							k.kernel(t.a, t.b, t.c)
						}
					})
					return nil
				},
				settle: func() (int64, *int64, error) {
					return members.sum(func(t *triple) int64 { return t.wrong(k.wrong) }), nil, nil
				},
			}
			v.begin = func() error {
				if members.team == nil { // the kernels share their arrays
					*members = newCrew(threads, func(int) triple { return newTriple(elements) })
				}
				return nil
			}
			if i == len(streams)-1 {
				v.end = members.close
			}
			list = append(list, v)
		}
	}
	return list, func() error {
		var errs []error
		for _, members := range all {
			errs = append(errs, members.close()) // where the last kernel was not reached
		}
		return errors.Join(errs...)
	}, nil
}

func newTriple(elements int) triple {
	t := triple{make([]float64, elements), make([]float64, elements), make([]float64, elements)}
	for i := range t.a {
		t.a[i], t.b[i], t.c[i] = 1, 2, float64(i%8)
	}
	return t
}

// wrong counts wrong elements, looking at one of each page: all would cost as much as
// the replicate itself.
func (t *triple) wrong(is func(a, b, c float64) bool) (n int64) {
	for i := 0; i < len(t.a); i += 509 { // a prime near a page's 512, to see every place in a line
		if is(t.a[i], t.b[i], t.c[i]) {
			n++
		}
	}
	return n
}
