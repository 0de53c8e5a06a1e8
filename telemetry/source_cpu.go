package telemetry

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// CPU reads how the machine's processors spent their time, all of them
// together.
var CPU = Source{
	ID: "cpu", Name: "host", Doc: "processor time of the whole machine, from /proc/stat",
	Gauges: []Gauge{
		{"cpu.user.total", "s", "time in programs, nice ones included"},
		{"cpu.system.total", "s", "time in the kernel, interrupts included"},
		{"cpu.interrupts.total", "s", "the part of the kernel's time in interrupts, which belongs to no program"},
		{"cpu.idle.total", "s", "idle time"},
		{"cpu.iowait.total", "s", "idle time with a disk request under way"},
		{"cpu.steal.total", "s", "time the hypervisor gave to other machines"},
		{"context_switches.total", "1", "context switches"},
		{"processes.running", "1", "runnable threads"},
		{"processes.blocked", "1", "threads waiting for a disk"},
	},
	Open: func(h Host, _ Options) Reader {
		return func(context.Context) ([]Reading, error) { return readStat(h) }
	},
}

// userHZ is the unit of /proc/stat. The kernel fixes it at 100 for programs on
// every architecture Go runs on, whatever its own timer does.
const userHZ = 100

// cpuTimes is the first line of /proc/stat, in seconds.
type cpuTimes struct{ user, system, interrupts, idle, iowait, steal float64 } // system holds interrupts

func (t cpuTimes) total() float64 { return t.user + t.system + t.idle + t.iowait + t.steal }

func readCPUTimes(h Host) (cpuTimes, error) {
	text, err := h.text("proc/stat")
	if err != nil {
		return cpuTimes{}, err
	}
	return parseCPUTimes(text)
}

func parseCPUTimes(text string) (cpuTimes, error) {
	line, _, _ := strings.Cut(text, "\n")
	parts := strings.Fields(line)
	// cpu user nice system idle iowait irq softirq steal
	if len(parts) < 9 || parts[0] != "cpu" {
		return cpuTimes{}, fmt.Errorf("/proc/stat: got %.60q, want cpu and eight numbers", line)
	}
	var n [8]float64
	for i := range n {
		v, err := strconv.ParseFloat(parts[i+1], 64)
		if err != nil {
			return cpuTimes{}, fmt.Errorf("/proc/stat: got %q, want a number", parts[i+1])
		}
		n[i] = v / userHZ
	}
	return cpuTimes{user: n[0] + n[1], system: n[2] + n[5] + n[6], interrupts: n[5] + n[6], idle: n[3], iowait: n[4], steal: n[7]}, nil
}

func readStat(h Host) ([]Reading, error) {
	text, err := h.text("proc/stat")
	if err != nil {
		return nil, err
	}
	t, err := parseCPUTimes(text)
	if err != nil {
		return nil, err
	}
	values := valuesOf(text, " ", "ctxt", "procs_running", "procs_blocked")
	return []Reading{
		{Name: "cpu.user.total", Value: t.user},
		{Name: "cpu.system.total", Value: t.system},
		{Name: "cpu.interrupts.total", Value: t.interrupts},
		{Name: "cpu.idle.total", Value: t.idle},
		{Name: "cpu.iowait.total", Value: t.iowait},
		{Name: "cpu.steal.total", Value: t.steal},
		numbered("context_switches.total", "/proc/stat", values, "ctxt", 1),
		numbered("processes.running", "/proc/stat", values, "procs_running", 1),
		numbered("processes.blocked", "/proc/stat", values, "procs_blocked", 1),
	}, nil
}

// numbered reads one key of a file of keys and numbers, times a factor. The
// value may carry a unit behind a space, as in /proc/self/status.
func numbered(name, file string, values map[string]string, key string, factor float64) Reading {
	text, ok := values[key]
	if !ok {
		return Reading{Name: name, Missing: file + ": no " + key}
	}
	number, _, _ := strings.Cut(text, " ")
	v, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return Reading{Name: name, Missing: fmt.Sprintf("%s: %s: got %q, want a number", file, key, text)}
	}
	return Reading{Name: name, Value: v * factor}
}
