package live

import "golang.org/x/sys/unix"

// foreground reports whether this program may change the terminal f. A shell's
// background job that tries is stopped by the kernel, and with it the run.
func foreground(f any) bool {
	file, ok := f.(interface{ Fd() uintptr })
	if !ok {
		return false
	}
	group, err := unix.IoctlGetInt(int(file.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
