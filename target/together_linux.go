package target

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// segmentCount tells whether the bytes of a read reached this host in one packet. The
// kernel stamps the last packet of a read alone: of two events that it held at once, the
// first has a stamp that is too late by up to their distance, unless the server sent
// both together. The kernel counts the packets with data of a connection, and a read
// takes one of them, as a rule.
type segmentCount struct {
	total uint32 // when it was asked last
	reads uint32 // since then
}

// sentTogether reports whether all that the read under way brought came in one packet.
// It asks the kernel, once for each read at most and only where it matters.
func (c *conn) sentTogether() bool {
	l := c.loop
	if !l.asked {
		l.asked, l.single = true, l.oneSegment(c)
	}
	return l.single
}

// oneSegment is false where the kernel cannot tell: more packets may have come since.
func (l *loop) oneSegment(c *conn) bool {
	total, ok := l.segments(c.fd)
	unread := int32(-1)
	if ok {
		_, _, errno := syscall.RawSyscall(unix.SYS_IOCTL, uintptr(c.fd), unix.SIOCINQ, uintptr(unsafe.Pointer(&unread)))
		ok = errno == 0 && unread == 0
	}
	if !ok {
		return false
	}
	came := total - c.segments.total - (c.segments.reads - 1)
	c.segments = segmentCount{total: total}
	return came == 1
}

// segments is how many packets with data have come on a connection.
func (l *loop) segments(fd int) (uint32, bool) {
	size := uint32(unsafe.Sizeof(l.info))
	_, _, errno := syscall.RawSyscall6(unix.SYS_GETSOCKOPT, uintptr(fd), unix.SOL_TCP, unix.TCP_INFO,
		uintptr(unsafe.Pointer(&l.info)), uintptr(unsafe.Pointer(&size)), 0)
	return l.info.Data_segs_in, errno == 0 && size >= uint32(unsafe.Offsetof(l.info.Data_segs_in)+unsafe.Sizeof(l.info.Data_segs_in))
}
