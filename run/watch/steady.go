package watch

import (
	"fmt"
	"math"
	"time"
)

// Steady is what can be said of the steady state before the run is over. The
// verdict of a report rests on every request and on more than this.
type Steady struct {
	State  SteadyState
	Series string  // which series moved
	Change float64 // from the middle third of the seconds to the last, relative
	Rests  string  // what it rests on
}

// A SteadyState is a verdict so far.
type SteadyState string

// The verdicts so far.
const (
	TooEarly SteadyState = "too early to say"
	Level    SteadyState = "level"
	Moving   SteadyState = "moving"
)

// The thirds must have leastThird seconds each. A change counts when it is more
// than steadyErrors standard errors of the difference and more than steadyShare of
// the middle third: seconds depend on each other, so that the usual two errors
// would cry wolf, and below a twentieth nobody would stop a run.
const (
	leastThird   = 4
	steadyErrors = 3.5
	steadyShare  = .05
)

// steadySoFar compares the last third of the window's seconds with the middle one.
func steadySoFar(window []second) Steady {
	ttft, answers := make([]float64, 0, len(window)), make([]float64, 0, len(window))
	for i := range window {
		answers = append(answers, float64(window[i].ok))
		if v := window[i].medianTTFT(); !math.IsNaN(v) {
			ttft = append(ttft, v)
		}
	}
	third := len(window) / 3
	s := Steady{State: TooEarly, Rests: fmt.Sprintf("%d s of the window, want %d s", len(window), 3*leastThird)}
	if third < leastThird {
		return s
	}
	s.State, s.Rests = Level, fmt.Sprintf("TTFT and answers, last %d s against %d s before", third, third)
	for _, series := range []struct {
		name   string
		values []float64
	}{{"TTFT", ttft}, {"answers per second", answers}} {
		if change, moved := drift(series.values); moved && math.Abs(change) > math.Abs(s.Change) {
			s.State, s.Series, s.Change = Moving, series.name, change
		}
	}
	return s
}

// drift is the change from the middle third of values to the last, and whether it
// counts.
func drift(values []float64) (change float64, moved bool) {
	n := len(values) / 3
	if n < leastThird {
		return 0, false
	}
	middle, middleVar := moments(values[len(values)-2*n : len(values)-n])
	last, lastVar := moments(values[len(values)-n:])
	if middle == 0 {
		return 0, false
	}
	difference := last - middle
	standardError := math.Sqrt((middleVar + lastVar) / float64(n))
	moved = math.Abs(difference) > steadyErrors*standardError && math.Abs(difference) > steadyShare*middle
	return difference / middle, moved
}

// moments are the mean and the variance.
func moments(values []float64) (mean, variance float64) {
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		variance += (v - mean) * (v - mean) / float64(len(values)-1)
	}
	return mean, variance
}

// windowSeconds are those of the measured window that the ring still holds.
func (v *Live) windowSeconds(now time.Time) []second {
	if v.at.window.IsZero() {
		return nil
	}
	if !v.at.closed.IsZero() {
		now = v.at.closed
	}
	return v.ring.last(v.at.window, now)
}
