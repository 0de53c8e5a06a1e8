//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// watchEvery is short beside the time it takes to fill the memory of a machine, and long
// beside most programs, which are then never looked at.
const watchEvery = 100 * time.Millisecond

// watchMemory calls over when all processes below pid together hold more than most bytes
// of their own. The kernel limits each; a sum it limits only in a control group, which an
// ordinary user may not make.
func watchMemory(ctx context.Context, pid int, most int64, over func()) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if memoryBelow(pid, maxWatched) > most {
				over()
				return
			}
		}
	}
}

// maxWatched bounds a look at processes that come and go meanwhile. Limits.Processes is
// far below it.
const maxWatched = 10_000

// memoryBelow sums what the descendants of a process hold. Those that end while it looks
// hold nothing.
func memoryBelow(pid, most int) int64 {
	var sum int64
	waiting := children(pid)
	for seen := 0; len(waiting) > 0 && seen < most; seen++ {
		next := waiting[0]
		waiting = append(waiting[1:], children(next)...)
		sum += anonymous(next)
	}
	return sum
}

// children asks every thread of a process, since each has its own.
func children(pid int) []int {
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return nil
	}
	var all []int
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			continue
		}
		for field := range strings.FieldsSeq(string(text)) {
			if child, err := strconv.Atoi(field); err == nil {
				all = append(all, child)
			}
		}
	}
	return all
}

// anonymous is what a process has in memory and no file holds: the second field of
// statm without the third, in pages.
func anonymous(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	var size, resident, shared int64
	if _, err := fmt.Sscan(string(text), &size, &resident, &shared); err != nil {
		return 0
	}
	return (resident - shared) * int64(os.Getpagesize())
}
