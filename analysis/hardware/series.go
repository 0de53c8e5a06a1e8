package hardware

import (
	"math"
	"slices"
	"strings"

	"assay/record"
	"assay/stats"
	"assay/unit"
)

// A key is one variant of one probe at one point.
type key struct {
	Point          int32
	Probe, Variant string
	Scope          string
	Threads        int32
	Size           int64
	Device         int32 // rank of the worker that measured; 0 for the host
}

// A series is the measured replicates of one variant, by launch.
type series struct {
	key
	What string
	Unit unit.Unit

	launches [][]float64 // by place among the completed launches
	singles  bool        // each replicate is one operation
	wrong    int64
	resent   int64
	bytes    int64
	flop     float64 // for each byte
	host     string  // that was measured; empty for the one that the program ran on
}

// A ladder is every series, in the order of their first rows.
type ladder struct {
	seen  map[key]*series
	order []*series
}

func (l *ladder) add(launch int, row record.Trial) {
	if row.Phase != record.Measure {
		return
	}
	k := key{row.Point, row.Probe, row.Variant, row.Scope, row.Threads, row.Size, row.Rank}
	s := l.seen[k]
	if s == nil {
		s = &series{key: k, singles: true}
		s.What, s.Unit = quantity(row)
		l.seen[k] = s
		l.order = append(l.order, s)
	}
	s.wrong += row.Wrong
	s.bytes += row.Bytes
	if row.Retransmits != nil {
		s.resent += *row.Retransmits
	}
	if row.FLOP != nil && row.Bytes > 0 {
		s.flop = *row.FLOP / float64(row.Bytes)
	}
	value, ok := valueOf(s.What, row)
	if !ok {
		return
	}
	s.singles = s.singles && row.Operations == 1
	for len(s.launches) <= launch {
		s.launches = append(s.launches, nil)
	}
	s.launches[launch] = append(s.launches[launch], value)
}

// The quantities of rows.
const (
	Bandwidth = "bandwidth"
	Latency   = "latency"
	Rate      = "rate"
	FLOPS     = "flops"
)

var units = map[string]unit.Unit{Bandwidth: unit.BytePerSecond, Latency: unit.Second, Rate: unit.OpPerSecond, FLOPS: unit.FLOPPerSecond}

// quantities say what a variant is about, where that does not follow from what its
// rows count.
var quantities = []struct{ probe, variant, what string }{
	{"memory", "", Bandwidth}, // its few operations are not what it is about
	{"cache", "", Latency},
	{"startup", "", Latency},
	{"disk", "sequential", Bandwidth},
	{"disk", "random", Rate},
	{"disk", "fsync", Latency},
	{"network", "round trip", Latency},
	{"dataloader", "", Rate},
	{"kv_cache", "grow", Latency}, // of one token
	{"kv_cache", "append", Latency},
}

func quantity(row record.Trial) (string, unit.Unit) {
	what := Rate
	for _, q := range quantities {
		if q.probe == row.Probe && strings.HasPrefix(row.Variant, q.variant) {
			return q.what, units[q.what]
		}
	}
	switch {
	case row.FLOP != nil:
		what = FLOPS
	case row.Bytes > 0:
		what = Bandwidth
	}
	return what, units[what]
}

// valueOf is the quantity of one replicate.
func valueOf(what string, row record.Trial) (float64, bool) {
	seconds := float64(row.End-row.Start) / 1e9
	if seconds <= 0 {
		return 0, false
	}
	switch what {
	case Bandwidth:
		return float64(row.Bytes) / seconds, row.Bytes > 0
	case Rate:
		return float64(row.Operations) / seconds, row.Operations > 0
	case Latency:
		return seconds / float64(row.Operations), row.Operations > 0
	}
	if row.FLOP == nil {
		return 0, false
	}
	return *row.FLOP / seconds, true
}

// row is what the series says. Launches are the replicates where there are several:
// each gives its median, and the interval is that of their mean. One launch has only
// its replicates, and says so.
func (s *series) row(confidence float64) (Row, error) {
	r := Row{
		Point: int(s.Point), Probe: s.Probe, Variant: s.Variant, Scope: s.Scope, Threads: int(s.Threads), Size: s.Size,
		What: s.What, Unit: s.Unit, Wrong: s.wrong, Host: s.host,
	}
	var medians []float64
	pooled := s.pooled()
	for _, l := range s.launches {
		if len(l) > 0 {
			medians = append(medians, stats.Middle(l))
		}
	}
	if s.host != "" {
		r.Launches = s.through()
	}
	r.Samples = len(pooled)
	r.best = s.best()
	if len(pooled) == 0 {
		r.Interval = stats.Unbounded
		r.Warnings = []string{"no replicate took any time"}
		return r, nil
	}
	var err error
	if len(medians) > 1 {
		r.Estimate, err = stats.OverLaunches(medians, confidence)
		r.Interval.Lo = max(0, r.Interval.Lo) // less than nothing is no speed
	} else if r.Estimate, err = Within(pooled, confidence); err == nil {
		r.Warnings = append(r.Warnings, OneLaunch)
	}
	if s.singles && s.What == Latency && len(pooled) >= stats.MinSamples(.99, confidence) {
		pooled = slices.Sorted(slices.Values(pooled))
		p99 := stats.OfRank(pooled, .99)
		r.P99 = &p99
	}
	return r, err
}

// through is what each launch got through, all of its work over all of its time. A median
// would not see a host that is stopped now and then, as a quota of processor time does it:
// most replicates fit between two stops.
func (s *series) through() (list []float64) {
	for _, l := range s.launches {
		sum := 0.
		for _, v := range l {
			if s.What != Latency {
				v = 1 / v // replicates have equal work
			}
			sum += v
		}
		switch {
		case len(l) == 0:
		case s.What == Latency:
			list = append(list, sum/float64(len(l)))
		default:
			list = append(list, float64(len(l))/sum)
		}
	}
	return list
}

// manyValues are enough to see how values in the order of time hang together.
const manyValues = 100

// Within estimates the median of replicates of one launch, in the order of time. Many
// are taken to depend on their neighbours, as single operations do.
func Within(xs []float64, confidence float64) (stats.Estimate, error) {
	if len(xs) < manyValues {
		return stats.Median(xs, confidence)
	}
	return stats.QuantileDependent(xs, .5, confidence)
}

// OneLaunch is the warning of an interval that rests on the replicates of one launch.
const OneLaunch = "one launch: the interval is that of its replicates, and says nothing of another start"

func (s *series) pooled() (all []float64) {
	for _, l := range s.launches {
		all = append(all, l...)
	}
	return all
}

// middle is the median over all replicates.
func (s *series) middle() float64 { return stats.Middle(s.pooled()) }

// best is the fastest replicate.
func (s *series) best() float64 {
	pooled := s.pooled()
	switch {
	case len(pooled) == 0:
		return 0
	case s.What == Latency:
		return slices.Min(pooled)
	}
	return slices.Max(pooled)
}

// spread is the largest coefficient of variation inside a launch; zero when none has
// two replicates.
func (s *series) spread() (most float64) {
	for _, l := range s.launches {
		if cv := stats.CV(l); !math.IsNaN(cv) {
			most = max(most, cv)
		}
	}
	return most
}
