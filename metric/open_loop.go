package metric

import (
	"assay/record"
	"assay/unit"
)

// OfferedRate is what the schedule asked for.
var OfferedRate = Metric{
	ID:     "offered_rate.v1",
	Name:   "offered rate",
	Unit:   unit.RequestPerSecond,
	Better: Higher,
	Doc:    "Open loop: requests that were due inside the measured window, divided by its length, whatever became of them.",
	Scope:  only(OpenLoop),
	Of: Whole(func(p *Point) (float64, bool) {
		due, open := p.openLoop()
		return float64(due) / p.Seconds(), open && p.Seconds() > 0
	}),
}

// SentRate is what really went out.
var SentRate = Metric{
	ID:     "sent_rate.v1",
	Name:   "sent rate",
	Unit:   unit.RequestPerSecond,
	Better: Higher,
	Doc:    "Open loop: requests that were sent inside the measured window, whenever they were due, divided by its length. Below the offered rate, the client was late or dropped calls.",
	Scope:  only(OpenLoop),
	Of: Whole(func(p *Point) (float64, bool) {
		sent := 0
		for _, t := range p.Requests {
			if t.Result != record.Dropped && p.Begin <= t.Sent && t.Sent < p.End {
				sent++
			}
		}
		_, open := p.openLoop()
		return float64(sent) / p.Seconds(), open && p.Seconds() > 0
	}),
}

// DropRate is the share of calls that found no room.
var DropRate = Metric{
	ID:     "drop_rate.v1",
	Name:   "drop rate",
	Unit:   unit.Share,
	Better: Lower,
	Doc:    "Open loop: measured requests that were never sent because maxInFlight was reached, divided by all measured requests.",
	Scope:  only(OpenLoop),
	Of: Share(func(p *Point) (dropped, due int) {
		due, open := p.openLoop()
		if !open {
			return 0, 0
		}
		for t := range p.Measured {
			if t.Result == record.Dropped {
				dropped++
			}
		}
		return dropped, due
	}),
}

// openLoop counts the measured requests and says whether a schedule sent them:
// those of a closed loop belong to a user, and those of a session follow the
// answers before them.
func (p *Point) openLoop() (due int, open bool) {
	for t := range p.Measured {
		due++
		open = t.User < 0 && t.Step == nil
	}
	return due, open
}
