package report

import (
	"bytes"
	"fmt"
	"strings"

	"assay/judge"
	"assay/metric"
	"assay/plan"
	"assay/spec"
	"assay/unit"
)

// ReplayText tells how much of the trace was asked, and how fast.
func ReplayText(r judge.Replay, sessions bool) string {
	rate := unit.RequestPerSecond
	if sessions {
		rate = unit.SessionPerSecond
	}
	parts := []string{
		fmt.Sprintf("%s %s (%s): %d of %d requests, %.3g %%", r.Name, r.Digest, r.Format, r.Used, r.Requests, 100*r.Share),
		fmt.Sprintf("gaps × %g", r.Scale),
		fmt.Sprintf("recorded %s, offered %s", unit.Format(r.RecordedRate, unit.RequestPerSecond), unit.Format(r.OfferedRate, rate)),
	}
	if r.SharedInput > 0 {
		parts = append(parts, fmt.Sprintf("%.3g %% of the prompt tokens in blocks that an earlier request had", 100*r.SharedInput))
	}
	return strings.Join(parts, "; ")
}

// loadText says who decides when requests leave.
func loadText(w spec.Workload) string {
	const counted = countedFromDue
	switch open := w.ConcurrencyModel == spec.OpenLoop; {
	case open && w.Session != nil:
		return "open loop of sessions: they begin on schedule, and inside one each step follows the answers before it" + counted
	case open:
		return "open loop: requests leave on schedule, whatever the target does" + counted
	case w.Session != nil:
		return "closed loop of sessions: the load follows the target's speed" + counted
	}
	return "closed loop: the load follows the target's speed" + counted
}

const countedFromDue = "; latencies count from when each request was due"

// SessionText says what sessions are like.
func SessionText(s *spec.Session) string {
	parts := []string{"from " + s.From}
	add := func(yes bool, format string, args ...any) {
		if yes {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(s.Turns > 0, "%d turns", s.Turns)
	add(s.SystemTokens > 0, "system text of %d tokens", s.SystemTokens)
	add(s.ThinkTime > 0, "think time %v", s.ThinkTime)
	for _, t := range s.AllTools() {
		name := ""
		if len(s.Tools) > 0 {
			name = " of " + t.Name
		}
		add(len(t.Command) > 0, "real tool%s %s", name, strings.Join(t.Command, " "))
		add(len(t.Command) == 0, "injected tool time%s %v", name, t.Time)
	}
	if s.Fork != nil {
		add(true, "%d branches before every %d turns", s.Fork.Branches, s.Fork.Every)
	}
	if s.History == spec.HistoryLive {
		parts = append(parts, "live history: later turns repeat what the target said, so what is asked depends on it")
	} else {
		parts = append(parts, "recorded history: later turns repeat text known beforehand")
	}
	return strings.Join(parts, ", ")
}

// warnOfSessions says that the window was too short for sessions.
func warnOfSessions(b *bytes.Buffer, r Report, point plan.Point) {
	if _, any := r.Estimates.Find(metric.SessionTime.ID, "p50", point.Index); r.Plan.Workload().Session != nil && !any {
		fmt.Fprintln(b, "  no session that began in the measured window was completed: make load.duration longer than a session")
	}
}
