// Package watch keeps what people see of a run while it goes on: its stage, the
// figures of the point under way, the health of the client, how long it will take.
// It reads no record and decides nothing; package live draws it.
package watch

import (
	"slices"
	"sync"
	"time"

	"assay/load"
	"assay/plan"
	"assay/record"
	"assay/stats"
)

// A Stage is what a run is doing, for people who watch.
type Stage string

// The stages of a run, in order. Those from WarmingUp to CoolingDown come once
// for each point.
const (
	Preparing   Stage = "preparing"
	Calibrating Stage = "calibrating the client"
	Starting    Stage = "starting the server"
	Asking      Stage = "first requests"
	WarmingUp   Stage = "warm-up"
	Measuring   Stage = "measuring"
	CoolingDown Stage = "cool-down"
	Judging     Stage = "judging"
)

// A Live is what is known of a run while it goes on, for people who watch it. It
// is written where records are written already, off the measured path, and read
// by Snapshot as often as somebody looks. It decides nothing, and nothing of it
// enters a bundle.
//
// The zero value is ready to use. A nil Live is one that nobody watches: every
// method that writes does nothing.
type Live struct {
	// Gauge says which figure of a server a sample is, such as "waiting". Of two
	// names for one figure the lower rank counts. Nil means that none is shown.
	Gauge func(name, scope string) (what string, rank int, ok bool)

	mu     sync.Mutex
	plan   plan.Plan
	runID  string
	redact func(string) string
	begun  time.Time
	stage  Stage

	launch        plan.Launch
	launches      int       // begun
	launchAt      time.Time // when this one began
	loadAt        time.Time // when its first point began; zero before
	overhead      time.Duration
	calibrateAt   time.Time
	calibrateTook time.Duration // before the first launch, which foretells the one after the last

	at     atPoint
	ring   ring
	marks  []mark
	errors map[record.Outcome]*ErrorKind

	requests, failed int64 // of the run, as Health counts them
	took             took
	finished         []FinishedPoint

	health health
	gpus   map[string]*GPU
	server map[string]*serverGauge

	log []LogLine
}

// atPoint is the point under way.
type atPoint struct {
	point  plan.Point
	number int // of the launch, from 1; 0 between launches
	tally  *load.Tally
	begun  time.Time
	window time.Time // when the measured window began; zero before
	closed time.Time // when it ended; zero before

	ended, ok, tokens int64
	measured, failed  int64 // requests of the window that have ended
	ttft, itl, e2e    *stats.Sketch
	tpot              *stats.Sketch

	openCount, closeCount windowCount // at the window's two ends
	kept                  bool        // among the finished points
}

// liveError is the relative error of the percentiles that a watcher sees: finer
// than a person can read off a terminal.
const liveError = .01

// mostLines bounds the log that is kept.
const mostLines = 200

// A LogLine is something that happened.
type LogLine struct {
	At   time.Time
	Text string
}

// Identify notes which run it is.
func (v *Live) Identify(runID string) {
	if v == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.runID = runID
}

// Begin notes that p is carried out from now on. Redact takes secrets out of the
// lines of the log; nil leaves them as they are.
func (v *Live) Begin(p plan.Plan, redact func(string) string) {
	if v == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.plan, v.redact, v.begun, v.stage = p, redact, time.Now(), Preparing
	v.finished = nil
	v.errors, v.gpus, v.server = map[record.Outcome]*ErrorKind{}, map[string]*GPU{}, map[string]*serverGauge{}
	v.ring.begun = v.begun
	v.health.reset()
	v.at.reset()
}

func (a *atPoint) reset() {
	*a = atPoint{point: a.point, number: a.number, tally: a.tally, begun: a.begun, window: a.window}
	for _, sketch := range []**stats.Sketch{&a.ttft, &a.itl, &a.e2e, &a.tpot} {
		*sketch = stats.NewSketch(liveError)
	}
}

// Enter notes what the run turns to.
func (v *Live) Enter(stage Stage) {
	if v == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	now := time.Now()
	if v.stage == Calibrating && v.calibrateTook == 0 {
		v.calibrateTook = now.Sub(v.calibrateAt)
	}
	if stage == Calibrating {
		v.calibrateAt = now
	}
	if stage == Judging {
		v.finish(now)
	}
	v.stage = stage
}

// EnterLaunch notes that a launch begins.
func (v *Live) EnterLaunch(planned plan.Launch) {
	if v == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.leavePoint(time.Now())
	v.launch, v.launches, v.launchAt, v.loadAt = planned, planned.Index+1, time.Now(), time.Time{}
	v.stage, v.at = Preparing, atPoint{}
	v.at.reset()
	v.marks = nil
	v.health.reset()
}

