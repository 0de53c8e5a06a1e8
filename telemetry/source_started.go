package telemetry

import (
	"context"
	"errors"
	"io/fs"
	"strings"
)

// Started reads what the programs that this process started use, with all that they
// started themselves: servers, commands and ranks. What the host used beyond them and
// this process is the work of others.
var Started = Source{
	ID: "started", Name: "started", Doc: "the programs that the measuring process started, from /proc",
	Gauges: []Gauge{{"cpu.total", "s", "processor time of those that run and of those that have ended"}},
	Open: func(h Host, _ Options) Reader {
		var most float64
		return func(context.Context) ([]Reading, error) {
			spent, err := readStarted(h)
			if err != nil {
				return nil, err
			}
			most = max(most, spent) // one that ends while it is read must not make the sum fall
			return []Reading{{Name: "cpu.total", Value: most}}, nil
		}
	},
}

// mostStarted bounds the programs that are looked at: a server has some dozens.
const mostStarted = 4096

// readStarted sums up the time of every descendant. A program that has ended is in the
// account of the one that waited for it, so that nothing needs to be remembered. One
// that was orphaned is found no more: it belongs to the host from then on.
func readStarted(h Host) (seconds float64, err error) {
	own, err := readTimes(h, "self")
	if err != nil {
		return 0, err
	}
	seconds = own.ended
	below, err := childrenOf(h, "self")
	if err != nil {
		return 0, err
	}
	for i := 0; i < len(below) && i < mostStarted; i++ {
		times, timesErr := readTimes(h, below[i])
		more, moreErr := childrenOf(h, below[i])
		if err := errors.Join(timesErr, moreErr); err != nil {
			if !h.exists("proc/" + below[i]) {
				continue // it ended meanwhile
			}
			return 0, err
		}
		seconds += times.user + times.system + times.ended
		below = append(below, more...)
	}
	return seconds, nil
}

// childrenOf lists the processes that the threads of a process started. Walking down
// from here is cheap; reading every process of the host is not.
func childrenOf(h Host, process string) ([]string, error) {
	if h.Files == nil {
		return nil, errNotAsked
	}
	folder := "proc/" + process + "/task"
	threads, err := fs.ReadDir(h.Files, folder)
	if err != nil {
		return nil, plainError(folder, err)
	}
	var list []string
	for _, thread := range threads {
		text, err := h.text(folder + "/" + thread.Name() + "/children")
		if err != nil {
			if !h.exists(folder + "/" + thread.Name()) {
				continue // it ended meanwhile
			}
			return nil, err
		}
		list = append(list, strings.Fields(text)...)
	}
	return list, nil
}
