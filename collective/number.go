package collective

import (
	"fmt"
	"math"
	"unsafe"
)

// A Type is the type of the elements of a buffer.
type Type struct {
	Name  string
	bytes int
	// add puts a + b into to. All three have the same length, a whole number of
	// elements; to may be a or b.
	add func(to, a, b []byte)
	// put writes a small whole number.
	put func(to []byte, value int)
}

// Bytes is the size of an element.
func (t Type) Bytes() int { return t.bytes }

// Types lists the types of elements.
var Types = []Type{
	{"float32", 4, add[float32], put[float32]},
	{"float64", 8, add[float64], put[float64]},
	{"int32", 4, add[int32], put[int32]},
	{"uint8", 1, add[uint8], put[uint8]},
	{"bfloat16", 2, addBrain, func(to []byte, v int) { put16(to, toBrain(float32(v))) }},
	{"float16", 2, addHalf, func(to []byte, v int) { put16(to, toHalf(float32(v))) }},
}

// TypeOf finds a type by its name.
func TypeOf(name string) (Type, error) {
	for _, t := range Types {
		if t.Name == name {
			return t, nil
		}
	}
	return Type{}, fmt.Errorf("no type of elements is called %q", name)
}

type number interface {
	float32 | float64 | int32 | uint8
}

// view is b as elements. Buffers begin where elements begin, and machines that this
// runs on read elements at any address.
func view[T any](b []byte) []T {
	var one T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(one)))
}

// add is written out four times: the compiler does not unroll, and one element a
// turn is half as fast.
func add[T number](to, a, b []byte) {
	x, y := view[T](a), view[T](b)
	z := view[T](to)[:len(x)]
	y = y[:len(x)]
	for len(x) >= 4 && len(y) >= 4 && len(z) >= 4 {
		z[0] = x[0] + y[0]
		z[1] = x[1] + y[1]
		z[2] = x[2] + y[2]
		z[3] = x[3] + y[3]
		x, y, z = x[4:], y[4:], z[4:]
	}
	for i := range x {
		z[i] = x[i] + y[i]
	}
}

func put[T number](to []byte, value int) { view[T](to)[0] = T(value) }

func put16(to []byte, bits uint16) { view[uint16](to)[0] = bits }

func addBrain(to, a, b []byte) {
	x, y, z := view[uint16](a), view[uint16](b), view[uint16](to)
	y, z = y[:len(x)], z[:len(x)]
	for i := range x {
		z[i] = toBrain(fromBrain(x[i]) + fromBrain(y[i]))
	}
}

func addHalf(to, a, b []byte) {
	x, y, z := view[uint16](a), view[uint16](b), view[uint16](to)
	y, z = y[:len(x)], z[:len(x)]
	for i := range x {
		z[i] = toHalf(fromHalf(x[i]) + fromHalf(y[i]))
	}
}

// A bfloat16 is the upper half of a float32.
func fromBrain(bits uint16) float32 { return math.Float32frombits(uint32(bits) << 16) }

// toBrain rounds to the nearest, ties to even.
func toBrain(f float32) uint16 {
	bits := math.Float32bits(f)
	if f != f {
		return uint16(bits>>16) | 0x40 // stays a NaN
	}
	return uint16((bits + 0x7fff + bits>>16&1) >> 16)
}

// fromHalf widens an IEEE 754 binary16.
func fromHalf(bits uint16) float32 {
	sign := uint32(bits&0x8000) << 16
	rest := uint32(bits & 0x7fff)
	switch {
	case rest >= 0x7c00: // infinity or not a number
		return math.Float32frombits(sign | 0x7f800000 | (rest&0x3ff)<<13)
	case rest >= 0x0400:
		return math.Float32frombits(sign | (rest<<13 + 112<<23)) // exponents differ by 127-15
	}
	small := float32(rest) * (1.0 / (1 << 24)) // zero or subnormal: exact
	return math.Float32frombits(math.Float32bits(small) | sign)
}

// toHalf rounds to the nearest binary16, ties to even.
func toHalf(f float32) uint16 {
	bits := math.Float32bits(f)
	sign := uint16(bits >> 16 & 0x8000)
	rest := bits & 0x7fffffff
	switch {
	case rest > 0x7f800000:
		return sign | 0x7e00
	case rest >= 0x477ff000: // what rounds to 65520 or more
		return sign | 0x7c00
	case rest >= 0x38800000: // normal
		return sign | uint16((rest-112<<23+0xfff+rest>>13&1)>>13)
	}
	// Adding this number leaves the subnormal's bits at the end, rounded by the machine.
	const shift = 0.5
	return sign | uint16(math.Float32bits(math.Float32frombits(rest)+shift)-math.Float32bits(shift))
}
