// Package fleet says how many replicas a load needs. It counts from the knee, the
// highest load of one replica that was measured to keep its objectives, and not
// from its highest throughput: beyond the knee requests still end, too late to
// count.
package fleet

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"assay/analysis/objective"
	"assay/metric"
	"assay/plan"
	"assay/stats"
)

// A Level is one load that one replica was measured under.
type Level struct {
	Point    string              `json:"point"`
	Requests stats.Estimate      `json:"requests"` // answered per second
	Goodput  *stats.Estimate     `json:"goodput,omitempty"`
	Verdicts []objective.Verdict `json:"verdicts"`
	State    objective.State     `json:"state"`
}

// A Size is how large a fleet must be.
type Size struct {
	Load       float64 `json:"load"`       // requests per second
	Headroom   float64 `json:"headroom"`   // share kept free
	PerReplica float64 `json:"perReplica"` // requests per second at the knee, the lower end of its interval
	Replicas   int     `json:"replicas"`
	Knee       string  `json:"knee"` // the point

	// Naive is what dividing by the highest throughput would give.
	Naive int `json:"naive"`

	// FanOut is the chance that a user waits for a slow answer when one action
	// asks FanOutCalls times, for an objective kept by a share Quantile of requests.
	FanOutCalls int     `json:"fanOutCalls,omitempty"`
	Quantile    float64 `json:"quantile,omitempty"`
	FanOut      float64 `json:"fanOut,omitempty"`

	// Unbounded says that the highest measured load still kept its objectives: the
	// knee lies above it, and the fleet may be smaller than said.
	Unbounded bool    `json:"unbounded"`
	Levels    []Level `json:"levels"`
}

// Ask is what the fleet is for.
type Ask struct {
	Load     float64 // requests per second
	Headroom float64 // share of each replica that is kept free
	FanOut   int     // calls of one action of a user; 0 means that nobody asks

	// Scenario and BatchSize are the requests that the fleet will answer, in a run
	// that swept over them.
	Scenario  string
	BatchSize int
}

// ErrNoObjective says that without objectives there is no knee.
var ErrNoObjective = errors.New("spec.slo is empty: without an objective every load is good; declare one and run again")

// ErrNoKnee says that no load that was measured kept its objectives.
var ErrNoKnee = errors.New("no measured load keeps the objectives by its interval: offer less, or measure longer")

// Sizing finds the knee of a bundle's points and the fleet that a load needs. Against says
// which figures may not be used.
func Sizing(e metric.Estimates, p plan.Plan, ask Ask, against objective.Against) (Size, error) {
	size := Size{Load: ask.Load, Headroom: ask.Headroom, FanOutCalls: ask.FanOut}
	slo := p.Objectives()
	if len(slo) == 0 {
		return size, ErrNoObjective
	}
	points, err := oneShape(p, ask)
	if err != nil {
		return size, err
	}
	for _, point := range points {
		if level, ok := levelOf(e, p, point, against); ok {
			size.Levels = append(size.Levels, level)
		}
	}
	knee, ok := Knee(size.Levels)
	if !ok {
		return size, ErrNoKnee
	}
	size.Knee, size.PerReplica = knee.Point, max(knee.Requests.Interval.Lo, 0)
	if !knee.Requests.Interval.Bounded() || size.PerReplica == 0 {
		return size, fmt.Errorf("the throughput at %s has no interval: make at least three launches", knee.Point)
	}
	highest := 0.0
	for _, l := range size.Levels {
		highest = max(highest, l.Requests.Value)
	}
	size.Unbounded = !slices.ContainsFunc(size.Levels, func(l Level) bool { return l.Requests.Value > knee.Requests.Value && l.State != objective.Kept })
	size.Replicas, size.Naive = Replicas(ask.Load, size.PerReplica, ask.Headroom), Replicas(ask.Load, highest, 0)
	if ask.FanOut > 0 {
		size.Quantile = 1
		for _, o := range slo {
			if o.Max > 0 {
				size.Quantile = min(size.Quantile, o.Percentile/100)
			}
		}
		size.FanOut = FanOut(size.Quantile, ask.FanOut)
	}
	return size, nil
}

// Knee is the level with the most answers per second that keeps every objective.
// A level above one that breaks one is not a knee: it was lucky. One at which it is
// uncertain is passed over: what a higher load is shown to keep, a lower one keeps too.
func Knee(levels []Level) (Level, bool) {
	ordered := slices.SortedFunc(slices.Values(levels), func(a, b Level) int { return cmp.Compare(a.Requests.Value, b.Requests.Value) })
	best := -1
	for i, l := range ordered {
		if l.State == objective.Kept {
			best = i
		} else if l.State == objective.Broken {
			break
		}
	}
	if best < 0 {
		return Level{}, false
	}
	return ordered[best], true
}

// Replicas is how many replicas a load needs when each carries perReplica and
// keeps a share of it free.
func Replicas(load, perReplica, headroom float64) int {
	usable := perReplica * (1 - headroom)
	return int(math.Ceil(load/usable - 1e-9)) // 9000 ÷ 450 must not become 21 by rounding
}

// FanOut is the chance that at least one of n calls is slower than the quantile q
// of all calls, when they are independent.
func FanOut(q float64, n int) float64 { return 1 - math.Pow(q, float64(n)) }
