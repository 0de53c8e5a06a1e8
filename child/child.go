// Package child ties the processes that assay starts to its own life: a server or a
// rank that outlived a dead run would spoil the next one.
//
// It starts nothing itself. What to start, and how to end it in good order, is known
// to packages target and launch.
package child

import "syscall"

// Apart gives a process a group of its own, so that an interrupt typed at the terminal
// reaches this program alone, which then ends the process in good order.
func Apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
