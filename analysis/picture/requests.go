package picture

import (
	"math"
	"slices"

	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/stats"
	"assay/unit"
)

// launch draws one launch over time.
func (d *Drawing) launch(w metric.WatchedLaunch) (Launch, error) {
	l := Launch{Launch: w.Info.Index, Side: w.Info.Side, Windows: []Window{}, Series: []Series{}}
	var own []*metric.Timeline // the load: neither probes nor what came before the points
	for _, t := range w.Requests {
		if t.Point != metric.LaunchPoint && t.Phase != record.Probe {
			own = append(own, t)
			l.End = max(l.End, seconds(max(t.Due, t.Done)))
		}
	}
	if len(own) > 0 {
		l.Series = append(l.Series, d.requestSeries(own, l.End)...)
	}
	samples, end, err := readSamples(d.bundle, w)
	if err != nil {
		return l, err
	}
	l.Series = append(l.Series, samples...)
	l.End = rounded(max(l.End, end))
	l.Windows, err = readWindows(d.bundle, w.Info.Index, l.End)
	return l, err
}

// fewestForHigh is how many requests of a bin have a p99 that is not simply their
// slowest.
const fewestForHigh = 100

// A timeline gathers what happened to the load of a launch over time.
type timeline struct {
	bins
	open           bool        // some point is an open loop
	firsts, wholes [][]float64 // TTFT and E2E by bin

	offered, completed, failed *flow
	inFlight, tokens, items    *flow
	anyTokens, anyItems        bool
}

// requestSeries are what happened to the load of a launch over time.
func (d *Drawing) requestSeries(own []*metric.Timeline, end float64) []Series {
	begin := math.Inf(1)
	for _, t := range own {
		begin = min(begin, seconds(t.Due))
	}
	b := forRequests(begin, end, len(own))
	l := timeline{
		bins: b, open: slices.ContainsFunc(d.plan.Points, plan.Point.Open),
		firsts: make([][]float64, b.n), wholes: make([][]float64, b.n),
		offered: newFlow(b), completed: newFlow(b), failed: newFlow(b),
		inFlight: newFlow(b), tokens: newFlow(b), items: newFlow(b),
	}
	for _, t := range own {
		l.see(t)
	}
	return l.list()
}

func (l *timeline) see(t *metric.Timeline) {
	due, sent, done := seconds(t.Due), seconds(t.Sent), seconds(t.Done)
	l.offered.at(due, 1)
	if t.Result.Failure() {
		l.failed.at(max(due, done), 1) // a call that was dropped has no end
	}
	if t.Result == record.Dropped || done < sent {
		return // it was never sent
	}
	l.inFlight.add(sent, done, done-sent)
	first, last, streamed := t.OutputSpan()
	if n, ok := outputTokens(t); ok && streamed {
		l.anyTokens = true
		l.tokens.add(seconds(first), seconds(last), n)
	} else if ok {
		l.anyTokens = true
		l.tokens.at(done, n)
	}
	if t.Items != nil {
		l.anyItems = true
		l.items.at(done, float64(*t.Items))
	}
	if t.Result != record.OK {
		return
	}
	l.completed.at(done, 1)
	if i := l.of(due); i >= 0 {
		l.wholes[i] = append(l.wholes[i], done-due)
		if streamed {
			l.firsts[i] = append(l.firsts[i], seconds(first-t.Origin()))
		}
	}
}

// list makes the series, without those of which nothing was seen.
func (l *timeline) list() []Series {
	var list []Series
	add := func(name string, u unit.Unit, values []float64) {
		if s := l.series(name, Requests, "", u, values); !s.empty() {
			list = append(list, s)
		}
	}
	add(FirstTokenMedian, unit.Second, quantiles(l.firsts, .5, 1))
	add(FirstTokenHigh, unit.Second, quantiles(l.firsts, .99, fewestForHigh))
	add(FirstTokenMax, unit.Second, quantiles(l.firsts, 1, 1))
	add(WholeMedian, unit.Second, quantiles(l.wholes, .5, 1))
	if l.open {
		add(Offered, unit.RequestPerSecond, l.offered.perSecond())
	}
	add(Completed, unit.RequestPerSecond, l.completed.perSecond())
	add(Failed, unit.RequestPerSecond, l.failed.perSecond())
	if l.anyTokens {
		add(OutputTokens, unit.TokenPerSecond, l.tokens.perSecond())
	}
	if l.anyItems {
		add(OutputItems, unit.ItemPerSecond, l.items.perSecond())
	}
	add(InFlight, unit.Request, l.inFlight.perSecond())
	return list
}

// outputTokens are those that the server reports, or that assay counted.
func outputTokens(t *metric.Timeline) (float64, bool) {
	switch {
	case t.UsageOutput != nil:
		return float64(*t.UsageOutput), true
	case t.TokenizerOutput != nil:
		return float64(*t.TokenizerOutput), true
	}
	return 0, false
}

// quantiles is that of every bin which has enough values.
func quantiles(byBin [][]float64, q float64, fewest int) []float64 {
	out := make([]float64, len(byBin))
	for i, xs := range byBin {
		out[i] = math.NaN()
		if len(xs) >= fewest {
			slices.Sort(xs)
			out[i] = stats.OfRank(xs, q)
		}
	}
	return out
}
