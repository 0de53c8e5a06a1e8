package launch

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// bound gives a child a process group of its own and ends it when its parent ends.
func bound() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// awaitEnd waits until a child has ended and leaves it to be reaped; false means that
// this cannot be had.
func awaitEnd(pid int) bool {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}
