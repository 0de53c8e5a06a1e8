package collective

import (
	"math"
	"testing"
)

// TestHalf goes through every number that a half has, and holds rounding against the
// definition: the nearer neighbour, and of two the one whose last bit is zero.
func TestHalf(t *testing.T) {
	value := func(bits uint16) float64 {
		sign := 1 - 2*float64(bits>>15)
		exponent, fraction := int(bits>>10&31), float64(bits&1023)/1024
		if exponent == 0 {
			return sign * math.Ldexp(fraction, -14)
		}
		return sign * math.Ldexp(1+fraction, exponent-15)
	}
	for bits := range uint16(0x7c00) {
		for _, b := range []uint16{bits, bits | 0x8000} {
			if got, want := float64(fromHalf(b)), value(b); got != want {
				t.Fatalf("fromHalf(%#04x) = %v, want %v", b, got, want)
			}
			if got := toHalf(fromHalf(b)); got != b {
				t.Fatalf("toHalf(%v) = %#04x, want %#04x", fromHalf(b), got, b)
			}
		}
		if bits == 0x7bff {
			continue
		}
		low, high := value(bits), value(bits+1)
		middle := float32((low + high) / 2) // has one bit more than a half: exact
		even := bits + bits&1
		for _, tt := range []struct {
			f    float32
			want uint16
		}{{middle, even}, {math.Nextafter32(middle, 0), bits}, {math.Nextafter32(middle, 1e6), bits + 1}} {
			if got := toHalf(tt.f); got != tt.want {
				t.Fatalf("toHalf(%v) = %#04x, want %#04x", tt.f, got, tt.want)
			}
		}
	}
}

func TestSpecialNumbers(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	if toHalf(inf) != 0x7c00 || toHalf(-inf) != 0xfc00 || toHalf(65519) != 0x7bff || toHalf(65520) != 0x7c00 || toHalf(1e30) != 0x7c00 {
		t.Error("halves: infinities and what rounds to them")
	}
	if f := fromHalf(toHalf(nan)); f == f {
		t.Errorf("a half that is no number became %v", f)
	}
	if f := fromBrain(toBrain(nan)); f == f {
		t.Errorf("a bfloat16 that is no number became %v", f)
	}
	if fromBrain(toBrain(inf)) != inf || fromBrain(toBrain(-3.5)) != -3.5 {
		t.Error("bfloat16: infinity or a plain number changed")
	}
	// 1 + 2^-8 lies in the middle of two and goes to the even one; a bit more goes up.
	if toBrain(1+1./256) != 0x3f80 || toBrain(math.Nextafter32(1+1./256, 2)) != 0x3f81 || toBrain(1+3./256) != 0x3f82 {
		t.Error("bfloat16: rounding is not to the nearest, ties to even")
	}
}

func TestSizes(t *testing.T) {
	float, half := Types[0], Types[4]
	for _, tt := range []struct {
		kind        string
		ranks       int
		t           Type
		asked       int64
		count       int
		bytes       int64
		send0, recv int // of rank 0
	}{
		{AllReduce, 3, float, 1000, 250, 1000, 1000, 1000},
		{AllReduce, 3, float, 1002, 250, 1000, 1000, 1000},
		{AllReduce, 3, float, 1, 1, 4, 4, 4},
		{AllGather, 3, float, 1000, 80, 960, 320, 960},
		{ReduceScatter, 3, half, 1000, 160, 960, 960, 320},
		{AllToAll, 2, float, 64, 8, 64, 64, 64},
		{AllGather, 8, float, 32, 4, 128, 16, 128}, // nccl-tests would measure nothing
		{Gather, 4, float, 64, 4, 64, 16, 64},
		{Scatter, 4, float, 64, 4, 64, 64, 16},
		{Broadcast, 4, float, 64, 16, 64, 64, 64},
		{Barrier, 4, float, 64, 0, 0, 0, 0},
	} {
		count := Count(tt.kind, tt.ranks, tt.t, tt.asked)
		bytes := Size(tt.kind, tt.ranks, count*tt.t.Bytes())
		send, recv := Lengths(tt.kind, 0, tt.ranks, count*tt.t.Bytes())
		if count != tt.count || bytes != tt.bytes || send != tt.send0 || recv != tt.recv {
			t.Errorf("%s of %d ranks, %d bytes: count %d, bytes %d, buffers %d and %d, want %d, %d, %d and %d",
				tt.kind, tt.ranks, tt.asked, count, bytes, send, recv, tt.count, tt.bytes, tt.send0, tt.recv)
		}
	}
}
