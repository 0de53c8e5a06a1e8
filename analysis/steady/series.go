package steady

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"assay/stats"
)

// settleTolerance is how near to the steady median a median must be to have
// settled.
const settleTolerance = .02

// A Series is one quantity of the requests of a point, in seconds.
type Series struct {
	Name   string `json:"name"`   // see the names below
	Warmup int    `json:"warmup"` // requests that have it and came before the window

	// State is the shape of the medians of successive batches, its indexes those of
	// requests.
	State stats.Steadiness `json:"state"`

	// Span is when the requests of the steady part were due; nil when there is none.
	Span *Span `json:"span,omitempty"`

	// Early is how many measured requests lie before the steady part; nil when
	// there is none.
	Early *int `json:"early"`

	// ColdTail says that most of the slowest hundredth of the window lies before the
	// steady part: the p99 is the cold start.
	ColdTail bool `json:"coldTail,omitempty"`

	Window Figures  `json:"window"`           // of the measured requests
	Steady *Figures `json:"steady,omitempty"` // of those of them in the steady part
	Bias   *Bias    `json:"bias,omitempty"`   // nil without a steady part
	Enough *Enough  `json:"enough,omitempty"` // nil without a steady part
}

// The quantities that are looked at. The first two are hardly moved by the mix of
// output lengths; E2E follows it.
const (
	TTFT     = "TTFT"          // ttft.v2
	TPOT     = "TPOT"          // tpot.v1
	Whole    = "E2E"           // e2e.v2, where all answers are equally long
	PerToken = "E2E per token" // for answers in one piece of different lengths
)

// A Span is a part of a launch, in seconds since its records begin.
type Span struct {
	Begin float64 `json:"begin"`
	End   float64 `json:"end"`
}

// Figures sum up the values of a part of a series.
type Figures struct {
	N      int     `json:"n"`
	Mean   float64 `json:"mean"`
	Median float64 `json:"median"`
	P99    float64 `json:"p99"` // rank ⌈qn⌉; the largest below 100
	Max    float64 `json:"max"`
}

// Bias says how far naive reports are from the warm median.
type Bias struct {
	MeanOfAll float64 `json:"meanOfAll"` // mean of all requests over the steady median, less one
	BestOfN   float64 `json:"bestOfN"`   // one less the smallest steady value over the steady median
}

// Enough is the smallest warm-up after which the median of the rest is within 2 %
// of the steady median.
type Enough struct {
	Requests int     `json:"requests"`
	Seconds  float64 `json:"seconds"`
}

// A measure is a quantity of a call, and false when it has none.
type measure struct {
	name string
	of   func(c call) (float64, bool)
}

var (
	firstToken = measure{TTFT, func(c call) (float64, bool) {
		first, _ := c.span()
		return seconds(first - c.Origin()), first > 0
	}}
	pace = measure{TPOT, func(c call) (float64, bool) {
		first, last := c.span()
		return seconds(last-first) / float64(c.tokens()-1), first > 0 && c.tokens() > 1
	}}
	whole    = measure{Whole, func(c call) (float64, bool) { return seconds(c.Done - c.Origin()), true }}
	perToken = measure{PerToken, func(c call) (float64, bool) {
		return seconds(c.Done-c.Origin()) / float64(c.tokens()), c.tokens() > 0
	}}
)

// gated chooses what is looked at: TTFT and TPOT where answers are streamed and
// counted. E2E stands in where it does not follow the mix of output lengths.
func gated(calls []call) []measure {
	known := func(m measure) bool {
		n := 0
		for _, c := range calls {
			if _, ok := m.of(c); ok {
				n++
			}
		}
		return n > len(calls)*9/10
	}
	var list []measure
	for _, m := range []measure{firstToken, pace} {
		if known(m) {
			list = append(list, m)
		}
	}
	switch {
	case len(list) == 2:
	case !lengthsMix(calls):
		list = append(list, whole)
	case len(list) == 0 && known(perToken):
		list = append(list, perToken)
	}
	return list
}

// lengthsMix reports whether answers differ in length by more than a few percent,
// so that E2E says what was asked and not how fast it was answered. Lengths that
// nobody counted mix when answers are streams: those of vectors and ranks have
// none.
func lengthsMix(calls []call) bool {
	var lengths []float64
	for _, c := range calls {
		if n := c.tokens(); n >= 0 {
			lengths = append(lengths, float64(n))
		} else if first, _ := c.span(); first > 0 {
			return true
		}
	}
	if len(lengths) < 2 {
		return false
	}
	spread := stats.CV(lengths)
	return !math.IsNaN(spread) && spread > .05
}

