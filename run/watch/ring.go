package watch

import (
	"math"
	"slices"
	"time"
)

// ringSeconds is how far back a watcher sees.
const ringSeconds = 60

// A ring holds the last minute, second by second. What is counted belongs to the
// second in which a request was recorded: of a long answer that is its end.
type ring struct {
	begun time.Time
	slots [ringSeconds + 4]second
}

// A second is what was recorded in one of them.
type second struct {
	number             int // since the run began
	ok, failed, tokens int64
	ttft               [mostTTFT]float64
	ttfts              int // answers with a first token; the first mostTTFT are kept
}

// mostTTFT bounds what the median of a second is taken of.
const mostTTFT = 64

func (s *second) addTTFT(v float64) {
	if s.ttfts < mostTTFT {
		s.ttft[s.ttfts] = v
	}
	s.ttfts++
}

// medianTTFT is NaN for a second without a first token.
func (s *second) medianTTFT() float64 {
	n := min(s.ttfts, mostTTFT)
	if n == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(s.ttft[:n]))
	return sorted[(n-1)/2]
}

func (r *ring) numberOf(at time.Time) int { return int(at.Sub(r.begun) / time.Second) }

// slot is the second that now belongs to.
func (r *ring) slot(now time.Time) *second {
	number := r.numberOf(now)
	s := &r.slots[number%len(r.slots)]
	if s.number != number {
		*s = second{number: number}
	}
	return s
}

// last are the whole seconds before now, oldest first, at most ringSeconds of
// them and none before from.
func (r *ring) last(from, now time.Time) []second {
	end := r.numberOf(now)
	begin := max(0, end-ringSeconds)
	if from.After(r.begun) {
		begin = max(begin, r.numberOf(from)+1) // the second in which it began is half another's
	}
	var list []second
	for number := begin; number < end; number++ {
		s := r.slots[number%len(r.slots)]
		if s.number != number {
			s = second{number: number}
		}
		list = append(list, s)
	}
	return list
}

// A mark is what had been counted at one look, so that the next looks can tell
// how fast it grows.
type mark struct {
	at                time.Time
	begun, ok, tokens int64
}

// markEvery and markSpan are the distance of two marks and how far back rates
// reach.
const (
	markEvery = time.Second
	markSpan  = 10 * time.Second
)

// rates are calls begun, answers and tokens per second since the oldest mark
// within the span; NaN in the first second of a point.
func rates(marks []mark, now mark) (offered, achieved, tokens float64) {
	if len(marks) == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	old := marks[0]
	took := now.at.Sub(old.at).Seconds()
	if took < 1 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	return float64(now.begun-old.begun) / took, float64(now.ok-old.ok) / took, float64(now.tokens-old.tokens) / took
}

// remember adds now to the marks and lets go of those out of the span, but one.
func remember(marks []mark, now mark) []mark {
	if n := len(marks); n > 0 && now.at.Sub(marks[n-1].at) < markEvery {
		return marks
	}
	marks = append(marks, now)
	for len(marks) > 1 && now.at.Sub(marks[1].at) >= markSpan {
		marks = slices.Delete(marks, 0, 1)
	}
	return marks
}
