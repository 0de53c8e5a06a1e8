package target

import (
	"time"

	"golang.org/x/sys/unix"
)

// stampsWithin is how long the kernel is given to begin to stamp. It takes well
// below a millisecond unless every processor is busy.
const stampsWithin = time.Second

// keepStamping returns a socket that asks for stamps, -1 if there can be none. The
// kernel stops to stamp when no socket is left that asks, and it begins some time after
// the first one does: without the wait the first answers of a client had no stamp.
func keepStamping() int {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return -1 // stamps are taken after the read then, and records say so
	}
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1)
	if unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}) != nil {
		return fd
	}
	self, err := unix.Getsockname(fd)
	for end := time.Now().Add(stampsWithin); err == nil && time.Now().Before(end); {
		var stamped bool
		if stamped, err = sendsStamped(fd, self); stamped {
			break
		}
		time.Sleep(100 * time.Microsecond)
	}
	return fd
}

// sendsStamped sends a datagram from a socket to itself and reports whether the kernel
// stamped it.
func sendsStamped(fd int, self unix.Sockaddr) (bool, error) {
	if err := unix.Sendto(fd, []byte{0}, unix.MSG_DONTWAIT, self); err != nil {
		return false, err
	}
	var data [1]byte
	var control [64]byte
	_, n, _, _, err := unix.Recvmsg(fd, data[:], control[:], unix.MSG_DONTWAIT)
	return n > 0, err
}
