package arrival

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// The curves along which a stage reaches its rate.
const (
	Step        = "step"
	Linear      = "linear"
	Exponential = "exponential"
)

// A Stage is a stretch of time in which the rate goes from one value to another.
type Stage struct {
	Duration time.Duration
	From, To float64 // calls per second
	Curve    string  // empty means step: To throughout
}

// A Profile is the rate over time. After its last stage the last rate holds.
type Profile []Stage

// Steady is the profile of one rate that never changes.
func Steady(rate float64) Profile { return Profile{{To: rate, Curve: Step}} }

func (p Profile) check() error {
	if len(p) == 0 {
		return errors.New("no rate: want at least one stage")
	}
	for i, s := range p {
		switch {
		case s.Duration < 0 || !(s.From >= 0) || !(s.To >= 0) || math.IsInf(s.From+s.To, 0):
			return fmt.Errorf("stage %d: duration %v, rate %v to %v: want none below zero", i, s.Duration, s.From, s.To)
		case s.Curve == Exponential && (s.From == 0 || s.To == 0):
			return fmt.Errorf("stage %d: an exponential ramp from %v to %v/s: want both rates above zero", i, s.From, s.To)
		case s.Curve != "" && s.Curve != Step && s.Curve != Linear && s.Curve != Exponential:
			return fmt.Errorf("stage %d: ramp %q: want step, linear or exponential", i, s.Curve)
		}
	}
	return nil
}

// when is the time, in nanoseconds, at which n calls are expected to have come:
// the inverse of the integral of the rate. It is false when that never happens.
func (p Profile) when(n float64) (int64, bool) {
	begin := 0.0
	for _, s := range p {
		length := s.Duration.Seconds()
		if expected := s.expected(length); n > expected || expected == 0 {
			n -= expected
			begin += length
			continue
		}
		return nanoseconds(begin + s.reach(n))
	}
	last := p[len(p)-1].To
	if last == 0 {
		return 0, false
	}
	return nanoseconds(begin + n/last)
}

// farthest is the largest time a series has: beyond it nanoseconds overflow.
const farthest = float64(1 << 62)

func nanoseconds(seconds float64) (int64, bool) {
	ns := math.Round(seconds * 1e9)
	return int64(ns), ns < farthest
}

// expected is how many calls the first t seconds of the stage expect.
func (s Stage) expected(t float64) float64 {
	length := s.Duration.Seconds()
	switch {
	case t == 0:
		return 0
	case s.Curve == Linear:
		return s.From*t + (s.To-s.From)*t*t/(2*length)
	case s.Curve == Exponential && s.From != s.To:
		growth := math.Log(s.To/s.From) / length
		return s.From * math.Expm1(growth*t) / growth
	}
	return s.To * t
}

// reach is the inverse of expected.
func (s Stage) reach(n float64) float64 {
	length := s.Duration.Seconds()
	switch {
	case s.Curve == Linear && s.From != s.To:
		// The positive root of (To−From)/(2·length)·t² + From·t − n, in the form
		// that does not cancel when the slope is small.
		slope := (s.To - s.From) / length
		root := math.Sqrt(max(0, s.From*s.From+2*slope*n))
		if s.From+root == 0 {
			return 0
		}
		return min(length, 2*n/(s.From+root))
	case s.Curve == Exponential && s.From != s.To:
		growth := math.Log(s.To/s.From) / length
		return min(length, math.Log1p(growth*n/s.From)/growth)
	}
	return n / s.To
}
