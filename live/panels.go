package live

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"assay/metric"
	"assay/run/watch"
	"assay/visible"
)

// A screen is where a snapshot is drawn.
type screen struct {
	look
	width, height int
}

// body is the run at one moment, in at most height lines. A wide terminal has the
// points that are over beside the one under way, a narrow one below it; the log takes
// what the rest leaves.
func (c screen) body(s watch.Snapshot) []string {
	if c.width >= wide {
		return c.columns(s)
	}
	lines := c.now(s)
	table := min(len(s.Finished)+1, max(leastTable, c.height-len(lines)-leastLog))
	if len(s.Finished) == 0 {
		table = 0
	}
	if c.height-len(lines) < leastLog+table {
		lines = tight(lines)
	}
	table = min(table, c.height-len(lines)-1)
	lines = append(lines, c.finished(s, table)...)
	if room := c.height - len(lines); room > 0 {
		lines = append(lines, c.log(s.Log, room)...)
	}
	return lines[:min(len(lines), c.height)]
}

// leastTable is a heading and the last two points.
const leastTable = 3

// now is the point under way.
func (c screen) now(s watch.Snapshot) []string {
	lines := c.progress(s)
	lines = append(lines, "")
	lines = append(lines, c.load(s)...)
	lines = append(lines, "")
	lines = append(lines, c.latencies(s)...)
	lines = append(lines, "")
	lines = append(lines, c.objectives(s)...)
	lines = append(lines, c.verdicts(s)...)
	return append(lines, c.beside(s, max(1, c.height-len(lines)-leastLog))...)
}

// leastLog is how many lines of log are worth the blank lines above.
const leastLog = 3

// tight leaves blank lines out.
func tight(lines []string) []string {
	var kept []string
	for _, l := range lines {
		if l != "" {
			kept = append(kept, l)
		}
	}
	return kept
}

// progress says where the run is.
func (c screen) progress(s watch.Snapshot) []string {
	title := paint(boldText, "assay") + "  " + visible.Line(s.Name)
	lines := []string{spread(title, "running for "+clock(s.Elapsed), c.width)}
	lines = append(lines, c.gauge("run", s.RunProgress))
	where := fmt.Sprintf("launch %d of %d", s.Launch, s.Launches)
	if s.Side != "" {
		where += " · " + visible.Line(s.Side)
	}
	switch {
	case s.Number > 0 && s.Searching:
		where += fmt.Sprintf(" · probe %d of a search · %s", s.Number, s.Point.Name)
	case s.Number > 0:
		where += fmt.Sprintf(" · point %d of %d · %s", s.Number, s.Of, s.Point.Name)
	}
	lines = append(lines, label("at")+where)
	if loaded(s.Stage) {
		return append(lines, c.gauge(string(s.Stage), s.PointProgress))
	}
	return append(lines, label("now")+paint(boldText, string(s.Stage)))
}

// gauge is a bar with its share and the time left.
func (c screen) gauge(name string, p watch.Progressed) string {
	const text = 26 // for the share and the time
	head := padded(name, labelWidth)
	if !p.Known {
		return paint(blueText, head) + "how long it takes is not known"
	}
	width := max(4, min(60, c.width-ansi.StringWidth(head)-text))
	return paint(blueText, head) + c.bar(p.Share, width) + fmt.Sprintf(" %4s  %s", percent(p.Share), left(p.Left))
}

