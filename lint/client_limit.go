package lint

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/finding"
	"assay/metric"
	"assay/unit"
)

// ClientLimit fires when the client, and not the target, was the limit.
var ClientLimit = Check{
	ID: "client-limit", Code: "L-02", Severity: finding.Void, About: finding.Speed,
	Doc: "The benchmark was slower than the system it measured.",
	When: "the p50, p90 or p99 of the send lag is more than 5 % of the same percentile of TTFT (of E2E " +
		"without streaming), or of the turnaround more than 5 % of that of E2E, or than the half-width of its interval where that is up to 10 %; more than 0.1 % of " +
		"the calls of a search dropped (in-flight-cap covers other runs); an interval with more than " +
		"80 % of the client's processors in use; a garbage collection pause above 10 ms within a measured window; throttling " +
		"by a control group; an open loop more than 1 % off its rate. CPU pressure above 5 %, steal " +
		"above 1 %, threads waiting for more than 5 % of the time, more than 1 % shared reads (a " +
		"server may also send several events at once) and squeezed receive buffers support these; the " +
		"last three alone are a note. Void: in most launches of a point the p99 of the send lag or the turnaround is more than " +
		"half of the p50 of E2E, or the p50 of the send lag more than half of the p50 of TTFT, because closed-loop " +
		"users then wait as long for the client as for the target. The send lag forbids the times and rates of " +
		"these points, the turnaround their rates alone: each answer took as long as it says, but fewer were asked for than planned",
	Applies: serves,
	Run: func(f *Facts) Answer {
		answer := found(clientLimit(f)...)
		for _, h := range f.Client.Launches {
			if h.LagP99 == nil || h.CPUShareMax == nil {
				answer.Missing = fmt.Sprintf("send lag and processor time of the client in launch %d", h.Launch+1)
			}
		}
		return answer
	},
}

// The limits beyond which a client is no longer a bystander. Beyond four fifths of its
// processors a client queues; a host in which somebody waits for a processor a twentieth
// of the time has none to spare.
const (
	limitDropped  = .001
	limitCPU      = .8
	limitShared   = .01
	limitPause    = 10e-3
	limitPressure = .05
	limitSteal    = .01
	limitRunQueue = .05
	limitRate     = .01
)

func clientLimit(f *Facts) []finding.Finding {
	own := lagging(f)
	var around, alone []string
	for _, h := range f.Client.Launches {
		own = append(own, exceeded(h, ownLimits)...)
		around = append(around, exceeded(h, hostLimits)...)
		alone = append(alone, exceeded(h, besideLimits)...)
		if total := h.Requests + h.Dropped; !capped(f) && total > 0 && float64(h.Dropped) > limitDropped*float64(total) {
			own = append(own, fmt.Sprintf("launch %d: %d of %d calls dropped for want of room", h.Launch+1, h.Dropped, total))
		}
	}
	own = append(own, offRate(f)...)
	late := lateClient(f)
	for i := range late {
		late[i].Evidence = slices.Concat(late[i].Evidence, own, around)
	}
	switch {
	case len(late) > 0:
		return late
	case len(own) > 0:
		return []finding.Finding{{
			Severity: finding.Caution,
			Message:  "the client was a limit: " + summary(own),
			Why:      "the client's delay is in every latency of an open loop, and lowers the load of a closed one",
			Fix:      "lower the load, give the client processors of its own, or split the load over several generators",
			Evidence: append(own, around...),
		}}
	case len(alone) > 0:
		return []finding.Finding{{
			Severity: finding.Note,
			Message:  "the client's host was busy, though the client kept up: " + summary(alone),
			Fix:      "use a quieter host where small differences matter",
			Evidence: around,
		}}
	}
	return nil
}

// A lateLimit says which part of a reported median the client's delay may be before the
// figures are the client's.
type lateLimit struct {
	delay     metric.Metric
	statistic string
	of        metric.Metric
	share     float64
}

// lateLimits hold the tail of the delay against whole answers: beyond half of one, the
// users of a closed loop wait as long for the client as for the target, and fewer are
// served at a time than the plan says. The usual lag is held against the first token.
// What is late before an answer is in its times; what is late after it is in the rates.
var lateLimits = []struct {
	rates  bool // nothing else is spoiled
	limits []lateLimit
}{
	{false, []lateLimit{{metric.Lag, "p99", metric.E2E, .5}, {metric.Lag, "p50", metric.TTFT, .5}}},
	{true, []lateLimit{{metric.Turnaround, "p99", metric.E2E, .5}}},
}

