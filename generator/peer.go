package generator

import (
	"errors"
	"fmt"
	"time"

	"assay/record"
)

// A peer is one generator as its leader knows it.
type peer struct {
	number int
	line   *line // nil until it has joined
	hello  Hello
	joined int64 // on the launch's clock
	heard  int64 // its last word, on this host's clock

	asked int64 // t1 of the ping that is out
	when  string
	pings []record.Ping

	stage       Stage
	idle        bool // it has nothing to send at the point
	entered     map[record.Phase]int64
	tally       Tally
	done        Report              // of the point
	spent       Vitals              // of all points
	rows        int64               // requests
	calibration *record.Calibration // the last one
	ready       int64               // on the launch's clock

	exit  string // how its process ended; empty while it runs
	ended bool   // it was told that there is nothing more to do
	fault error  // why it is lost
}

// A LostError says which load generator is gone or cannot go on, and why.
type LostError struct {
	Number int
	Host   string
	Err    error
}

func (e *LostError) Error() string {
	host := ""
	if e.Host != "" {
		host = " on " + e.Host
	}
	return fmt.Sprintf("load generator %d%s: %v", e.Number, host, e.Err)
}

func (e *LostError) Unwrap() error { return e.Err }

// lose keeps the first reason.
func (p *peer) lose(err error) {
	if p.fault == nil && !p.ended {
		p.fault = err
	}
}

// lost is an error once the generator cannot be counted on. What ended the process
// explains more than the line that broke with it.
func (p *peer) lost(now int64, hang time.Duration) error {
	var why error
	switch {
	case p.ended:
		return nil
	case p.exit != "" && p.stage != Failed:
		why = fmt.Errorf("its process %s", p.exit)
	case p.fault != nil:
		why = p.fault
	case p.line != nil && now-p.heard > int64(hang):
		why = fmt.Errorf("it has said nothing for %v", hang)
	default:
		return nil
	}
	return p.error(why)
}

func (p *peer) error(err error) error { return &LostError{p.number, p.hello.Host, err} }

// report takes in what the generator says of its work.
func (p *peer) report(r Report, at int64) {
	p.heard = at
	switch r.Stage {
	case Entered:
		p.enter(r.Phase, r.At)
		return
	case Alive:
		return
	case Counted:
		p.tally = r.Tally
		return
	case Failed:
		p.lose(errors.New(r.Error))
	case Prepared:
		p.idle = r.Idle
	case Calibrated:
		if r.Calibration == nil {
			p.lose(errors.New("it says that it has measured its own error, and not what it found"))
			return
		}
		p.calibration = r.Calibration
	case Done:
		p.tally, p.done = r.Tally, r
		p.spend(r.Vitals)
	}
	p.stage = r.Stage
}

// enter keeps when a phase of the point began. What comes outside of a point, or names
// no phase, is of no use to anybody, and must neither stop the leader nor fill its memory.
func (p *peer) enter(phase record.Phase, at int64) {
	switch phase {
	case record.Warmup, record.Measure, record.Cooldown:
		if p.entered != nil {
			p.entered[phase] = at
		}
	}
}

func (p *peer) spend(v *Vitals) {
	if v == nil {
		return
	}
	p.spent.CPU += v.CPU
	p.spent.Wall += v.Wall
	p.spent.Resident = max(p.spent.Resident, v.Resident)
	p.spent.Collections += v.Collections
	p.spent.LongestPause = max(p.spent.LongestPause, v.LongestPause)
}

// ponged completes an exchange of stamps.
func (p *peer) ponged(told []int64, at, epoch int64) {
	p.heard = at
	if p.asked == 0 || told[0] != p.asked {
		return // of a ping that was given up, or of none
	}
	p.asked = 0
	p.pings = append(p.pings, record.Ping{
		World: record.GeneratorWorld, Rank: int32(p.number), When: p.when,
		T1: told[0] - epoch, T2: told[1], T3: told[2], T4: at - epoch,
	})
}

// alignment is the offset of the generator's clock against CLOCK_MONOTONIC of the
// leader's launch, from the exchange before the measurement, and how far it may be off:
// what the clocks drifted apart until later exchanges widens that.
func (p *peer) alignment() (offset, bound int64, ok bool) {
	if offset, bound, ok = nearest(p.pings, Before); !ok {
		return 0, 0, false
	}
	for _, when := range []string{Between, After} {
		if later, off, ok := nearest(p.pings, when); ok {
			bound = max(bound, max(later-offset, offset-later)+off)
		}
	}
	return offset, bound, true
}

// nearest takes the exchange with the shortest way there and back: of all of them it
// waited least.
func nearest(pings []record.Ping, when string) (offset, bound int64, ok bool) {
	for _, p := range pings {
		o, b, fine := p.Offset()
		if p.When == when && fine && (!ok || b < bound) {
			offset, bound, ok = o, b, true
		}
	}
	return offset, bound, ok
}
