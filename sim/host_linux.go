package sim

import (
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// hostMonotonic reads CLOCK_MONOTONIC.
func hostMonotonic() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		return 0 // cannot happen: the clock is always there
	}
	return ts.Nano()
}

// tightenTimer asks the kernel to wake the calling thread without the usual 50 µs
// of slack. A refusal only makes the spin longer.
func tightenTimer() { _ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) }

// A waker is a sleep that another goroutine can cut short. Go's own timers are
// no use here: an idle runtime rounds them up to a millisecond (golang/go#44343).
type waker struct{ fd int }

func newWaker() (*waker, error) {
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil, err
	}
	return &waker{fd}, nil
}

// wake ends the wait under way, or the next one if none is.
func (w *waker) wake() {
	one := [8]byte{1}
	_, _ = unix.Write(w.fd, one[:]) // fails only when it was called 2^64 times
}

// wait sleeps for d, or for ever when d is negative, and reports whether it was
// woken.
func (w *waker) wait(d time.Duration) (woken bool) {
	var limit *unix.Timespec
	if d >= 0 {
		ts := unix.NsecToTimespec(int64(d))
		limit = &ts
	}
	fds := []unix.PollFd{{Fd: int32(w.fd), Events: unix.POLLIN}}
	n, err := unix.Ppoll(fds, limit, nil)
	if err != nil || n == 0 {
		return false // an interrupted wait is an early one; the caller looks at the clock
	}
	var count [8]byte
	_, _ = unix.Read(w.fd, count[:])
	return true
}

func (w *waker) close() { _ = unix.Close(w.fd) }

// sendNow writes what the socket's buffer takes and never blocks.
//
// The system call is raw: telling the Go scheduler about it would let it give
// the sending thread's processor away whenever the loopback path takes more
// than 20 µs, and a token would then wait for the processor to come back.
func sendNow(fd uintptr, b []byte) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall6(unix.SYS_SENDTO, fd,
		uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)),
		unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), 0
}