// lateClient looks for points in most of whose launches the client was later than a limit:
// a busy moment spoils a launch, not a run.
func lateClient(f *Facts) (list []finding.Finding) {
	for _, kind := range lateLimits {
		var late []string
		var scope finding.Scope
		for _, limit := range kind.limits {
			for _, lag := range rowsOf(f, limit.delay.ID, limit.statistic) {
				at := placeTally{side: lag.Side}
				at.point.Index = lag.Point
				reported, ok := find(f, limit.of.ID, "p50", at)
				if !ok || 2*beyondShare(lag, reported, limit.share) <= len(lag.PerLaunch) {
					continue
				}
				late = append(late, fmt.Sprintf("%s: %s %s %s, %s p50 %s (limit %.0f %%)", rowName(f, lag), limit.delay.Name, limit.statistic,
					duration(lag.Value), limit.of.Name, duration(reported.Value), 100*limit.share))
				scope.Points = append(scope.Points, pointName(f, lag.Point))
			}
		}
		if len(late) == 0 {
			continue
		}
		if kind.rates {
			scope.Metrics = rates(f)
		}
		list = append(list, finding.Finding{
			Severity: finding.Void,
			Message:  "the client's delay is a large part of what is reported: " + summary(late),
			Why:      "the load was less than the plan says, and the times are those of a client that could not keep up",
			Fix:      "lower the load, give the client processors of its own, or split the load over several generators",
			Evidence: late,
			Scope:    scope,
		})
	}
	return list
}

// rates are the metrics of f that say how much was done in a time, or at what price.
func rates(f *Facts) (ids []string) {
	units := []unit.Unit{unit.TokenPerSecond, unit.RequestPerSecond, unit.SessionPerSecond, unit.Dollar, unit.Joule}
	for _, row := range f.Estimates.Rows {
		if slices.Contains(units, row.Unit) && !slices.Contains(ids, row.Metric) {
			ids = append(ids, row.Metric)
		}
	}
	return ids
}

// beyondShare counts the launches in which part is more than a share of whole.
func beyondShare(part, whole metric.Row, share float64) (n int) {
	for _, p := range part.PerLaunch {
		for _, w := range whole.PerLaunch {
			if p.Launch == w.Launch && p.Value > share*w.Value {
				n++
			}
		}
	}
	return n
}

// summary shows the first few; the evidence holds all.
func summary(list []string) string {
	const most = 3
	text := strings.Join(list[:min(most, len(list))], "; ")
	if more := len(list) - most; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// A limit is one figure of the health block and the most it may be.
type limit struct {
	of   func(metric.ClientHealth) *float64
	most float64
	say  func(v, most float64) string
}

func share(what string) func(v, most float64) string {
	return func(v, most float64) string { return fmt.Sprintf("%s %.1f %% (limit %.3g %%)", what, 100*v, 100*most) }
}

func seconds(what string) func(v, most float64) string {
	return func(v, most float64) string {
		return fmt.Sprintf("%s %s (limit %s)", what, duration(v), duration(most))
	}
}

var ownLimits = []limit{
	{func(h metric.ClientHealth) *float64 { return h.CPUShareMax }, limitCPU, share("busiest interval used of the client's processors")},
	{func(h metric.ClientHealth) *float64 { return h.GCPauseMax }, limitPause, seconds("garbage collection pause")},
	{func(h metric.ClientHealth) *float64 { return h.Throttled }, 0, seconds("held back by the control group's limit")},
	{func(h metric.ClientHealth) *float64 { return h.HeatThrottles }, 0, func(v, _ float64) string {
		return fmt.Sprintf("heat slowed the host's processors %.0f times", v)
	}},
}

// hostLimits are what a busy host does to its programs. The first two say nothing about
// the client alone: noisy-neighbours and own-contention say whose work it was.
var hostLimits = append([]limit{
	{func(h metric.ClientHealth) *float64 { return h.CPUPressure }, limitPressure, share("CPU contention (PSI)")},
	{func(h metric.ClientHealth) *float64 { return h.Steal }, limitSteal, share("processor time taken by other machines")},
}, besideLimits...)

var besideLimits = []limit{
	{func(h metric.ClientHealth) *float64 { return h.RunQueue }, limitRunQueue, share("time that the client's threads waited for a processor")},
	{func(h metric.ClientHealth) *float64 { return h.SharedRead }, limitShared, share("output events that shared a read, unless the server sent them together,")},
	{func(h metric.ClientHealth) *float64 { return h.Pruned }, 0, func(v, _ float64) string {
		return fmt.Sprintf("received data squeezed or dropped %.0f times", v)
	}},
}

func exceeded(h metric.ClientHealth, limits []limit) []string {
	var list []string
	for _, text := range beyond(h, limits) {
		list = append(list, fmt.Sprintf("launch %d: %s", h.Launch+1, text))
	}
	return list
}

// offRate compares what was sent in an open loop with what was due. A call or two
// at the ends of the window are no evidence.
func offRate(f *Facts) []string {
	var list []string
	for _, point := range f.Plan.Points {
		offered, okOffered := f.Estimates.Find(metric.OfferedRate.ID, "value", point.Index)
		sent, okSent := f.Estimates.Find(metric.SentRate.ID, "value", point.Index)
		if !okOffered || !okSent || offered.Value == 0 {
			continue
		}
		due := offered.Value
		if dropped, ok := f.Estimates.Find(metric.DropRate.ID, "value", point.Index); ok && capped(f) {
			due *= 1 - dropped.Value // see in-flight-cap
		}
		off := math.Abs(sent.Value - due)
		if off > limitRate*due && off*point.Duration.Seconds() > 2 {
			list = append(list, fmt.Sprintf("%s: sent %.4g/s of %.4g/s due (limit 1 %%)", point.Name, sent.Value, due))
		}
	}
	return list
}
