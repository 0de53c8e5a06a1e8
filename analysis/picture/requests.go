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
func (d *Drawing) launch(w metric.Watched) (Launch, error) {
	l := Launch{Launch: w.Info.Index, Side: w.Info.Side, Windows: []Window{}, Series: []Series{}}
	var own []*metric.Timeline // the load: neither probes nor what came before the points
	for _, t := range w.Requests {
		if t.Point != metric.LaunchPoint && t.Phase != record.Probe {
			own = append(own, t)
			l.End = max(l.End, seconds(t.Done))
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

// requestSeries are what happened to the load of a launch over time.
func (d *Drawing) requestSeries(own []*metric.Timeline, end float64) []Series {
	begin := math.Inf(1)
	for _, t := range own {
		begin = min(begin, seconds(t.Due))
	}
	b := forRequests(begin, end, len(own))
	firsts, wholes := make([][]float64, b.n), make([][]float64, b.n)
	offered, completed, failed := newFlow(b), newFlow(b), newFlow(b)
	inFlight, tokens, items := newFlow(b), newFlow(b), newFlow(b)
	anyTokens, anyItems := false, false
	for _, t := range own {
		due, done := seconds(t.Due), seconds(t.Done)
		offered.add(due, due, 1)
		if t.Result.Failure() {
			failed.add(max(due, done), max(due, done), 1) // a call that was dropped has no end
		}
		if t.Result == record.Dropped {
			continue // it was never sent
		}
		inFlight.add(seconds(t.Sent), done, done-seconds(t.Sent))
		first, last, streamed := t.OutputSpan()
		if n, ok := outputTokens(t); ok {
			anyTokens = true
			if streamed {
				tokens.add(seconds(first), seconds(last), n)
			} else {
				tokens.add(done, done, n)
			}
		}
		if t.Items != nil {
			anyItems = true
			items.add(done, done, float64(*t.Items))
		}
		if t.Result != record.OK {
			continue
		}
		completed.add(done, done, 1)
		if i := b.of(due); i >= 0 {
			wholes[i] = append(wholes[i], done-due)
			if streamed {
				firsts[i] = append(firsts[i], seconds(first-t.Due))
			}
		}
	}
	var list []Series
	add := func(name string, u unit.Unit, values []float64) {
		if s := b.series(name, Requests, "", u, values); !s.empty() {
			list = append(list, s)
		}
	}
	add(FirstTokenMedian, unit.Second, quantiles(firsts, .5, 1))
	add(FirstTokenHigh, unit.Second, quantiles(firsts, .99, fewestForHigh))
	add(FirstTokenMax, unit.Second, quantiles(firsts, 1, 1))
	add(WholeMedian, unit.Second, quantiles(wholes, .5, 1))
	if slices.ContainsFunc(d.plan.Points, plan.Point.Open) {
		add(Offered, unit.RequestPerSecond, offered.perSecond())
	}
	add(Completed, unit.RequestPerSecond, completed.perSecond())
	add(Failed, unit.RequestPerSecond, failed.perSecond())
	if anyTokens {
		add(OutputTokens, unit.TokenPerSecond, tokens.perSecond())
	}
	if anyItems {
		add(OutputItems, unit.ItemPerSecond, items.perSecond())
	}
	add(InFlight, unit.Request, inFlight.perSecond())
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
