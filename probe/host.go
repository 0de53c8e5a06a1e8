package probe

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"assay/unit"
)

// lastLevel is the size of the largest cache that the kernel states; zero when it
// states none.
func lastLevel() (most int64) {
	files, _ := filepath.Glob("/sys/devices/system/cpu/cpu0/cache/index*/size")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		// The kernel writes 2048K and means KiB.
		if size, err := unit.ParseBytes(strings.Replace(strings.TrimSpace(string(text)), "K", "KiB", 1)); err == nil {
			most = max(most, int64(size))
		}
	}
	return most
}

// freeMemory is what the kernel says can be had without swapping; zero when it does
// not say.
func freeMemory() int64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "MemAvailable:" {
			kib, _ := strconv.ParseInt(fields[1], 10, 64)
			return kib << 10
		}
	}
	return 0
}
