// Package search finds the highest load at which objectives hold. It decides
// which point comes next and what the requests of a point say; it sends nothing
// and reads no clock. Package run carries its decisions out, and those who read
// the bundle can make every one of them again from the records (Replay).
//
// A level is tried by one or more probes. Each objective allows a share of
// requests to miss it. A level holds when the exact upper bound of every share is
// within what is allowed, fails when the lower bound of one is beyond it, and is
// undecided otherwise. While no end is known the load doubles or halves; between
// a level that holds and one that was not shown to, the middle one comes next.
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

	holds  int // the highest level shown to hold; -1 for none
	beyond int // the lowest level above it not shown to hold; len(Levels) for none
	first  bool

	failed    []int // levels shown to fail
	undecided []int
}

// New begins a search.
func New(rule plan.Search) *Search {
	return &Search{rule: rule, holds: -1, beyond: len(rule.Levels), first: true}
}

// Next is the level to try, and false when the search is over.
func (s *Search) Next() (level int, more bool) {
	top := len(s.rule.Levels) - 1
	switch {
	case s.first:
		return s.rule.Start, true
	case s.beyond-s.holds <= 1:
		return 0, false
	case s.beyond > top:
		return min(s.holds+s.rule.Step, top), true
	case s.holds < 0:
		return max(s.beyond-s.rule.Step, 0), true
	}
	return (s.holds + s.beyond) / 2, true
}

// Learn takes in the last verdict on a level that Next named.
func (s *Search) Learn(level int, v Verdict) {
	s.first = false
	switch v {
	case Holds:
		s.holds = max(s.holds, level)
		return
	case Fails:
		s.failed = append(s.failed, level)
	default:
		s.undecided = append(s.undecided, level)
	}
	s.beyond = min(s.beyond, level)
}

// An Answer is what a search found. Loads are requests per second or users.
type Answer struct {
	Holds     *float64  `json:"holds"`               // the highest load shown to hold; null for none
	Fails     *float64  `json:"fails"`               // the lowest load shown to fail; null for none
	Undecided []float64 `json:"undecided,omitempty"` // between them, tried and not decided
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
		case s.beyond == len(s.rule.Levels):
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
		a.Undecided = append(a.Undecided, s.rule.Levels[level])
	}
	return a
}
