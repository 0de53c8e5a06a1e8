package child

import "syscall"

// Bound gives a process a group of its own, so that its children can be ended with
// it, and has the kernel kill it when the thread that started it ends. That thread
// must therefore live as long as the process.
func Bound() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
