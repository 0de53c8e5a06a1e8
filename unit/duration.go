package unit

import (
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// A Duration is a time.Duration that documents write as "250ms" or "2m".
// A bare number is refused: nobody can tell whether 30 means seconds.
type Duration time.Duration

const durationWant = "one of ns, us, ms, s, m, h, d (for example 250ms)"

var durationSuffixes = map[string]float64{
	"ns": 1, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "h": 3600e9, "d": 86400e9,
}

// ParseDuration reads a single number with a unit, such as "1.5s".
func ParseDuration(text string) (Duration, error) {
	ns, err := parse(text, durationSuffixes, durationWant)
	if err != nil {
		return 0, err
	}
	if math.Abs(ns) >= math.MaxInt64 {
		return 0, fmt.Errorf("got %q, want less than 292 years", text)
	}
	return Duration(math.Round(ns)), nil
}

// Std is d as the standard library's type.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// Seconds is d in seconds.
func (d Duration) Seconds() float64 { return time.Duration(d).Seconds() }

// String prints the shortest exact form that ParseDuration reads back.
func (d Duration) String() string {
	for _, s := range []struct {
		size   Duration
		suffix string
	}{
		{Duration(24 * time.Hour), "d"}, {Duration(time.Hour), "h"}, {Duration(time.Minute), "m"},
		{Duration(time.Second), "s"}, {Duration(time.Millisecond), "ms"}, {Duration(time.Microsecond), "us"},
	} {
		if d != 0 && d%s.size == 0 {
			return fmt.Sprintf("%d%s", d/s.size, s.suffix)
		}
	}
	if d == 0 {
		return "0s"
	}
	return fmt.Sprintf("%dns", int64(d))
}

// MarshalJSON writes the text form.
func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(d.String()) }

// UnmarshalJSON reads the text form.
func (d *Duration) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return fmt.Errorf("got %s, want %s", data, durationWant)
	}
	parsed, err := ParseDuration(text)
	*d = parsed
	return err
}
