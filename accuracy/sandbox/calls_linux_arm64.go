package sandbox

import "golang.org/x/sys/unix"

// machine is how the kernel names this processor to a filter. A call that comes in by
// the door of another one, 32-bit programs among them, ends the process.
const machine = unix.AUDIT_ARCH_AARCH64

// callsOfOldPrograms is empty: arm64 came after them.
var callsOfOldPrograms []uintptr
