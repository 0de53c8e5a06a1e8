package lint

import (
	"container/heap"
	"slices"
	"strconv"
	"strings"

	"assay/plan"
	"assay/record"
	"assay/stats"
)

// Lengths counts how long answers were, over successful measured requests whose
// usage tells it.
type Lengths struct {
	Answers   int     // with usage
	Tokens    float64 // of them, together
	Asked     float64 // tokens asked for in those of them that name a number
	AskedOf   float64 // tokens of the same
	Bounded   int     // how many those are
	Single    int     // one token, where at least two were asked for
	Off       int     // of those that name a number: off by more than a tenth of it, and by more than the token that ends it
	Unreached int     // ended by their limit, they say, and more than a tenth below it
	Silent    int     // successful without usage
	Wrong     int     // successful with a count that cannot be true, which is no usage
	Finish    map[string]int
}

func (l *Lengths) add(r *record.Request) {
	l.Finish[r.FinishReason]++
	if slices.Contains(strings.Fields(r.Flags), "impossible_usage") {
		l.Wrong++
	}
	if r.UsageOutput == nil {
		l.Silent++
		return
	}
	l.Answers++
	l.Tokens += float64(*r.UsageOutput)
	if r.AskedOutput > 0 {
		l.Bounded++
		l.Asked += float64(r.AskedOutput)
		l.AskedOf += float64(*r.UsageOutput)
		l.off(r)
	}
	if r.AskedOutput > 1 && *r.UsageOutput == 1 {
		l.Single++
	}
}

func (l *Lengths) off(r *record.Request) {
	short := float64(r.AskedOutput - *r.UsageOutput)
	if most := max(ending, lengthShare*float64(r.AskedOutput)); short > most || -short > most {
		l.Off++
		if short > 0 && limited(r.FinishReason) {
			l.Unreached++
		}
	}
}

// mean is the tokens of an answer; NaN where nothing tells.
func (l Lengths) mean() float64 { return l.Tokens / float64(l.Answers) }

// Repeats counts things that were there before. Of many a sample is looked at,
// chosen by their hash.
type Repeats struct {
	Looked int
	Known  int
}

// Prompts counts measured requests whose prompt the launch had sent before.
type Prompts = Repeats

func (p *Repeats) add(known, sampled bool) {
	if !sampled {
		return
	}
	p.Looked++
	if known {
		p.Known++
	}
}

// mostSeen bounds the prompts that are remembered: a launch with more is
// sampled, half as many each time.
const mostSeen = 1 << 16

// A seen remembers prompts by their hash, whose bits are as good as random.
type seen struct {
	mask   int64
	hashes map[int64]struct{}
}

func newSeen() *seen { return &seen{hashes: map[int64]struct{}{}} }

// before reports whether the prompt was there already, and whether it belongs to
// the sample.
func (s *seen) before(hash int64) (known, sampled bool) {
	if hash&s.mask != 0 || hash == 0 { // zero: it was not recorded
		return false, false
	}
	if _, known = s.hashes[hash]; known {
		return true, true
	}
	s.hashes[hash] = struct{}{}
	for len(s.hashes) > mostSeen {
		s.mask = s.mask<<1 | 1
		for h := range s.hashes {
			if h&s.mask != 0 {
				delete(s.hashes, h)
			}
		}
	}
	return false, hash&s.mask == 0
}

// has reports whether the prompt is there, and whether it would belong to the sample.
func (s *seen) has(hash int64) (known, sampled bool) {
	_, known = s.hashes[hash]
	return known, hash != 0 && hash&s.mask == 0
}

// take remembers what another remembers.
func (s *seen) take(other *seen) {
	s.mask |= other.mask
	for hash := range other.hashes {
		s.before(hash)
	}
}

// An Opening is the time to the first byte of the first successful measured
// requests, beside that of all.
type Opening struct {
	Wave  int // how many requests make an opening
	First dueHeap
	All   *stats.Sketch
}

