package telemetry

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
)

// Threads reads what the scheduler did to every thread of this process. The
// process's own files show its first thread alone, which in a Go program may
// not be one that measures.
var Threads = Source{
	ID: "threads", Name: "client", Doc: "all threads of the measuring process, from /proc/self/task",
	Gauges: []Gauge{
		{"threads.runqueue.total", "s", "time that threads were runnable and not running, together"},
		{"threads.involuntary.total", "1", "times that a thread was put aside"},
	},
	Open: func(h Host, _ Options) Reader {
		r := threadsReader{}
		return func(context.Context) ([]Reading, error) { return r.read(h) }
	},
}

// A threadsReader keeps the last counts of each thread: those of one that has
// ended stay in the sum, which must never fall.
type threadsReader map[string]threadCounts

type threadCounts struct{ runQueue, involuntary float64 }

const switchesKey = "nonvoluntary_ctxt_switches"

func (t threadsReader) read(h Host) ([]Reading, error) {
	if h.Files == nil {
		return nil, errNotAsked
	}
	entries, err := fs.ReadDir(h.Files, "proc/self/task")
	if err != nil {
		return nil, plainError("proc/self/task", err)
	}
	for _, e := range entries {
		folder := "proc/self/task/" + e.Name()
		wait, waitErr := h.text(folder + "/schedstat")
		status, statusErr := h.text(folder + "/status")
		if waitErr != nil || statusErr != nil {
			if !h.exists(folder) {
				continue // it ended between the two
			}
			return nil, errors.Join(waitErr, statusErr)
		}
		n, err := numbers(wait, 2)
		if err != nil {
			return nil, fmt.Errorf("/%s/schedstat: %w", folder, err)
		}
		switches, err := strconv.ParseFloat(valuesOf(status, ":", switchesKey)[switchesKey], 64)
		if err != nil {
			return nil, fmt.Errorf("/%s/status: %s: %w", folder, switchesKey, err)
		}
		t[e.Name()] = threadCounts{runQueue: n[1] / 1e9, involuntary: switches}
	}
	var all threadCounts
	for _, c := range t {
		all.runQueue += c.runQueue
		all.involuntary += c.involuntary
	}
	return []Reading{
		{Name: "threads.runqueue.total", Value: all.runQueue},
		{Name: "threads.involuntary.total", Value: all.involuntary},
	}, nil
}
