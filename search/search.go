// Package search finds the highest load at which objectives hold. It decides
// which point comes next and what the requests of a point say; it sends nothing
// and reads no clock. Package run carries its decisions out, and those who read
// the bundle can make every one of them again from the records (Replay).
//
// A level is tried by one or more probes. Each objective allows a share of
// requests to miss it. A level holds when the exact upper bound of every share is
// within what is allowed, fails when the lower bound of one is beyond it, and is
// undecided otherwise. While no end is known the load doubles or halves; between
// a level that seems to hold and one that seems not to, the middle one comes next.
package search

import (
	"slices"

	"assay/plan"
)

// A Verdict is what the probes of one level say.
type Verdict string

// The verdicts.
const (
	Holds     Verdict = "holds"
	Fails     Verdict = "fails"
	Undecided Verdict = "undecided" // counts as not shown to hold
)

// A Search is a search while it goes on. Its zero value is not usable; New makes
// one.
type Search struct {
	rule plan.Search

	// What guides the way: the highest level that seems to hold and the lowest
	// that seems not to. An undecided level leans to one side or the other.
	up, down int

	// What is shown: the highest level that holds, and the lowest above it that
	// was tried and not shown to.
	holds, beyond int

	tried     map[int]bool
	failed    []int // levels shown to fail
	undecided []int
}

// New begins a search.
func New(rule plan.Search) *Search {
	n := len(rule.Levels)
	return &Search{rule: rule, up: -1, down: n, holds: -1, beyond: n, tried: map[int]bool{}}
}

// Next is the level to try, and false when the search is over. First the level at
// which the objectives seem to end is looked for, then the highest below it that
// can be shown to hold: a level that lacked a few requests to be decided must not
// turn the search away from where the answer lies.
func (s *Search) Next() (level int, more bool) {
	if len(s.tried) == 0 {
		return s.rule.Start, true
	}
	if level, more = s.between(s.up, s.down); more {
		return level, true
	}
	return s.between(s.holds, s.beyond)
}

// between is the level to try where low is good and high is not; -1 and the number
// of levels mean that no such end is known.
func (s *Search) between(low, high int) (level int, more bool) {
	top := len(s.rule.Levels) - 1
	switch {
	case high-low <= 1:
		return 0, false
	case high > top:
		return min(low+s.rule.Step, top), true
	case low < 0:
		return max(high-s.rule.Step, 0), true
	}
	return (low + high) / 2, true
}

// Learn takes in the last verdict on a level that Next named. Leans says whether
// an undecided level seems to hold.
func (s *Search) Learn(level int, v Verdict, leans bool) {
	s.tried[level] = true
	switch v {
	case Holds:
		s.holds, leans = max(s.holds, level), true
	case Fails:
		s.failed, leans = append(s.failed, level), false
	default:
		s.undecided = append(s.undecided, level)
	}
	if leans {
		s.up = max(s.up, level)
	} else {
		s.down = min(s.down, level)
	}
	s.beyond = len(s.rule.Levels)
	for _, l := range slices.Concat(s.failed, s.undecided) {
		if l > s.holds {
			s.beyond = min(s.beyond, l)
		}
	}
}

// An Answer is what a search found. Loads are requests per second or users.
type Answer struct {
	Holds     *float64  `json:"holds"`               // the highest load shown to hold; null for none
	Fails     *float64  `json:"fails"`               // the lowest load shown to fail; null for none
	Undecided []float64 `json:"undecided,omitempty"` // above what holds, tried and not decided
	End       End       `json:"end"`
}

// An End says why a search ended.
type End string

// The ends of a search.
const (
	Resolved  End = "resolved"   // the next level above the answer was not shown to hold
	AllHold   End = "all_hold"   // the highest level holds: search.max is too low to tell more
	NoneHolds End = "none_holds" // not even the lowest level was shown to hold
	OutOf     End = "probes"     // search.probes were made
	TimeUp    End = "time"       // search.time was over
)

// Answer is what is known so far. End is the reason when the caller ended the
// search before Next did, and empty otherwise.
func (s *Search) Answer(end End) Answer {
	a := Answer{End: end}
	if end == "" {
		switch {
		case s.holds == len(s.rule.Levels)-1:
			a.End = AllHold
		case s.holds < 0:
			a.End = NoneHolds
		default:
			a.End = Resolved
		}
	}
	if s.holds >= 0 {
		a.Holds = &s.rule.Levels[s.holds]
	}
	if len(s.failed) > 0 {
		a.Fails = &s.rule.Levels[slices.Min(s.failed)]
	}
	slices.Sort(s.undecided)
	for _, level := range s.undecided {
		if level < s.holds {
			continue // a higher one holds
		}
		a.Undecided = append(a.Undecided, s.rule.Levels[level])
	}
	return a
}
