package search

import (
	"fmt"
	"slices"

	"assay/bundle"
	"assay/plan"
)

// A Summary is what the searches of all completed launches say together.
type Summary struct {
	Kind       string     `json:"kind"` // rate or concurrency
	Unit       string     `json:"unit"` // of loads, as printed behind them
	Objectives []string   `json:"objectives"`
	Confidence float64    `json:"confidence"` // of each verdict
	Launches   []Launched `json:"launches"`

	// Answer is what holds in every launch and what fails in some.
	Answer Answer `json:"answer"`

	// Together bounds the confidence that no verdict of the longest path is wrong.
	Together float64 `json:"together"`
}

// A Launched is the path of one launch. Doubt says where its records lead
// elsewhere; empty means that they lead to the same answer.
type Launched struct {
	Launch int `json:"launch"`
	Path
	Doubt string `json:"doubt,omitempty"`
}

// Summarise reads the paths of b and makes every decision again from the records.
// It returns nil when p is no search.
func Summarise(b *bundle.Bundle, p plan.Plan) (*Summary, error) {
	if p.Search == nil {
		return nil, nil
	}
	s := &Summary{Kind: "concurrency", Confidence: p.Search.Confidence, Together: 1}
	if len(p.Points) > 0 && p.Points[0].Open() {
		s.Kind, s.Unit = "rate", "/s"
	}
	for _, o := range p.Search.Objectives {
		s.Objectives = append(s.Objectives, o.Name)
	}
	for _, info := range b.Launches() {
		if info.Outcome != bundle.LaunchCompleted {
			continue
		}
		path, err := Read(b, info.Index)
		if err != nil {
			return nil, err
		}
		one := Launched{Launch: info.Index, Path: path}
		if err := Replay(b, *p.Search, info.Index, path); err != nil {
			one.Doubt = err.Error()
		}
		s.Launches = append(s.Launches, one)
		s.Together = min(s.Together, max(0, 1-float64(decided(path))*(1-s.Confidence)))
	}
	s.Answer = common(s.Launches)
	return s, nil
}

// decided counts the levels that a path decided about.
func decided(p Path) int {
	n := 0
	for _, step := range p.Steps {
		if step.Verdict != Undecided {
			n++
		}
	}
	return n
}

// common is the answer of several launches: the highest load that held in every
// one and the lowest that failed in any.
func common(launches []Launched) Answer {
	var a Answer
	for i, l := range launches {
		one := l.Answer
		if i == 0 {
			a = one
			a.Undecided = slices.Clone(one.Undecided)
			continue
		}
		if a.Holds != nil && (one.Holds == nil || *one.Holds < *a.Holds) {
			a.Holds = one.Holds
		}
		if one.Fails != nil && (a.Fails == nil || *one.Fails < *a.Fails) {
			a.Fails = one.Fails
		}
		for _, load := range one.Undecided {
			if !slices.Contains(a.Undecided, load) {
				a.Undecided = append(a.Undecided, load)
			}
		}
		if one.End != a.End {
			a.End = "" // each launch has its own
		}
	}
	slices.Sort(a.Undecided)
	if a.Fails != nil { // what one launch could not decide, another did
		a.Undecided = slices.DeleteFunc(a.Undecided, func(load float64) bool { return load >= *a.Fails })
	}
	return a
}

// Ends reports whether a point was a probe at the answer of a launch: the highest
// load that held or the lowest that failed.
func (s Summary) Ends(point int) bool {
	for _, l := range s.Launches {
		for _, step := range l.Steps {
			for _, end := range []*float64{l.Answer.Holds, l.Answer.Fails} {
				if step.Point == point && end != nil && *end == step.Load {
					return true
				}
			}
		}
	}
	return false
}

// Loads shows a load with its unit.
func (s Summary) Loads(load float64) string { return fmt.Sprintf("%g%s", load, s.Unit) }
