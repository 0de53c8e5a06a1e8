package worker

import (
	"net"

	"golang.org/x/sys/unix"
)

// cut says whether bytes that were sent on a TCP connection are still not
// acknowledged. The kernel of a process that hangs acknowledges; that of a host
// behind a broken link cannot.
func cut(conn net.Conn) bool {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return false
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return false
	}
	var open uint32
	_ = raw.Control(func(fd uintptr) {
		if info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO); err == nil {
			open = info.Unacked
		}
	})
	return open > 0
}
