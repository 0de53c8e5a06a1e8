package target

import (
	"testing"

	"golang.org/x/sys/unix"
)

// The kernel stamps as soon as keepStamping returns, also where no socket asked before.
func TestKeepStamping(t *testing.T) {
	for range 200 {
		keeper := keepStamping()
		if keeper < 0 {
			t.Skip("no sockets here")
		}
		self, err := unix.Getsockname(keeper)
		if err != nil {
			t.Fatal(err)
		}
		stamped, err := sendsStamped(keeper, self)
		if err != nil || !stamped {
			t.Fatalf("not stamped (%v)", err)
		}
		unix.Close(keeper)
	}
}
