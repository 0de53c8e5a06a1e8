// Package stats turns samples into estimates: numbers that know how sure they
// are. It knows nothing of requests, launches or reports.
//
// To add a method, write one file named for it, cite its source, and test it
// against published values and by its properties: intervals must cover as often
// as they say.
package stats

import (
	"encoding/json"
	"fmt"
	"math"
)

// An Estimate is a number that knows how sure it is.
type Estimate struct {
	Value      float64  `json:"value"`
	Interval   Interval `json:"interval"`
	Confidence float64  `json:"confidence"` // achieved, not requested
	N          int      `json:"n"`
	Method     string   `json:"method"`

	// EffectiveN is how many independent values the N are worth, from methods that
	// allow for dependence; zero from others.
	EffectiveN float64 `json:"effectiveN,omitempty"`

	// UnseenShare is how many of all launches may behave in a way that none of these
	// did; zero where the values are not launches. The interval knows nothing of them.
	UnseenShare float64 `json:"unseenShare,omitempty"`

	// Warnings do not stop the analysis but must be shown beside the number.
	Warnings []string `json:"warnings,omitempty"`
}

// An Interval is where the true value is believed to lie, ends included. A side
// the sample cannot bound is infinite; JSON, which has no infinity, shows null.
type Interval struct{ Lo, Hi float64 }

// Unbounded is the interval that says nothing.
var Unbounded = Interval{math.Inf(-1), math.Inf(1)}

// Contains reports whether v lies in i.
func (i Interval) Contains(v float64) bool { return i.Lo <= v && v <= i.Hi }

// Bounded reports whether both ends are finite.
func (i Interval) Bounded() bool { return !math.IsInf(i.Lo, 0) && !math.IsInf(i.Hi, 0) }

// MarshalJSON writes [lo, hi], with null for an infinite end.
func (i Interval) MarshalJSON() ([]byte, error) {
	var ends [2]*float64
	if !math.IsInf(i.Lo, 0) {
		ends[0] = &i.Lo
	}
	if !math.IsInf(i.Hi, 0) {
		ends[1] = &i.Hi
	}
	return json.Marshal(ends)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (i *Interval) UnmarshalJSON(data []byte) error {
	var ends []*float64
	if err := json.Unmarshal(data, &ends); err != nil {
		return err
	}
	if len(ends) != 2 {
		return fmt.Errorf("interval %s: want two ends", data)
	}
	*i = Unbounded
	if ends[0] != nil {
		i.Lo = *ends[0]
	}
	if ends[1] != nil {
		i.Hi = *ends[1]
	}
	return nil
}
