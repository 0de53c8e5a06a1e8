package run

import (
	"encoding/json"
	"fmt"
	"net/url"
	"runtime"
	"slices"
	"time"

	"assay/record"
	"assay/spec"
	"assay/target"
)

// awake decides whether the threads that read answers wait awake for them. A sleeping
// thread takes some tens of microseconds to wake, which a user's next request then waits
// for; a waiting one takes a processor for itself, and must never take it from the
// target. The decision holds for the whole run, so that its launches are alike.
func (e *execution) awake() (spin bool, why string) {
	if e.waiting == nil {
		spin, why := decideAwake(e.plan.Load().ReaderWait, e.conn.client, idleProcessors(idleLook))
		e.waiting = &waiting{spin, why}
	}
	return e.waiting.spin, e.waiting.why
}

// A waiting is how the reading threads wait, and why so.
type waiting struct {
	spin bool
	why  string
}

// idleLook is how long the processors are looked at before the first launch.
const idleLook = 100 * time.Millisecond

// spareProcessors are those that decoding, recording and sampling need beside the
// reading threads.
const spareProcessors = 2

// decideAwake takes how many of the processors that the client may use are idle.
func decideAwake(asked string, cfg target.Config, idle idleness) (bool, string) {
	needed := cfg.ReaderCount() + spareProcessors
	switch {
	case asked == spec.WaitSpin:
		return true, "load.readerWait"
	case asked == spec.WaitSleep:
		return false, "load.readerWait"
	case !idle.known:
		return false, "how busy this host is cannot be read"
	case !idle.pinned && (cfg.Program != nil || slices.ContainsFunc(cfg.URLs, onThisHost)):
		return false, "the target is on this host, and the client has no processors of its own"
	case idle.processors < float64(needed):
		return false, fmt.Sprintf("%.1f processors are idle, and %d are needed", idle.processors, needed)
	}
	return true, fmt.Sprintf("%.1f processors are idle", idle.processors)
}

func onThisHost(raw string) bool {
	u, err := url.Parse(raw)
	return err != nil || loopback(u.Hostname())
}

// idleness is how much of the processors that the client may use nobody used.
type idleness struct {
	known      bool
	processors float64
	pinned     bool // the host has others, which the client may not use
}

// tellReaders records how answers are read in a launch.
func (l *activeLaunch) tellReaders(spin bool, why string) error {
	detail, err := json.Marshal(record.Reading{Readers: l.client.Readers(), Spin: spin, Why: why, Processors: runtime.NumCPU()})
	if err != nil {
		return err
	}
	return l.out.Events.Append(record.Event{At: l.clock.Now(), Name: record.ClientReading, Point: -1, Detail: string(detail)})
}
