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
	out, err := readProcessTimes(h)
	if err != nil {
		return nil, err
	}
	text, err := h.text("proc/self/status")
	if err != nil {
		return nil, err
	}
	values := valuesOf(text, ":", "VmRSS", "Threads", "voluntary_ctxt_switches", "nonvoluntary_ctxt_switches")
	const file = "/proc/self/status"
	return append(out,
		numbered("memory.resident", file, values, "VmRSS", 1024),
		numbered("threads", file, values, "Threads", 1),
		numbered("switches.voluntary.total", file, values, "voluntary_ctxt_switches", 1),
		numbered("switches.involuntary.total", file, values, "nonvoluntary_ctxt_switches", 1),
		readRunQueue(h),
		readOpenFiles(h),
	), nil
}

// readProcessTimes reads fields 14 and 15 of /proc/self/stat, counted from
// behind the program's name, which may hold spaces and brackets.
func readProcessTimes(h Host) ([]Reading, error) {
	text, err := h.text("proc/self/stat")
	if err != nil {
		return nil, err
	}
	end := strings.LastIndex(text, ")")
	if end < 0 {
		return nil, fmt.Errorf("/proc/self/stat: got %.60q, want a name in brackets", text)
	}
	parts := strings.Fields(text[end+1:])
	if len(parts) < 13 {
		return nil, fmt.Errorf("/proc/self/stat: got %d fields behind the name, want at least 13", len(parts))
	}
	n, err := numbers(strings.Join(parts[11:13], " "), 2)
	if err != nil {
		return nil, fmt.Errorf("/proc/self/stat: %w", err)
	}
	return []Reading{
		{Name: "cpu.user.total", Value: n[0] / userHZ},
		{Name: "cpu.system.total", Value: n[1] / userHZ},
	}, nil
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
