package run

import (
	"encoding/json"
	"fmt"
	"net/url"
	"runtime"
	"slices"
	"time"

	"assay/record"
	"assay/secret"
	"assay/spec"
	"assay/target"
	"assay/telemetry"
)

// awake decides whether the threads that read answers wait awake for them. A sleeping
// thread takes some tens of microseconds to wake, which a user's next request then waits
// for; a waiting one takes a processor for itself, and must never take it from the
// target. The decision holds for the whole run, so that its launches are alike.
func (e *execution) awake() (spin bool, why string) {
	if e.waiting == nil {
		spin, why := decideAwake(e.plan.Load().ReaderWait, e.conn.client, telemetry.IdleProcessors(idleLook))
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

// idleNoise is what an idle host does all the time.
const idleNoise = .5

// decideAwake takes how many of the processors that the client may use are idle.
func decideAwake(asked string, cfg target.Config, idle telemetry.Idleness) (bool, string) {
	needed := cfg.ReaderCount() + spareProcessors
	switch {
	case asked == spec.WaitSpin:
		return true, "load.readerWait"
	case asked == spec.WaitSleep:
		return false, "load.readerWait"
	case !idle.Known:
		return false, "how busy this host is cannot be read"
	case !idle.Pinned && (cfg.Program != nil || slices.ContainsFunc(cfg.URLs, onThisHost)):
		return false, "the target is on this host, and the client has no processors of its own"
	case idle.Processors < float64(needed)-idleNoise:
		return false, fmt.Sprintf("%.1f processors are idle, and %d are needed", idle.Processors, needed)
	}
	return true, fmt.Sprintf("%.1f processors are idle", idle.Processors)
}

func onThisHost(raw string) bool {
	u, err := url.Parse(raw)
	return err != nil || secret.Loopback(u.Hostname())
}

// newClient makes the client of a launch and records how it reads answers.
func (e *execution) newClient(l *activeLaunch) (err error) {
	spin, why := e.awake()
	e.conn.client.Spin = spin
	if l.client, err = target.New(e.conn.client, e.conn.dialect, l.clock); err != nil {
		return err
	}
	detail, err := json.Marshal(record.Reading{Readers: l.client.Readers(), Spin: spin, Why: why, Processors: runtime.NumCPU()})
	if err == nil {
		err = l.out.Events.Append(record.Event{At: l.clock.Now(), Name: record.ClientReading, Point: -1, Detail: string(detail)})
	}
	if err != nil {
		l.client.Close()
	}
	return err
}
