package metric

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/stat"

	"assay/record"
	"assay/stats"
)

const (
	// exactValues and exactRequests are how many values of a metric, and of how many
	// requests, are kept as they are in one point of a launch: with some thirty
	// metrics of one value for each request, 120 MiB. More are counted in a sketch.
	exactValues   = 1 << 20
	exactRequests = 1 << 19

	// sketchError is by how much of itself a percentile of a sketch may be off.
	// Launches differ by a hundred times as much.
	sketchError = 0.0005
)

// A distribution is what the values of a metric in one point of a launch say.
type distribution struct {
	n        int
	requests int       // that the values come from; n where they come from none
	values   []float64 // by place in statistics
	top      float64   // the share of their sum that the largest hundredth holds
	error    float64   // relative, of the percentiles; zero for exact ones
	curve    *Curve    // nil when nobody draws it
}

// summarise computes every statistic of xs, which it sorts, and where draw is set
// their curve.
func summarise(xs []float64, draw bool) distribution {
	d := distribution{n: len(xs), requests: len(xs)}
	if len(xs) == 0 {
		return d
	}
	mean := stat.Mean(xs, nil) // first: sums depend on the order
	stats.Sort(xs)
	d.top = stats.TopShare(mean, func(q float64) float64 { return stats.OfRank(xs, q) })
	for _, st := range statistics {
		switch {
		case st.spread != nil: // withSpread adds them where a metric wants them
		case st.quantile == 0:
			d.values = append(d.values, mean)
		default:
			d.values = append(d.values, stats.OfRank(xs, st.quantile))
		}
	}
	if draw {
		d.curve = curveOf(xs)
	}
	return d
}

// withSpread adds what says how the sorted values scatter.
func (d distribution) withSpread(sorted []float64) distribution {
	for _, st := range statistics {
		if st.spread != nil && d.n > 0 {
			d.values = append(d.values, st.spread(sorted))
		}
	}
	return d
}

// A collector gathers the values of one metric in one point of a launch. What
// workers add in whatever order comes out the same: values have a place, counts
// and sums are exact.
type collector struct {
	each     func(*Timeline) []float64
	requests int          // that the point has, one for each place
	probes   bool         // it asks probes and nothing else
	most     int64        // values that are kept as they are
	counted  atomic.Int64 // values of all workers, within countAfter of each: see workerValues.uncounted
	workers  []workerValues

	alone sync.Once
	one   []float64 // by place, of requests with one value; noValue elsewhere
}

// workerValues are what one worker has gathered.
type workerValues struct {
	count     int64      // values
	answered  int64      // requests with a value
	uncounted int64      // values that collector.counted lacks: one number that all write for each request would cost more than the values
	values    []float64  // of requests with several
	runs      []valueRun // whose they are
	sketch    *stats.Sketch
	sum       exactSum
	_         [64]byte // workers write at once, each in cache lines of its own
}

// countAfter is how many values a worker gathers before it adds them to the common count.
const countAfter = 1 << 10

// A run is neighbouring values of one request.
type valueRun struct {
	place, n int32
}

// noValue marks a place without a value. Nothing else computes this one of the many
// values that are not a number.
var noValue = math.Float64frombits(0x7ff8_a55a_7000_0001)

func isNoValue(v float64) bool { return math.Float64bits(v) == math.Float64bits(noValue) }

func newCollector(m Metric, requests, workers int) *collector {
	c := &collector{each: m.each(), probes: m.Only(Probes), requests: requests, most: exactValues, workers: make([]workerValues, workers)}
	if requests > exactRequests {
		c.most = 0
	}
	return c
}

// see adds the values of a request.
func (c *collector) see(worker int, t *Timeline) {
	xs := c.each(t)
	if len(xs) == 0 {
		return
	}
	w := &c.workers[worker]
	w.count += int64(len(xs))
	w.answered++
	if w.uncounted += int64(len(xs)); w.uncounted > countAfter {
		c.counted.Add(w.uncounted)
		w.uncounted = 0
	}
	switch {
	case c.most == 0 || c.counted.Load() > c.most:
		w.toSketch(w.values)
		w.toSketch(xs)
		w.values, w.runs = nil, nil
	case len(xs) == 1:
		c.alone.Do(func() {
			c.one = make([]float64, c.requests)
			for i := range c.one {
				c.one[i] = noValue
			}
		})
		c.one[t.place] = xs[0]
	default:
		w.values = append(w.values, xs...)
		w.runs = append(w.runs, valueRun{t.place, int32(len(xs))})
	}
}

func (w *workerValues) toSketch(xs []float64) {
	if w.sketch == nil {
		w.sketch = stats.NewSketch(sketchError)
	}
	for _, x := range xs {
		w.sketch.Add(x)
		w.sum.add(x)
	}
}

// end is what all workers have gathered.
func (c *collector) end(draw bool) distribution {
	var d distribution
	var count, answered int64
	for _, w := range c.workers {
		count, answered = count+w.count, answered+w.answered
	}
	if count > c.most {
		d = c.sketched(count, draw)
	} else {
		d = summarise(c.inOrder(count), draw)
	}
	d.requests = int(answered)
	return d
}

// inOrder lists the values, so many, in the order of the requests.
func (c *collector) inOrder(count int64) []float64 {
	type piece struct {
		place  int32
		values []float64
	}
	var pieces []piece
	for _, w := range c.workers {
		from := 0
		for _, r := range w.runs {
			pieces = append(pieces, piece{r.place, w.values[from : from+int(r.n)]})
			from += int(r.n)
		}
	}
	slices.SortFunc(pieces, func(a, b piece) int { return cmp.Compare(a.place, b.place) })
	all := make([]float64, 0, count)
	at := 0 // in one
	alone := func(before int) {
		for ; at < min(before, len(c.one)); at++ {
			if !isNoValue(c.one[at]) {
				all = append(all, c.one[at])
			}
		}
	}
	for _, p := range pieces {
		alone(int(p.place))
		all = append(all, p.values...)
	}
	alone(len(c.one))
	return all
}

func (c *collector) sketched(count int64, draw bool) distribution {
	var all workerValues
	for _, v := range c.one {
		if !isNoValue(v) {
			all.toSketch([]float64{v})
		}
	}
	for i := range c.workers {
		w := &c.workers[i]
		all.toSketch(w.values)
		if w.sketch != nil {
			// Both were made with sketchError, so that merging cannot fail.
			_ = all.sketch.Merge(w.sketch)
			all.sum.merge(w.sum)
		}
	}
	d := distribution{n: int(count), error: sketchError}
	mean := all.sum.mean(int64(d.n))
	for _, st := range statistics {
		switch {
		case st.spread != nil: // of metrics of points alone, which need no sketch
		case st.quantile == 0:
			d.values = append(d.values, mean)
		default:
			d.values = append(d.values, all.sketch.Quantile(st.quantile))
		}
	}
	d.top = stats.TopShare(mean, all.sketch.Quantile)
	if draw {
		d.curve = curveOfSketch(all.sketch)
	}
	return d
}

// counts reports whether the values of t are part of the distribution.
func (c *collector) counts(t *Timeline) bool {
	if t.in == nil || t.Result != record.OK {
		return false
	}
	if probe := t.Phase == record.Probe; probe || c.probes {
		return probe && c.probes && t.in.Begin <= t.Due && t.Due < t.in.End
	}
	return t.Phase == record.Measure
}