// clock is a time that has passed, as a stopwatch shows it.
func clock(d time.Duration) string {
	s := int(d.Seconds())
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// load says what is sent and what comes back.
func (c screen) load(s watch.Snapshot) []string {
	offered := "offered " + perSecond(s.Offered)
	switch {
	case s.Point.Rate > 0:
		offered += " of " + perSecond(s.Point.Rate) + " planned"
	case s.Point.Concurrency > 0:
		offered += " by " + several(int64(s.Point.Concurrency), "user")
	}
	sent := fmt.Sprintf("%s · answered %s · in flight %s", offered, perSecond(s.Achieved), grouped(s.InFlight))
	if s.Client.Dropped > 0 {
		sent += paint(redText, fmt.Sprintf(" · dropped %s", grouped(s.Client.Dropped)))
	}
	return []string{label("load") + sent, label("errors") + c.errors(s)}
}

func (c screen) errors(s watch.Snapshot) string {
	if s.Failed == 0 {
		return "none in " + several(s.Requests, "request")
	}
	text := fmt.Sprintf("%s of %s (%.2g %%)", grouped(s.Failed), several(s.Requests, "request"), 100*float64(s.Failed)/float64(s.Requests))
	text = paint(redText, text) + ": "
	for i, e := range s.Errors {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s %s", e.Kind, grouped(e.Count))
	}
	return text
}

// latencies are the percentiles so far beside the last minute.
func (c screen) latencies(s watch.Snapshot) []string {
	of := "measured so far"
	if s.Stage == watch.WarmingUp {
		of = "warm-up, not measured"
	}
	const column = 10
	from := labelWidth + 3*column
	width := max(0, min(60, c.width-from-12)) // 12 for the largest value
	drawn := func(values []float64, show func(float64) string) string {
		if width < 8 || len(values) == 0 {
			return ""
		}
		line, most := c.spark(values, width)
		return line + " ≤" + show(most)
	}
	head := paint(blueText, padded("latency", labelWidth)+padded("p50", column)+padded("p90", column)+padded("p99", column))
	if width >= 8 {
		head += paint(blueText, fmt.Sprintf("by second, last %d s", width))
	}
	row := func(name string, l watch.Ladder, tail string) string {
		return label(name) + padded(latency(l.P50), column) + padded(latency(l.P90), column) + padded(latency(l.P99), column) + tail
	}
	rate := func(name, text string, values []float64, show func(float64) string) string {
		return label(name) + padded(text, 3*column) + drawn(values, show)
	}
	return []string{
		head,
		row("TTFT", s.TTFT, drawn(s.TTFTs, latency)),
		row("ITL", s.ITL, ""),
		row("E2E", s.E2E, paint(blueText, of+": "+several(s.E2E.N, "answer")+scarce(s.E2E))),
		rate("answers", perSecond(s.Achieved), s.Answers, number),
		rate("output", number(s.OutputTokens)+" tok/s", s.Tokens, number),
	}
}

// scarce says what a percentile waits for.
func scarce(l watch.Ladder) string {
	if l.N == 0 || l.N >= l.Need {
		return ""
	}
	return fmt.Sprintf("; p99 needs %s", grouped(l.Need))
}

// verdicts are what can be said so far.
func (c screen) verdicts(s watch.Snapshot) []string {
	steady := string(s.Steady.State)
	switch s.Steady.State {
	case watch.Level:
		steady = paint(greenText, "level so far")
	case watch.Moving:
		steady = paint(amberText, fmt.Sprintf("moving so far: %s %+.0f %%", s.Steady.Series, 100*s.Steady.Change))
	}
	h := healthNow(s)
	client := s.Client
	lag := none
	if client.LagP99 != nil {
		lag = latency(*client.LagP99)
	}
	pause := none
	if client.GCPauseMax != nil {
		pause = latency(*client.GCPauseMax)
	}
	if c.width >= 90 && h.lag > 0 {
		lag += " (limit " + latency(h.lag) + ")"
	}
	figures := fmt.Sprintf("lag p99 %s · CPU %s · GC %s · CPU contention (PSI) %s", lag, share(client.CPUShare), pause, share(client.Pressure))
	mark, verdict := greenText, "keeps up"
	switch {
	case len(h.own) > 0:
		mark, verdict = redText, "! THE CLIENT IS THE LIMIT: "+strings.Join(h.own, "; ")
	case len(h.around) > 0:
		mark, verdict = amberText, "keeps up on a busy host: "+strings.Join(h.around, "; ")
	case client.LagP99 == nil:
		mark, verdict = "", "not known yet"
	}
	if s.Steady.Rests != "" {
		steady += " (" + s.Steady.Rests + ")"
	}
	lines := []string{label("steady") + steady}
	lines = append(lines, c.wrapped("client", mark, verdict)...)
	return append(lines, c.wrapped("", "", figures)...)
}

// wrapped sets text beside a name, in as many lines as it needs.
func (c screen) wrapped(name, mark, text string) []string {
	var lines []string
	for _, l := range strings.Split(ansi.Wordwrap(text, max(20, c.width-labelWidth), ""), "\n") {
		lines = append(lines, label(name)+paint(mark, l))
		name = ""
	}
	return lines
}

// beside are the server and the devices, in at most room lines.
func (c screen) beside(s watch.Snapshot, room int) []string {
	var lines []string
	if len(s.Server) > 0 {
		var parts []string
		for _, g := range s.Server {
			if metric.SharedLevel(g.What) {
				parts = append(parts, g.What+" "+percent(g.Mean))
			} else {
				parts = append(parts, g.What+" "+number(g.Sum))
			}
		}
		lines = append(lines, label("server")+strings.Join(parts, " · "))
	}
	if p := s.Client.HostPower; p != nil {
		lines = append(lines, label("host")+number(*p)+" W of the processor packages")
	}
	if len(s.GPUs) > 1 && len(lines)+len(s.GPUs) > room {
		return append(lines, label("GPUs")+fmt.Sprintf("%d: ", len(s.GPUs))+gpu(together(s.GPUs)))
	}
	for i, g := range s.GPUs {
		lines = append(lines, label(fmt.Sprintf("GPU %d", i))+gpu(g))
	}
	return lines
}

// together are several devices as one: mean use, power of all, the hottest.
func together(list []watch.GPU) (all watch.GPU) {
	var use, power, hottest, n float64
	for _, g := range list {
		if g.Utilisation != nil {
			use += *g.Utilisation
			n++
			mean := use / n
			all.Utilisation = &mean
		}
		if g.Power != nil {
			power += *g.Power
			all.Power = &power
		}
		if g.Temperature != nil {
			hottest = max(hottest, *g.Temperature)
			all.Temperature = &hottest
		}
	}
	return all
}

func gpu(g watch.GPU) string {
	text := "busy " + share(g.Utilisation)
	if g.Power != nil {
		text += " · " + number(*g.Power) + " W"
	}
	if g.Temperature != nil {
		text += " · " + number(*g.Temperature) + " °C"
	}
	return text
}

// log are the last lines, newest last.
func (c screen) log(lines []watch.LogLine, room int) []string {
	var out []string
	for _, l := range lines[max(0, len(lines)-room):] {
		out = append(out, paint(blueText, l.At.Format(time.TimeOnly))+" "+visible.Line(l.Text))
	}
	return out
}
