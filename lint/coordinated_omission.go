package lint

import (
	"fmt"
	"math"
	"strings"

	"assay/finding"
	"assay/metric"
)

// CoordinatedOmission fires when the wait of a call for its turn is left out of
// its latency.
var CoordinatedOmission = Check{
	ID: "coordinated-omission", Code: "L-01", Severity: finding.Void, About: finding.Speed,
	Doc: "Latency in an open loop counts from when a request was sent, and not from when it was due.",
	When: "an open point whose requests belong to users; a stated E2E or service time within 1 % of the " +
		"one from sent and more than 1 % below the one from due, in an open loop",
	Applies: serves,
	Run:     coordinatedOmission,
}

// serves holds for runs that offer load.
func serves(f *Facts) bool { return f.Plan.Load() != nil }

const (
	// omissionShare is the difference between the two ways of counting from
	// which on they are two different figures.
	omissionShare = .01
	// omissionLag is the p99 of the send lag, as a share of the median latency,
	// beyond which a figure from sending leaves something out.
	omissionLag = .01
	// fewestOnTime is from how many requests on nobody is on time to the
	// nanosecond by luck.
	fewestOnTime = 10
)

func coordinatedOmission(f *Facts) Answer {
	places := f.places()
	if len(places) == 0 {
		return missing("requests of a measured window")
	}
	var answer Answer
	for _, p := range places {
		if !p.scheduled(f) {
			continue
		}
		measured := p.sum(measuredOf)
		if users := p.sum(func(t PointTally) int { return t.WithUser }); users > 0 {
			answer.Findings = append(answer.Findings, finding.Finding{
				Severity: finding.Void, Scope: p.scope(),
				Message: fmt.Sprintf("%s is an open loop in the plan, and %d of its %d measured requests belong to users who wait for their last answer", p.name, users, measured),
				Why:     "a closed loop sends less whenever the target is slow, and its latencies say so little about a given rate",
				Fix:     "call it a closed loop, or send at the times of the schedule",
			})
		}
		if onTime := p.sum(func(t PointTally) int { return t.OnTime }); onTime == measured && measured >= fewestOnTime {
			answer.Missing = "the times at which requests were due: in " + p.name + " each equals the time of sending"
		}
	}
	for _, s := range f.Statements {
		answer.Findings = append(answer.Findings, fromSending(f, places, s)...)
	}
	return answer
}

// scheduled holds for points whose requests leave at times that are known
// beforehand.
func (p placeTally) scheduled(f *Facts) bool {
	return p.point.Open() && p.point.Query == nil && f.Plan.Workload().Session == nil
}

// fromSending holds a stated latency against both ways of counting.
func fromSending(f *Facts, places []placeTally, s Statement) []finding.Finding {
	q, isQuantile := quantileOf(s.Statistic)
	m, _ := metricOf(s)
	sending := strings.HasPrefix(m.ID, "service_time.")
	if !isQuantile || m.ID != metric.E2E.ID && !sending {
		return nil
	}
	for _, p := range places {
		if s.Point != "" && s.Point != p.point.Name || !p.point.Open() {
			continue // in a closed loop the request exists when it is sent
		}
		due, sent := p.quantile(q, func(t PointTally) quantiler { return t.Response }), p.quantile(q, func(t PointTally) quantiler { return t.Service })
		near := math.Abs(s.Value-sent) <= omissionShare*sent
		if !near || due-sent <= omissionShare*due {
			continue
		}
		if sending && !lags(f, p) {
			continue
		}
		return []finding.Finding{{
			Severity: finding.Void, Scope: p.scope(),
			Message: fmt.Sprintf("%s: the %s of %s that is stated counts from sending; from when the requests were due it is %s", p.name, s.Statistic, duration(s.Value), duration(due)),
			Why:     "what a call waits for its turn at the client is left out, and a user would have waited for it",
			Fix:     "state the figure of e2e.v2",
		}}
	}
	return nil
}

// lags holds where the send lag is a part of the latency worth naming.
func lags(f *Facts, p placeTally) bool {
	lag, ok := find(f, metric.Lag.ID, "p99", p)
	middle, has := find(f, metric.E2E.ID, "p50", p)
	return ok && has && lag.Value > omissionLag*middle.Value
}

// quantileOf reads a statistic such as p99.
func quantileOf(statistic string) (float64, bool) {
	var percent float64
	if n, err := fmt.Sscanf(statistic, "p%f", &percent); n != 1 || err != nil || percent <= 0 || percent >= 100 {
		return 0, false
	}
	return percent / 100, true
}
