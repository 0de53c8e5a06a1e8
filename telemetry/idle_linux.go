package telemetry

import (
	"bufio"
	"bytes"
	"os"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// IdleProcessors looks for d at the processors that this process may use.
func IdleProcessors(d time.Duration) Idleness {
	var mine unix.CPUSet
	if err := unix.SchedGetaffinity(0, &mine); err != nil {
		return Idleness{}
	}
	before, err := os.ReadFile("/proc/stat")
	if err != nil {
		return Idleness{}
	}
	time.Sleep(d)
	after, err := os.ReadFile("/proc/stat")
	if err != nil {
		return Idleness{}
	}
	begun, ended := idleTicks(before), idleTicks(after)
	idle := Idleness{Known: len(ended) > 0, Pinned: runtime.NumCPU() < len(ended)}
	for cpu, ticks := range ended {
		if mine.IsSet(cpu) {
			idle.Processors += float64(ticks-begun[cpu]) / ticksPerSecond / d.Seconds()
		}
	}
	return idle
}

// ticksPerSecond is the unit of /proc/stat, which Linux has fixed for programs.
const ticksPerSecond = 100

// idleTicks reads how long each processor was idle, from a text such as /proc/stat.
func idleTicks(stat []byte) map[int]int64 {
	ticks := map[int]int64{}
	for lines := bufio.NewScanner(bytes.NewReader(stat)); lines.Scan(); {
		fields := bytes.Fields(lines.Bytes())
		if len(fields) < 5 {
			continue
		}
		number, isProcessor := bytes.CutPrefix(fields[0], []byte("cpu"))
		cpu, err := strconv.Atoi(string(number))
		if !isProcessor || err != nil {
			continue // the sum of all, and what is no processor
		}
		if ticks[cpu], err = strconv.ParseInt(string(fields[4]), 10, 64); err != nil {
			delete(ticks, cpu)
		}
	}
	return ticks
}
