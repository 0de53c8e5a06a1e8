package collective

import (
	"net"

	"golang.org/x/sys/unix"
)

// setLowWater tells the kernel how many bytes make a connection readable. One that
// does not listen wakes the reader sooner, which is slower and not wrong.
func setLowWater(conn *net.TCPConn, bytes int) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { _ = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVLOWAT, bytes) })
}
