package live

import (
	"fmt"
	"math"
	"strings"
	"time"

	"assay/plan"
	"assay/run"
	"assay/run/watch"
	"assay/visible"
)

// follow writes a line in every interval until Stop.
func (w *Watch) follow() {
	tick := time.NewTicker(w.opts.Interval)
	defer tick.Stop()
	for {
		select {
		case <-w.end:
			return
		case now := <-tick.C:
			text := line(w.Live.Snapshot(), now)
			w.mu.Lock()
			fmt.Fprintln(w.opts.Out, text)
			w.mu.Unlock()
		}
	}
}

// step is a step of the run as a line.
func step(p run.Progress, now time.Time) string {
	text := p.Message
	if p.Point != "" {
		text = p.Point
	}
	if p.Side != "" {
		text = p.Side + "  " + text
	}
	return fmt.Sprintf("%s  launch %d of %d  %s", now.Format(time.TimeOnly), p.Launch+1, p.Launches, visible.Line(text))
}

// line is a run at one moment.
func line(s watch.Snapshot, now time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  ", now.Format(time.TimeOnly))
	if s.Launch > 0 {
		fmt.Fprintf(&b, "launch %d of %d  ", s.Launch, s.Launches)
	}
	if s.Side != "" {
		b.WriteString(s.Side + "  ")
	}
	if s.Number > 0 && loaded(s.Stage) {
		b.WriteString(s.Point.Name + "  ")
	}
	b.WriteString(string(s.Stage))
	if loaded(s.Stage) {
		if s.PointProgress.Known {
			b.WriteString(" " + percent(s.PointProgress.Share))
		}
		if s.Point.Kind() == plan.KindServing {
			fmt.Fprintf(&b, "  %s  in flight %d  TTFT p50 %s p99 %s", perSecond(s.Achieved), s.InFlight, latency(s.TTFT.P50), latency(s.TTFT.P99))
		}
	}
	if s.Point.Kind() == plan.KindServing {
		fmt.Fprintf(&b, "  errors %d of %d", s.Failed, s.Requests)
	}
	if s.RunProgress.Known && s.Stage != watch.Judging {
		fmt.Fprintf(&b, "  run %s, %s", percent(s.RunProgress.Share), left(s.RunProgress.Left))
	}
	if h := healthNow(s); len(h.own) > 0 && loaded(s.Stage) && s.Point.Kind() == plan.KindServing {
		b.WriteString("  WARNING the client is the limit: " + h.own[0])
	}
	return b.String()
}

// loaded reports whether calls are sent in a stage.
func loaded(stage watch.Stage) bool {
	return stage == watch.WarmingUp || stage == watch.Measuring || stage == watch.CoolingDown
}

func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

// left is a time to come, as exactly as anybody could know it.
func left(d time.Duration) string {
	switch {
	case d == 0:
		return "any moment now"
	case d >= 90*time.Minute:
		return fmt.Sprintf("about %.1f h left", d.Hours())
	case d >= 90*time.Second:
		return fmt.Sprintf("about %.0f min left", d.Minutes())
	}
	return fmt.Sprintf("about %.0f s left", math.Ceil(d.Seconds()))
}
