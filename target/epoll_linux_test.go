package target

import "testing"

// A read keeps the kernel's stamp when the clocks were compared anew since the last
// one, and loses it when the wall clock stepped.
func TestStampOf(t *testing.T) {
	const last, now = int64(1_000_000_000), int64(1_100_000_000)
	for _, c := range []struct {
		name   string
		wall   int64
		at     int64
		kernel bool
	}{
		{"between", last + 5, last + 5, true},
		{"none", 0, now, false},
		{"compared anew", last - 10, last, true},
		{"compared anew, read at once", now + 10, now, true},
		{"stepped back", last - 1_000_000, now, false},
		{"stepped forward", now + 1_000_000, now, false},
	} {
		at, kernel := (&loop{}).stampOf(c.wall, last, now)
		if at != c.at || kernel != c.kernel {
			t.Errorf("%s: stamped %d by the kernel: %t, want %d, %t", c.name, at-last, kernel, c.at-last, c.kernel)
		}
	}
}

// A comparison of the clocks that was interrupted does not spoil a good one, and a step
// is believed at once.
func TestSettle(t *testing.T) {
	for _, c := range []struct {
		name                   string
		known, low, high, want int64
	}{
		{"first", 0, 1000, 1040, 1020},
		{"the same again", 1020, 1000, 1040, 1020},
		{"interrupted", 1020, -4_000_000, 1040, 1020},
		{"the edge", 1040, 1000, 1040, 1040},
		{"stepped", 1020, 5_000_000, 5_000_040, 5_000_020},
	} {
		if got := settle(c.known, c.low, c.high); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
