package telemetry

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Disks reads what the machine's disks did, scoped by device. Volumes that are made of
// disks are left out: what they do is counted below them.
var Disks = Source{
	ID: "disks", Name: "host", Doc: "traffic of disks, from /proc/diskstats",
	Gauges: []Gauge{
		{"disk.read.total", "B", "bytes read from a disk"},
		{"disk.written.total", "B", "bytes written to a disk"},
		{"disk.requests.total", "1", "requests that a disk has completed"},
		{"disk.busy.total", "s", "time with a request under way"},
	},
	Open: func(h Host, _ Options) Reader {
		return func(context.Context) ([]Reading, error) { return readDisks(h) }
	},
}

func readDisks(h Host) ([]Reading, error) {
	text, err := h.text("proc/diskstats")
	if err != nil {
		return nil, err
	}
	var out []Reading
	for line := range strings.Lines(text) {
		words := strings.Fields(line) // two numbers, the name, then counters
		if len(words) < 3 || !h.exists("sys/class/block/"+words[2]+"/device") {
			continue // a partition, or a volume
		}
		// Reads, merged, sectors and milliseconds, the same of writes, requests under way,
		// milliseconds with any.
		n, err := numbers(strings.Join(words[3:], " "), 10)
		if err != nil {
			return nil, fmt.Errorf("/proc/diskstats: %s: %w", words[2], err)
		}
		const sector = 512 // whatever the disk's own is
		out = append(out,
			Reading{Name: "disk.read.total", Scope: words[2], Value: n[2] * sector},
			Reading{Name: "disk.written.total", Scope: words[2], Value: n[6] * sector},
			Reading{Name: "disk.requests.total", Scope: words[2], Value: n[0] + n[4]},
			Reading{Name: "disk.busy.total", Scope: words[2], Value: n[9] / 1000})
	}
	if len(out) == 0 {
		return nil, errors.New("/proc/diskstats: no disk")
	}
	return out, nil
}
