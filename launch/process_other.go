//go:build !linux

package launch

import "syscall"

// bound gives a child a process group of its own. Ending it with its parent needs
// Linux.
func bound() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// awaitEnd needs Linux: elsewhere what a rank left behind is only ended by Stop.
func awaitEnd(int) bool { return false }
