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
