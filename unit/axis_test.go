package unit

import (
	"math"
	"testing"
)

func TestAxis(t *testing.T) {
	f := func(most float64, u Unit, divisor float64, suffix string) {
		t.Helper()
		if d, s := Axis(most, u); d != divisor || s != suffix {
			t.Errorf("Axis(%v, %s) = %v, %q, want %v, %q", most, u, d, s, divisor, suffix)
		}
	}
	f(0.25, Second, 1e-3, "ms")
	f(90, Second, 1, "s")
	f(2<<30, Byte, 1<<30, "GiB")
	f(500, TokenPerSecond, 1, "tok/s")
	f(0.3, Ratio, 1, "")
	f(math.Inf(1), Second, 1, "s")
	f(math.NaN(), Joule, 1, "J")
}
