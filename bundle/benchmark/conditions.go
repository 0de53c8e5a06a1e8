package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// conditions says under what the figures were taken.
func conditions(dir string) string {
	return fmt.Sprintf("%s, %s %s, GOMAXPROCS=%d, CPU %s, load %s, %s, files under %s",
		time.Now().UTC().Format(time.RFC3339), runtime.Version(), runtime.GOARCH, runtime.GOMAXPROCS(0),
		field("/proc/cpuinfo", "model name"), firstWords("/proc/loadavg", 3), "kernel "+firstWords("/proc/sys/kernel/osrelease", 1), dir)
}

// field returns the first value of name in a file of "name : value" lines.
func field(path, name string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

func firstWords(path string, n int) string {
	text, err := os.ReadFile(path)
	words := strings.Fields(string(text))
	if err != nil || len(words) < n {
		return "unknown"
	}
	return strings.Join(words[:n], " ")
}

// cpuTime is the user and system time of this process.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peakMemory is the largest resident size this process has had, in bytes.
func peakMemory() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return u.Maxrss << 10 // Linux counts in KiB
}
