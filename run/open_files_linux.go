package run

import (
	"math"
	"syscall"
)

// openFiles is how many files this process may open. The runtime of Go has raised the limit
// to what the system allows when the program began.
func openFiles() int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return math.MaxInt
	}
	return int(min(limit.Cur, math.MaxInt32))
}
