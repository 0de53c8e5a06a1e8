//go:build !linux

package child

import "syscall"

// Bound gives a process a group of its own, so that its children can be ended with
// it. Only Linux also ends it when we are killed: elsewhere it stays.
func Bound() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
