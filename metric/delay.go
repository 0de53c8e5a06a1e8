package metric

import (
	"assay/record"
	"assay/unit"
)

// Lag is how late the instrument itself was against a schedule.
var Lag = Metric{
	ID:     "lag.v1",
	Name:   "send lag",
	Unit:   unit.Second,
	Better: Lower,
	Doc:    "Open loop: time from when a request was due to when assay handed it to the connection. It is part of TTFT and E2E, because the user waited for it; a large one says that the client was the limit.",
	Scope:  only(Scheduled),
	Of:     Each(single(func(t *Timeline) (float64, bool) { return delay(t), t.User < 0 })),
}

// Turnaround is how long the instrument itself took between two requests of a user.
var Turnaround = Metric{
	ID:     "turnaround.v1",
	Name:   "turnaround",
	Unit:   unit.Second,
	Better: Lower,
	Doc:    "Closed loop: time from when a user could ask again (the last answer has ended, the think time is over) to when assay handed the request to the connection. No part of TTFT and E2E; turnaround_share.v1 is its effect on the load.",
	Scope:  only(ClosedLoop),
	Of:     Each(single(func(t *Timeline) (float64, bool) { return delay(t), t.User >= 0 })),
}

// TurnaroundShare is what the turnaround does to the offered load.
var TurnaroundShare = Metric{
	ID:     "turnaround_share.v1",
	Name:   "load lost in turnaround",
	Unit:   unit.Share,
	Better: Lower,
	Detail: true,
	Doc:    "Closed loop: turnaround of the measured requests, divided by their turnaround and service time: the share of their time in which users had no request under way because of the client.",
	Scope:  only(ClosedLoop),
	Of: Whole(func(p *Point) (float64, bool) {
		var lost, all int64
		for t := range p.Measured {
			if t.User >= 0 && t.Result != record.Dropped {
				lost += t.Sent - t.Due
				all += t.Done - t.Due
			}
		}
		return float64(lost) / float64(all), all > 0
	}),
}

func delay(t *Timeline) float64 { return seconds(t.Sent - t.Due) }
