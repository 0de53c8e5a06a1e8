package sim

import (
	"math"
	"sync/atomic"
)

// A meter counts what the server did, for Stats and for the metrics page. It is
// written from the pacers' threads and so takes no lock.
type meter struct {
	accepted, completed, cut, refused atomic.Int64
	running                           atomic.Int64
	promptTokens, generationTokens    atomic.Int64
	iterations, preemptions           atomic.Int64
	prefixQueries, prefixHits         atomic.Int64
	seqRunning, seqWaiting            atomic.Int64
	unseen                            atomic.Int64  // sequences that arrived since the iteration under way began
	cacheUsage                        atomic.Uint64 // bits of a float64
	stops, lengths                    atomic.Int64  // choices by finish reason

	ttft, itl, e2e *histogram
	queued         *histogram // from arrival to the first iteration
	fixed          bool       // no engine: what runs is counted by request
}

func newMeter(fixed bool) *meter {
	return &meter{
		ttft: newHistogram(ttftBounds), itl: newHistogram(itlBounds), e2e: newHistogram(e2eBounds), queued: newHistogram(e2eBounds),
		fixed: fixed,
	}
}

// The bounds are vLLM's, in seconds.
var (
	ttftBounds = []float64{0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560}
	itlBounds  = []float64{0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80}
	e2eBounds  = []float64{0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680}
)

// A histogram counts durations below each bound.
type histogram struct {
	bounds []float64
	counts []atomic.Int64 // one more than bounds
	sum    atomic.Int64   // nanoseconds
}

func newHistogram(bounds []float64) *histogram {
	return &histogram{bounds: bounds, counts: make([]atomic.Int64, len(bounds)+1)}
}

func (h *histogram) observe(ns int64) {
	i := 0
	for i < len(h.bounds) && float64(ns) > h.bounds[i]*1e9 {
		i++
	}
	h.counts[i].Add(1)
	h.sum.Add(ns)
}

// token counts a token that was due.
func (m *meter) token(s *stream, ch *choice, due int64) {
	m.generationTokens.Add(1)
	if ch.made == 1 {
		m.ttft.observe(due - s.arrival)
	} else {
		m.itl.observe(due - ch.latest)
	}
	ch.latest = due
}

// admitted counts how long the sequences that begin at now have waited.
func (m *meter) admitted(batch []piece, now int64) {
	for _, p := range batch {
		if !p.seq.metered {
			p.seq.metered = true
			m.queued.observe(now - p.seq.stream.arrival)
		}
	}
}

// engine copies the scheduler's state after an iteration was planned.
func (m *meter) engine(s *scheduler) {
	m.seqRunning.Store(int64(len(s.running)))
	m.seqWaiting.Store(int64(len(s.waiting)))
	m.cacheUsage.Store(math.Float64bits(s.pool.usage()))
	m.iterations.Store(s.counts.iterations)
	m.preemptions.Store(s.counts.preemptions)
	m.prefixQueries.Store(s.counts.prefixQueries)
	m.prefixHits.Store(s.counts.prefixHits)
}

// accept counts a stream before its first token can be due.
func (m *meter) accept(s *stream) {
	m.accepted.Add(1)
	m.running.Add(1)
	m.promptTokens.Add(int64(s.promptTokens))
}

// unaccept takes back a stream that the queue has no room for.
func (m *meter) unaccept(s *stream) {
	m.accepted.Add(-1)
	m.running.Add(-1)
	m.promptTokens.Add(-int64(s.promptTokens))
}

// retire counts a stream that ended.
func (m *meter) retire(s *stream) {
	m.running.Add(-1)
	if s.cut {
		m.cut.Add(1)
		return
	}
	m.completed.Add(1)
	for i := range s.choices {
		ch := &s.choices[i]
		m.e2e.observe(ch.latest - s.arrival)
		if ch.stops {
			m.stops.Add(1)
		} else {
			m.lengths.Add(1)
		}
	}
}

// Stats is what a server has done so far.
type Stats struct {
	Accepted         int64   `json:"accepted"`          // requests answered by the model
	Completed        int64   `json:"completed"`         // of those, ended as they should
	Cut              int64   `json:"cut"`               // of those, ended by the client or by Close
	Refused          int64   `json:"refused"`           // requests answered otherwise
	Running          int64   `json:"running"`           // requests under way
	PromptTokens     int64   `json:"prompt_tokens"`     // of accepted requests
	GenerationTokens int64   `json:"generation_tokens"` // made so far
	CachedTokens     int64   `json:"cached_tokens"`     // prompt tokens found in the prefix cache
	Iterations       int64   `json:"iterations"`        // of the engine
	Preemptions      int64   `json:"preemptions"`
	LaunchFactor     float64 `json:"launch_factor"`
}

// Stats reports what the server has done so far.
func (s *Server) Stats() Stats {
	m := s.meter
	return Stats{
		Accepted: m.accepted.Load(), Completed: m.completed.Load(), Cut: m.cut.Load(), Refused: m.refused.Load(),
		Running: m.running.Load(), PromptTokens: m.promptTokens.Load(), GenerationTokens: m.generationTokens.Load(),
		CachedTokens: m.prefixHits.Load(), Iterations: m.iterations.Load(), Preemptions: m.preemptions.Load(),
		LaunchFactor: s.factor,
	}
}
