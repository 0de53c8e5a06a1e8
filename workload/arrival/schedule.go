package arrival

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"assay/record"
)

// Version is the version of the format of a stored schedule.
const Version = "1.0"

// most is the largest schedule held: 50 million times are 400 MB.
const most = 50_000_000

// Limits bound the phases of a schedule. The warm-up ends after its time or its
// calls, whichever comes first, and so does the measurement.
type Limits struct {
	Warmup      time.Duration // zero without WarmupCalls means no warm-up
	WarmupCalls int           // zero means no limit

	Measure      time.Duration
	MeasureCalls int // zero means no limit

	Cooldown time.Duration
}

// A Schedule is every call of a point that the plan foresees: when it is due and
// what for. Beyond it calls go on from the same series for as long as measured
// ones are unanswered; how long that is only the run can tell.
type Schedule struct {
	Due []int64 // nanoseconds since the start of the point, in order

	// Warmup and Measure are how many calls each phase has; what is left of Due
	// is the cool-down's.
	Warmup, Measure int

	// Begin and End bound the measured window, since the start of the point.
	Begin, End int64

	tail Series // continues after the last of Due
	more bool
	rest func(yield func(due int64) bool) // of a recording, in place of tail
}

// New draws the schedule of one point.
func New(series Series, limits Limits) (*Schedule, error) {
	return build(&series, series.next, limits)
}

// Recorded is the schedule of recorded times, in nanoseconds from the first,
// each multiplied by scale. It ends with the recording, and so does the measured
// window: silence after the last recorded call is nobody's offer.
func Recorded(times []int64, scale float64, limits Limits) (*Schedule, error) {
	if len(times) == 0 {
		return nil, fmt.Errorf("no recorded time: want at least one")
	}
	if !(scale > 0) {
		return nil, fmt.Errorf("scale %v of recorded times: want above zero", scale)
	}
	for i := 1; i < len(times); i++ {
		if times[i] < times[i-1] {
			return nil, fmt.Errorf("recorded time %d is before the one ahead of it: sort the trace", i)
		}
	}
	due := func(k int) int64 { return int64(math.Round(float64(times[k]-times[0]) * scale)) }
	k := 0
	s, err := build(nil, func() (int64, bool) {
		if k == len(times) {
			return 0, false
		}
		k++
		return due(k - 1), true
	}, limits)
	if err != nil {
		return nil, err
	}
	s.End = min(s.End, due(len(times)-1)+1)
	s.rest = func(yield func(int64) bool) {
		for k := len(s.Due); k < len(times) && yield(due(k)); k++ {
		}
	}
	return s, nil
}

func build(series *Series, next func() (int64, bool), limits Limits) (*Schedule, error) {
	if limits.Measure <= 0 {
		return nil, fmt.Errorf("a measurement of %v: want above zero", limits.Measure)
	}
	s := &Schedule{Begin: int64(limits.Warmup)}
	if limits.WarmupCalls > 0 && limits.Warmup == 0 {
		s.Begin = math.MaxInt64
	}
	var before Series
	for {
		if series != nil {
			before = *series
		}
		at, ok := next()
		if ok && at < s.Begin && limits.WarmupCalls > 0 && s.Warmup == limits.WarmupCalls {
			s.Begin = at // the warm-up has had its calls
		}
		s.End = after(s.Begin, limits.Measure)
		if ok && at >= s.Begin && at < s.End && limits.MeasureCalls > 0 && s.Measure == limits.MeasureCalls {
			limits.Measure = time.Duration(at - s.Begin)
			s.End = at // and the measurement has had its own
		}
		if !ok || at >= after(s.End, limits.Cooldown) {
			if series != nil {
				s.tail, s.more = before, ok
			}
			return s, s.check()
		}
		switch {
		case at < s.Begin:
			s.Warmup++
		case at < s.End:
			s.Measure++
		}
		if len(s.Due) == most {
			return nil, fmt.Errorf("the schedule has more than %d calls: shorten load.duration or lower the rate", most)
		}
		s.Due = append(s.Due, at)
	}
}

func (s *Schedule) check() error {
	if s.Begin == math.MaxInt64 {
		return fmt.Errorf("the schedule ends in its warm-up, after %d calls: want more of them or a shorter warm-up", len(s.Due))
	}
	if s.Measure == 0 {
		return fmt.Errorf("no call is due in the measured window of %v: raise the rate or load.duration", time.Duration(s.End-s.Begin))
	}
	return nil
}

// after is at + d without overflow.
func after(at int64, d time.Duration) int64 {
	if at > math.MaxInt64-int64(d) {
		return math.MaxInt64
	}
	return at + int64(d)
}

// Phase is what call k is meant for.
func (s *Schedule) Phase(k int) record.Phase {
	switch {
	case k < s.Warmup:
		return record.Warmup
	case k < s.Warmup+s.Measure:
		return record.Measure
	}
	return record.Cooldown
}

// Calls yields the number and time of every call, and goes on beyond those that
// are stored for as long as the caller takes them.
func (s *Schedule) Calls(yield func(k int, due int64) bool) {
	for k, due := range s.Due {
		if !yield(k, due) {
			return
		}
	}
	tail := s.tail
	for k := len(s.Due); s.more; k++ {
		due, ok := tail.next()
		if !ok || !yield(k, due) {
			return
		}
	}
	if s.rest == nil {
		return
	}
	k := len(s.Due)
	for due := range s.rest {
		if !yield(k, due) {
			return
		}
		k++
	}
}

// Measured is how many measured calls belong to shard number shard of shards.
func (s *Schedule) Measured(shard, shards int) int {
	below := func(n int) int { return (n - shard + shards - 1) / shards }
	return below(s.Warmup+s.Measure) - below(s.Warmup)
}

// A scheduleFile is a schedule as its file in a bundle has it.
type scheduleFile struct {
	Version string  `json:"version"`
	Unit    string  `json:"unit"`
	Begin   int64   `json:"begin"`
	End     int64   `json:"end"`
	Warmup  int     `json:"warmup"`
	Measure int     `json:"measure"`
	Gaps    []int64 `json:"gaps"` // from the start to the first call, then from call to call
}

// Encode is the schedule as JSON. Gaps are shorter than times and lose nothing.
func (s *Schedule) Encode() ([]byte, error) {
	file := scheduleFile{Version, "ns", s.Begin, s.End, s.Warmup, s.Measure, make([]int64, len(s.Due))}
	previous := int64(0)
	for k, due := range s.Due {
		file.Gaps[k] = due - previous
		previous = due
	}
	return json.Marshal(file)
}