// newSeries judges one quantity of the calls that have it.
func newSeries(m measure, calls []call) Series {
	s := Series{Name: m.name}
	xs, window := make([]float64, 0, len(calls)), make([]float64, 0, len(calls))
	own := make([]*call, 0, len(calls)) // those that have it
	for i := range calls {
		c := &calls[i]
		v, ok := m.of(*c)
		if !ok {
			continue
		}
		xs, own = append(xs, v), append(own, c)
		if c.measured {
			window = append(window, v)
		} else {
			s.Warmup++
		}
	}
	s.State, s.Window = windowState(xs, s.Warmup), figures(window)
	begin, end := s.State.Begin, s.State.End
	if end <= begin || s.State.Shape == stats.TooShort {
		return s
	}
	early, slow := 0, 0
	var settled []float64
	for i, v := range xs {
		switch {
		case !own[i].measured:
		case i < begin:
			early++
			slow += count(v >= s.Window.P99)
		case i < end:
			settled = append(settled, v)
		}
	}
	s.Early = &early
	s.Span = &Span{seconds(own[begin].due), seconds(own[end-1].due)}
	if len(settled) > 0 {
		f := figures(settled)
		s.Steady = &f
		s.ColdTail = s.Window.N >= FewestForTail && 2*slow*100 > s.Window.N
	}
	if b, ok := stats.NaiveBias(xs[:end], begin); ok {
		s.Bias = &Bias{MeanOfAll: b.Inflation, BestOfN: b.BestOfN}
	}
	enough := stats.SmallestWarmup(xs, begin, end, settleTolerance)
	s.Enough = &Enough{Requests: enough, Seconds: seconds(own[enough].due - own[0].due)}
	return s
}

// windowState is the state of the whole series, unless what is not steady about it
// ended with the warm-up: then the window by itself is flat.
func windowState(xs []float64, warmup int) stats.Steadiness {
	s := state(xs)
	if s.Steady() || s.Shape == stats.TooShort || warmup == 0 {
		return s
	}
	alone := state(xs[warmup:])
	if alone.Shape != stats.Flat {
		return s
	}
	alone.Reasons = append([]string{fmt.Sprintf("the window by itself is flat; with the warm-up the series is %s: %s", s.Shape, s.Reasons[0])}, alone.Reasons...)
	alone.Shape, alone.N = stats.WarmUp, len(xs)
	alone.Begin, alone.Warm, alone.End = warmup, warmup, len(xs)
	return alone
}

// FewestForTail is the fewest requests that can bound a p99 at 95 %: a tail of fewer
// is one slow request or two, which any busy moment gives.
var FewestForTail = stats.MinSamples(.99, .95)

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// state looks at the medians of batches, and once at the mean of the first one: a
// few slow requests at the very beginning are a warm-up, however many fast ones
// share their batch.
func state(xs []float64) stats.Steadiness {
	s := stats.SteadyState(xs, stats.SteadyOptions{Medians: true})
	if s.Shape != stats.Flat {
		return s
	}
	if excess, slow := slowHead(stats.BatchMeans(xs, s.Batch)); slow {
		s.Shape, s.Begin, s.Warm = stats.WarmUp, s.Batch, s.Batch
		s.Reasons = append([]string{fmt.Sprintf("the mean of the first %d requests is %+.0f %% off the others' though their median is not: a few were slow", s.Batch, 100*excess)}, s.Reasons...)
	}
	return s
}

// slowHead reports whether the mean of the first batch lies above those of all
// others, by a tenth and by six of their robust deviations at least.
func slowHead(means []float64) (excess float64, slow bool) {
	if len(means) < 10 {
		return 0, false
	}
	rest := means[1:]
	middle := medianOf(rest)
	off := make([]float64, len(rest))
	for i, v := range rest {
		off[i] = math.Abs(v - middle)
	}
	excess = means[0]/middle - 1
	return excess, middle > 0 && excess > .1 && means[0] > slices.Max(rest) && means[0]-middle > 6*1.4826*medianOf(off)
}

// medianOf is the value of rank ⌈n/2⌉, as everywhere in assay.
func medianOf(xs []float64) float64 {
	return slices.Sorted(slices.Values(xs))[(len(xs)+1)/2-1]
}

func figures(xs []float64) Figures {
	if len(xs) == 0 {
		return Figures{}
	}
	sorted := slices.Clone(xs)
	stats.Sort(sorted)
	rank := int(math.Ceil(.99*float64(len(xs)) - 1e-9))
	return Figures{
		N: len(xs), Mean: stat.Mean(xs, nil), Median: sorted[(len(xs)+1)/2-1],
		P99: sorted[max(0, rank-1)], Max: sorted[len(xs)-1],
	}
}

// Off is how far the figures of the window are from those of its steady part,
// relatively: the farthest of mean, median and, where it is the cold start, p99.
// It is 0 without a steady part.
func (s Series) Off() float64 {
	if s.Steady == nil || s.Steady.Median <= 0 {
		return 0
	}
	off := s.Window.Mean/s.Steady.Mean - 1
	others := []float64{s.Window.Median/s.Steady.Median - 1}
	if s.ColdTail {
		others = append(others, s.Window.P99/s.Steady.P99-1)
	}
	for _, v := range others {
		if math.Abs(v) > math.Abs(off) {
			off = v
		}
	}
	return off
}

// BeginsSteady reports whether the window began in the steady part. What is told
// in batches cannot be known finer: a window that begins inside the last batch of
// the warm-up began steadily, unless nothing came before it.
func (s Series) BeginsSteady() bool {
	return s.Early != nil && (*s.Early == 0 || s.Warmup > 0 && *s.Early < s.State.Batch)
}
