package doctor

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"assay/finding"
	"assay/unit"
)

var errNoPulse = errors.New("not measured: the host is a tree of files, and timers are measured on the running machine")

// A Pulse is how steadily this machine runs a process that does nothing else.
type Pulse struct {
	Overshoot time.Duration // median lateness of a 1 ms sleep
	Gap       time.Duration // longest time a busy thread was put aside
	Read      time.Duration // cost of reading the clock once
}

const (
	sleeps   = 50                     // enough for a steady median in 100 ms
	spin     = 200 * time.Millisecond // long enough to meet a scheduler's slice
	reads    = 20_000
	oneSleep = time.Millisecond
)

// Measure takes the pulse of this machine in about a third of a second.
func Measure(ctx context.Context) (Pulse, error) {
	runtime.LockOSThread() // the thread's gaps, not the goroutine's
	defer runtime.UnlockOSThread()
	var p Pulse
	late := make([]time.Duration, sleeps)
	for i := range late {
		if err := ctx.Err(); err != nil {
			return Pulse{}, err
		}
		start := time.Now()
		time.Sleep(oneSleep)
		late[i] = time.Since(start) - oneSleep
	}
	slices.Sort(late)
	p.Overshoot = late[len(late)/2]

	start := time.Now()
	end := start
	for range reads {
		end = time.Now()
	}
	p.Read = end.Sub(start) / reads

	start = time.Now()
	for last := start; last.Sub(start) < spin; {
		now := time.Now()
		p.Gap = max(p.Gap, now.Sub(last))
		last = now
	}
	return p, ctx.Err()
}

// SleepOvershoot asks how late sleepers wake. An idle Linux host adds the timer
// slack and Go's millisecond polling: about 1 ms. Twice that is trouble.
var SleepOvershoot = Check{
	ID:    "sleep-overshoot",
	Asks:  "does a sleeping thread wake within 2 ms of its time",
	Worst: finding.Caution,
	Why:   "a load generator that wakes late sends late, and the lag is counted as the server's",
	Fix:   "free the processors of other work; on a virtual machine ask for dedicated ones",
	Run:   pulseCheck(func(p Pulse) time.Duration { return p.Overshoot }, 2*time.Millisecond, "the median sleep of 1 ms ended %s late"),
}

// Hiccups asks for the longest gap in a busy loop. Ten milliseconds is what a
// late call may be late before it counts as delayed by the client.
var Hiccups = Check{
	ID:    "hiccups",
	Asks:  "does a busy thread keep its processor, with gaps below 10 ms",
	Worst: finding.Caution,
	Why:   "a gap stops every stream at once and appears in the tail of all of them",
	Fix:   "free the processors of other work, or pin assay to processors of its own (taskset, cpuset)",
	Run:   pulseCheck(func(p Pulse) time.Duration { return p.Gap }, 10*time.Millisecond, "a busy thread was put aside for %s"),
}

// ClockCost asks what reading the clock costs. Through the vDSO it is some tens
// of nanoseconds; above a microsecond the read is a trapped system call.
var ClockCost = Check{
	ID:    "clock-cost",
	Asks:  "does reading the clock cost less than 1 µs",
	Worst: finding.Caution,
	Why:   "every chunk of every stream is stamped; a slow clock slows the reader and blurs the gaps it measures",
	Fix:   "use the tsc clock source (see clock-source)",
	Run:   pulseCheck(func(p Pulse) time.Duration { return p.Read }, time.Microsecond, "reading the clock costs %s"),
}

func pulseCheck(part func(Pulse) time.Duration, limit time.Duration, message string) func(context.Context, Subject) Answer {
	return func(_ context.Context, s Subject) Answer {
		if s.NoPulse != nil {
			return unchecked(s.NoPulse)
		}
		got := part(s.Pulse)
		if got < limit {
			return passed
		}
		figure := unit.Format(got.Seconds(), unit.Second)
		return found(finding.Caution, "%s; want less than %s", fmt.Sprintf(message, figure), unit.Format(limit.Seconds(), unit.Second))
	}
}
