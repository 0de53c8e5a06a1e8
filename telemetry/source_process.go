package telemetry

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
)

// Process reads what this process, the load generator, uses.
var Process = Source{
	ID: "process", Name: "client", Doc: "the measuring process, from /proc/self",
	Gauges: []Gauge{
		{"cpu.user.total", "s", "processor time in the program"},
		{"cpu.system.total", "s", "processor time in the kernel"},
		{"memory.resident", "B", "memory held"},
		{"threads", "1", "operating system threads"},
		{"switches.voluntary.total", "1", "times the main thread gave way by itself"},
		{"switches.involuntary.total", "1", "times the main thread was put aside"},
		{"runqueue.wait.total", "s", "time the main thread was runnable and not running"},
		{"files.open", "1", "open file descriptors"},
	},
	Open: func(h Host, _ Options) Reader {
		return func(context.Context) ([]Reading, error) { return readProcess(h) }
	},
}

func readProcess(h Host) ([]Reading, error) {
	times, err := readTimes(h, "self")
	if err != nil {
		return nil, err
	}
	text, err := h.text("proc/self/status")
	if err != nil {
		return nil, err
	}
	values := valuesOf(text, ":", "VmRSS", "Threads", "voluntary_ctxt_switches", "nonvoluntary_ctxt_switches")
	const file = "/proc/self/status"
	return []Reading{
		{Name: "cpu.user.total", Value: times.user},
		{Name: "cpu.system.total", Value: times.system},
		numbered("memory.resident", file, values, "VmRSS", 1024),
		numbered("threads", file, values, "Threads", 1),
		numbered("switches.voluntary.total", file, values, "voluntary_ctxt_switches", 1),
		numbered("switches.involuntary.total", file, values, "nonvoluntary_ctxt_switches", 1),
		readRunQueue(h),
		readOpenFiles(h),
	}, nil
}

// processTimes is the processor time of a process, in seconds.
type processTimes struct {
	user, system float64
	ended        float64 // of the children that it waited for, and theirs
}

// readTimes reads fields 14 to 17 of a process's stat, counted from behind the
// program's name, which may hold spaces and brackets.
func readTimes(h Host, process string) (processTimes, error) {
	name := "proc/" + process + "/stat"
	text, err := h.text(name)
	if err != nil {
		return processTimes{}, err
	}
	end := strings.LastIndex(text, ")")
	if end < 0 {
		return processTimes{}, fmt.Errorf("/%s: got %.60q, want a name in brackets", name, text)
	}
	const first = 11 // of the four, behind the name
	parts := strings.Fields(text[end+1:])
	if len(parts) < first+4 {
		return processTimes{}, fmt.Errorf("/%s: got %d fields behind the name, want at least %d", name, len(parts), first+4)
	}
	n, err := numbers(strings.Join(parts[first:first+4], " "), 4)
	if err != nil {
		return processTimes{}, fmt.Errorf("/%s: %w", name, err)
	}
	return processTimes{user: n[0] / userHZ, system: n[1] / userHZ, ended: (n[2] + n[3]) / userHZ}, nil
}

// readRunQueue reads the second number of schedstat, in nanoseconds. Go's own
// scheduling histogram does not see this wait.
func readRunQueue(h Host) Reading {
	r := Reading{Name: "runqueue.wait.total"}
	text, err := h.text("proc/self/schedstat")
	if err != nil {
		r.Missing = err.Error()
		return r
	}
	n, err := numbers(text, 2)
	if err != nil {
		r.Missing = "/proc/self/schedstat: " + err.Error()
		return r
	}
	r.Value = n[1] / 1e9
	return r
}

func readOpenFiles(h Host) Reading {
	r := Reading{Name: "files.open"}
	entries, err := fs.ReadDir(h.Files, "proc/self/fd")
	if err != nil {
		r.Missing = plainError("proc/self/fd", err).Error()
		return r
	}
	r.Value = float64(len(entries))
	return r
}