const (
	// openWave is the opening of an open loop, which has no number of users. A
	// few dozen requests are enough for a median.
	openWave = 32
	// leastWave and mostWave bound the opening of a closed loop: the median of
	// less is luck, and more need not be kept.
	leastWave, mostWave = 8, 1024
)

func newOpening(p plan.Point) Opening {
	wave := openWave
	if p.Concurrency > 0 {
		wave = min(mostWave, max(leastWave, p.Concurrency))
	}
	return Opening{Wave: wave, All: stats.NewSketch(sketchError)}
}

func (o *Opening) add(r *record.Request) {
	if r.First == nil {
		return
	}
	wait := float64(*r.First-record.Origin(r.User, r.Due, r.Sent)) / 1e9
	o.All.Add(wait)
	switch {
	case len(o.First) < o.Wave:
		heap.Push(&o.First, dueWait{r.Due, wait})
	case r.Due < o.First[0].due:
		o.First[0] = dueWait{r.Due, wait}
		heap.Fix(&o.First, 0)
	}
}

// A dueWait is a request: when it was due and how long its first byte took.
type dueWait struct {
	due  int64
	wait float64
}

// A dueHeap has the request that was due last on top.
type dueHeap []dueWait

func (h dueHeap) Len() int           { return len(h) }
func (h dueHeap) Less(i, j int) bool { return h[i].due > h[j].due }
func (h dueHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *dueHeap) Push(x any)        { *h = append(*h, x.(dueWait)) }
func (h *dueHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}

// Arrivals counts requests in bins of equal length over the measured window:
// requests come in the order in which they ended, and gaps between them would
// need all of their times at once.
type Arrivals struct {
	begin, width int64
	counts       []int32
}

const (
	// perBin is how many arrivals a bin holds on average: with so many the
	// dispersion of a renewal process is near its limit.
	perBin = 10
	// leastArrivalBins is the fewest bins whose dispersion says anything.
	leastArrivalBins = 30
	// mostArrivalBins bounds what is kept of a long point.
	mostArrivalBins = 4096
)

// newArrivals makes bins for a point of a steady rate; none for others and for
// windows that hold too few calls.
func newArrivals(p plan.Point, begin, end int64) Arrivals {
	expected := p.Rate * float64(end-begin) / 1e9
	bins := int(min(expected/perBin, mostArrivalBins))
	if !p.Open() || p.Query != nil || end <= begin || bins < leastArrivalBins {
		return Arrivals{}
	}
	return Arrivals{begin: begin, width: (end - begin) / int64(bins), counts: make([]int32, bins)}
}

func (a *Arrivals) add(at int64) {
	if len(a.counts) == 0 || at < a.begin {
		return
	}
	if bin := (at - a.begin) / a.width; bin < int64(len(a.counts)) {
		a.counts[bin]++
	}
}

// Dispersion is the variance of the counts of the bins divided by their mean; it
// is false without bins.
func (a Arrivals) Dispersion() (index float64, ok bool) {
	n := float64(len(a.counts))
	sum, squares := 0.0, 0.0
	for _, c := range a.counts {
		sum += float64(c)
	}
	mean := sum / n
	if n == 0 || mean == 0 {
		return 0, false
	}
	for _, c := range a.counts {
		squares += (float64(c) - mean) * (float64(c) - mean)
	}
	return squares / (n - 1) / mean, true
}

// attemptFlag begins the remark of a record whose proxy counted attempts.
const attemptFlag = "attempts="

// attempts is how often a proxy says that it tried the request; false where none
// says anything.
func attempts(flags string) (int, bool) {
	for flag := range strings.FieldsSeq(flags) {
		if text, ok := strings.CutPrefix(flag, attemptFlag); ok {
			n, err := strconv.Atoi(text)
			return n, err == nil
		}
	}
	return 0, false
}
