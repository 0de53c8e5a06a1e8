package watch

import (
	"cmp"
	"math"
	"slices"
	"time"

	"assay/plan"
	"assay/record"
	"assay/stats"
)

// A Snapshot is a run at one moment. A figure that is not known is NaN or nil.
type Snapshot struct {
	Name    string
	RunID   string // empty before the bundle is made
	Case    string // digest of the workload
	Stage   Stage
	Elapsed time.Duration

	Launch, Launches int    // this one, from 1, and all of them
	Side             string // empty in a run of one side

	Point         plan.Point // the one under way, or the last
	Number, Of    int        // its place among the points of the launch, from 1; Of is 0 where nobody can know
	Searching     bool       // points are probes of a search
	PointProgress Progressed
	RunProgress   Progressed

	// Offered, Achieved and OutputTokens are per second over the last ten: calls
	// begun, answers without a fault, and the tokens of answers that ended.
	Offered, Achieved, OutputTokens float64

	InFlight int64 // calls begun and not recorded yet

	// TTFT, ITL and E2E are of the measured window so far; before it, of the
	// warm-up.
	TTFT, ITL, E2E Ladder

	Requests, Failed int64       // of the run
	AtPoint          int64       // requests that have ended at the point
	Errors           []ErrorKind // of the run, most frequent first

	// TTFTs, Answers and Tokens are the last minute, second by second, oldest
	// first: the median TTFT (NaN for none), answers, and tokens of those.
	TTFTs, Answers, Tokens []float64

	Finished   []FinishedPoint // oldest first
	Objectives []Standing      // of the point under way, in the order of the spec

	Steady Steady
	Client ClientNow
	GPUs   []GPU
	Server []ServerGauge
	Log    []LogLine // oldest first
}

// Progressed says how far something has come.
type Progressed struct {
	Share float64 // 0 to 1
	Left  time.Duration
	Known bool // whether Share and Left are
}

// A Ladder is the percentiles of a latency, in seconds. One that the sample cannot
// bound yet is NaN; Need is how many values p99 takes.
type Ladder struct {
	N             int64
	P50, P90, P99 float64
	Need          int64
}

// An ErrorKind is how often requests ended in one way that counts against the
// system.
type ErrorKind struct {
	Kind  record.Outcome
	Count int64
}

func (v *Live) ladder(s *stats.Sketch) Ladder {
	at := func(q float64) float64 {
		if s.Count() < v.needs(q) {
			return math.NaN()
		}
		return s.Quantile(q)
	}
	return Ladder{s.Count(), at(.5), at(.9), at(.99), v.needs(.99)}
}

// Snapshot looks at the run. It costs some tens of microseconds, in which what has
// ended waits to be recorded.
func (v *Live) Snapshot() Snapshot {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.begun.IsZero() {
		nan := Ladder{P50: math.NaN(), P90: math.NaN(), P99: math.NaN()}
		return Snapshot{Stage: Preparing, Offered: math.NaN(), Achieved: math.NaN(), OutputTokens: math.NaN(),
			TTFT: nan, ITL: nan, E2E: nan, Steady: Steady{State: TooEarly}, Log: slices.Clone(v.log)}
	}
	now := time.Now()
	s := Snapshot{
		Name: v.plan.Name, RunID: v.runID, Case: v.plan.WorkloadDigest, Stage: v.stage, Elapsed: now.Sub(v.begun),
		Launch: v.launches, Launches: len(v.plan.Launches), Side: v.launch.Side,
		Point: v.at.point, Number: v.at.number, Of: len(v.launch.Order), Searching: v.plan.Search != nil,
		PointProgress: v.pointProgress(now), RunProgress: v.runProgress(now),
		TTFT: v.ladder(v.at.ttft), ITL: v.ladder(v.at.itl), E2E: v.ladder(v.at.e2e),
		Finished: slices.Clone(v.finished), Objectives: v.standings(now),
		Requests: v.requests, Failed: v.failed, AtPoint: v.at.ended,
		Steady: steadySoFar(v.windowSeconds(now)),
		Client: v.health.now(), GPUs: v.devices(), Server: v.serverGauges(), Log: slices.Clone(v.log),
	}
	s.Offered, s.Achieved, s.OutputTokens = v.look(now)
	s.InFlight = v.inFlight()
	for _, e := range v.errors {
		s.Errors = append(s.Errors, *e)
	}
	slices.SortFunc(s.Errors, func(a, b ErrorKind) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Kind, b.Kind))
	})
	for _, second := range v.ring.last(v.begun, now) {
		s.TTFTs = append(s.TTFTs, second.medianTTFT())
		s.Answers = append(s.Answers, float64(second.ok))
		s.Tokens = append(s.Tokens, float64(second.tokens))
	}
	return s
}

// inFlight is how many calls were begun whose end has not been recorded. A user of
// a closed loop has one at most: what is beyond has ended and waits to be recorded.
func (v *Live) inFlight() int64 {
	if v.at.tally == nil {
		return 0
	}
	n := max(0, v.at.tally.Begun.Load()-v.at.ended)
	if users := v.at.point.Concurrency; users > 0 && v.at.point.Query == nil && v.plan.Workload().Session == nil {
		n = min(n, int64(users))
	}
	return n
}

// look takes the rates and remembers what they will be taken from next.
func (v *Live) look(now time.Time) (offered, achieved, tokens float64) {
	m := mark{at: now, ok: v.at.ok, tokens: v.at.tokens}
	if v.at.tally != nil {
		m.begun = v.at.tally.Begun.Load()
	}
	offered, achieved, tokens = rates(v.marks, m)
	if len(v.marks) > 0 {
		v.marks = remember(v.marks, m)
	}
	return offered, achieved, tokens
}
