// Package schedule says when runs are due and what becomes of those that cannot start in
// time. It is arithmetic alone: it reads no clock, starts nothing and remembers nothing.
// Whoever uses it (the operator, for a BenchmarkSchedule) keeps a State between two
// decisions, so that every due time is decided exactly once: a run starts, or the time is
// counted as missed with a reason.
package schedule

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // an image without zone files must not move a nightly run to another hour

	"github.com/robfig/cron/v3"
)

// Times are the moments that a cron expression names in a time zone.
//
// An hour that the zone leaves out in spring has no due times that day, and one that it
// repeats in autumn has them twice, as cron has it. UTC has neither.
type Times struct {
	cron cron.Schedule
	zone *time.Location
}

// example is a cron expression for messages.
const example = `five fields such as "0 2 * * *", or @daily`

// Parse reads a cron expression of five fields, or @hourly, @daily and the like. An empty
// zone is UTC.
func Parse(expression, zone string) (Times, error) {
	in, err := Zone(zone)
	if err != nil {
		return Times{}, err
	}
	switch {
	case strings.Contains(expression, "TZ="):
		return Times{}, errors.New("names a time zone: want it in timeZone")
	case strings.HasPrefix(strings.TrimSpace(expression), "@every"):
		// Its times would depend on when somebody began to count.
		return Times{}, errors.New("@every has no fixed times: want fields, such as */10 * * * *")
	}
	parsed, err := cron.ParseStandard(expression)
	if err != nil {
		return Times{}, fmt.Errorf("%w: want %s", err, example)
	}
	t := Times{cron: parsed, zone: in}
	// Five years are looked through, which holds a leap day.
	if t.After(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return Times{}, errors.New("never happens: want a day that the calendar has")
	}
	return t, nil
}

// Zone is a time zone by its name in the IANA database; empty is UTC.
func Zone(name string) (*time.Location, error) {
	if name == "Local" {
		return nil, errors.New("the zone Local differs from machine to machine: want a name such as Europe/Berlin, or UTC")
	}
	in, err := time.LoadLocation(cmp.Or(name, "UTC"))
	if err != nil {
		return nil, fmt.Errorf("%w: want a name such as Europe/Berlin, or UTC", err)
	}
	return in, nil
}

// After is the first due time after t; zero where there is none.
func (t Times) After(at time.Time) time.Time {
	next := t.cron.Next(at.In(t.zone))
	if next.IsZero() {
		return next
	}
	return next.UTC()
}

// latest is the last due time in (since, now]; zero where there is none. It looks back in
// growing steps, so that a month of minutes is not walked through.
func (t Times) latest(since, now time.Time) (due time.Time) {
	for back := time.Minute; due.IsZero(); back *= 2 {
		from := now.Add(-back)
		reached := !from.After(since)
		if reached {
			from = since
		}
		for next := t.After(from); !next.IsZero() && !next.After(now); next = t.After(next) {
			due = next
		}
		if reached {
			break
		}
	}
	return due
}
