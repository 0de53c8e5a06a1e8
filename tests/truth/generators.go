package main

import (
	"context"
	"fmt"
	"strings"

	"assay/bundle"
	"assay/record"
)

// generators measures a closed loop with one and with several load generators, each on a
// core of its own, and prints what they do together and what it costs their leader.
func generators(ctx context.Context, o options) error {
	if o.parts == nil {
		o.parts = []int{1, 2, 4, 8}
	}
	if o.users == nil {
		o.users = []int{2000}
	}
	o.launches = 1
	more := o.load
	for _, users := range o.users {
		fmt.Printf("%d users, answers of %d events %v apart, %v\n", users, o.answer.tokens, o.answer.gap, o.duration)
		fmt.Printf("%11s %11s %11s %9s %14s %14s %14s %14s\n", "generators", "requests/s", "events/s", "over one",
			"us/event each", "us/event lead", "bytes/event", "lead RSS MB")
		var one float64
		for _, n := range o.parts {
			o.load = more
			p, err := placeFor(n)
			if o.clientCores == 0 {
				p, err = placeFor(0)
			}
			if err != nil {
				return err
			}
			if n > 1 {
				o.load = strings.TrimPrefix(fmt.Sprintf("%s, generators: %d%s", more, n, pins(p)), ", ")
			}
			r, err := o.together(ctx, p, load{users: users})
			if err != nil {
				return err
			}
			if one == 0 {
				one = r.events / r.seconds
			}
			fmt.Printf("%11d %11.0f %11.0f %9.2f %14.2f %14.2f %14.1f %14.0f\n", n, r.requests/r.seconds, r.events/r.seconds, r.events/r.seconds/one,
				1e6*r.each/r.all, 1e6*r.lead/r.all, r.bytes/r.all, r.resident/1e6)
		}
	}
	return nil
}

// pins gives every generator a core of its own.
func pins(p place) string {
	if p.client == "" {
		return ""
	}
	return fmt.Sprintf(", launch: {kind: local, pin: {cpus: ['%s']}}", strings.ReplaceAll(p.client, ",", "', '"))
}

// A joint is what load generators did together.
type joint struct {
	requests, events, seconds float64 // of the measured window
	all                       float64 // events of every phase
	each, lead                float64 // processor seconds of all generators, and of the leader
	bytes                     float64 // to the leader
	resident                  float64 // of the leader
}

// together makes one run and reads what it says.
func (o options) together(ctx context.Context, p place, l load) (j joint, err error) {
	m, done, err := o.measure(ctx, p, l)
	if err != nil {
		return j, err
	}
	var begin, end int64
	for e, err := range bundle.Rows[record.Event](m.bundle, 0, bundle.Events) {
		if err != nil {
			return j, err
		}
		switch e.Name {
		case record.WindowBegin:
			begin = e.At
		case record.WindowEnd:
			end = e.At
		}
	}
	for r, err := range bundle.Rows[record.Request](m.bundle, 0, bundle.Requests) {
		if err != nil {
			return j, err
		}
		if j.all += float64(r.Chunks); r.Done >= begin && r.Done < end {
			j.requests++
			j.events += float64(r.Chunks)
		}
	}
	j.seconds = float64(end-begin) / 1e9
	j.each, j.resident = m.health.CPUSeconds, float64(m.health.MaxResidentBytes)
	for g, err := range bundle.Rows[record.Generator](m.bundle, 0, bundle.Generators) {
		if err != nil {
			return j, err
		}
		if j.lead == 0 {
			j.lead, j.each = m.health.CPUSeconds, 0
		}
		j.each += g.CPU
		j.bytes += float64(g.Received)
	}
	return j, done()
}