// EnterPoint notes that the load of a point begins; tally counts its calls.
func (v *Live) EnterPoint(point plan.Point, tally *load.Tally) {
	if v == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	now := time.Now()
	v.leavePoint(now)
	if v.loadAt.IsZero() {
		v.loadAt = now
		v.overhead = max(0, now.Sub(v.launchAt)-v.calibratedIn())
	}
	v.at = atPoint{point: point, number: v.at.number + 1, tally: tally, begun: now}
	v.at.reset()
	v.marks = []mark{{at: now}}
	v.stage = WarmingUp
}

// calibratedIn is how much of the launch was calibration.
func (v *Live) calibratedIn() time.Duration {
	if !v.calibrateAt.Before(v.launchAt) {
		return v.calibrateTook
	}
	return 0
}

// EnterPhase notes that the measured window of the point begins or ends.
func (v *Live) EnterPhase(phase record.Phase) {
	if v == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	now := time.Now()
	switch phase {
	case record.Measure:
		v.stage, v.at.window = Measuring, now
		ended, ok, tokens := v.at.ended, v.at.ok, v.at.tokens
		v.at.reset() // what the warm-up showed has been seen
		v.at.ended, v.at.ok, v.at.tokens = ended, ok, tokens
		v.at.openCount = windowCount{ok, tokens}
	case record.Cooldown:
		v.stage, v.at.closed = CoolingDown, now
		v.at.closeCount = windowCount{v.at.ok, v.at.tokens}
	}
}

// Ended takes in a request that has been recorded.
func (v *Live) Ended(r *record.Request, chunks []record.Chunk) {
	if v == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.requests++
	if r.Result.Failure() {
		v.failed++
		v.countError(r.Result)
	}
	if r.Phase == record.Measure {
		v.health.ended(r)
	}
	if r.Point < 0 {
		return // outside of every point
	}
	v.at.take(r, chunks, &v.ring, time.Now())
}

func (v *Live) countError(kind record.Outcome) {
	e := v.errors[kind]
	if e == nil {
		e = &ErrorKind{Kind: kind}
		v.errors[kind] = e
	}
	e.Count++
}

// take counts a request. Until the window opens the figures are of the warm-up;
// from then on of the window alone.
func (a *atPoint) take(r *record.Request, chunks []record.Chunk, ring *ring, now time.Time) {
	a.ended++
	tokens := outputTokens(r, chunks)
	a.tokens += tokens
	slot := ring.slot(now)
	slot.tokens += tokens
	if r.Result != record.OK {
		if r.Result.Failure() {
			slot.failed++
		}
	} else {
		a.ok++
		slot.ok++
	}
	if r.Phase == record.Measure {
		a.measured++
		if r.Result.Failure() {
			a.failed++
		}
	}
	shown := r.Phase == record.Measure || a.window.IsZero() && r.Phase == record.Warmup
	if r.Result == record.Dropped || r.Result == record.Cut {
		return
	}
	first, last := int64(-1), int64(-1)
	for i := range chunks {
		c := &chunks[i]
		if !c.Kind.Output() {
			continue
		}
		if last < 0 {
			first = c.At
			slot.addTTFT(seconds(c.At - r.Origin()))
			if shown {
				a.ttft.Add(seconds(c.At - r.Origin()))
			}
		} else if shown {
			a.itl.Add(seconds(c.At - last))
		}
		last = c.At
	}
	if shown && r.Result == record.OK {
		a.e2e.Add(seconds(r.Done - r.Origin()))
		if first >= 0 && tokens > 1 {
			a.tpot.Add(seconds(last-first) / float64(tokens-1))
		}
	}
}

func seconds(ns int64) float64 { return float64(ns) / 1e9 }

// outputTokens is how many tokens an answer had: as the server counted, as our
// tokenizer did, or the events that carried output.
func outputTokens(r *record.Request, chunks []record.Chunk) (n int64) {
	switch {
	case r.UsageOutput != nil:
		return int64(*r.UsageOutput)
	case r.TokenizerOutput != nil:
		return int64(*r.TokenizerOutput)
	}
	for i := range chunks {
		if chunks[i].Kind.Output() {
			n++
		}
	}
	return n
}

// Tell adds a line to the log.
func (v *Live) Tell(text string) {
	if v == nil || text == "" {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.redact != nil {
		text = v.redact(text)
	}
	if len(v.log) == mostLines {
		v.log = slices.Delete(v.log, 0, 1)
	}
	v.log = append(v.log, LogLine{time.Now(), text})
}
