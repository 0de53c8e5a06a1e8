package telemetry

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"assay/record"
)

var cacheSection = section{
	names: []string{"cpu.caches"},
	read:  readCaches,
}

// readCaches lists the caches of the first processor that hold data, as
// "L2 2097152": their level and their bytes.
func readCaches(_ context.Context, h Host, env record.Environment) error {
	folders, err := h.glob("sys/devices/system/cpu/cpu0/cache/index*")
	if err != nil {
		return err
	}
	list := []string{}
	for _, f := range folders {
		kind, err := h.text(f + "/type")
		if err != nil {
			return err
		}
		if kind == "Instruction" {
			continue
		}
		level, err := h.text(f + "/level")
		if err != nil {
			return err
		}
		size, err := h.text(f + "/size")
		if err != nil {
			return err
		}
		// The kernel writes 2048K and means KiB.
		kib, err := strconv.ParseInt(strings.TrimSuffix(size, "K"), 10, 64)
		if err != nil {
			return fmt.Errorf("/%s/size: got %q, want a number and K", f, size)
		}
		list = append(list, fmt.Sprintf("L%s %d", level, kib<<10))
	}
	env.Set("cpu.caches", list)
	return nil
}
