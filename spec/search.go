package spec

import "assay/unit"

// A Search looks for the highest load at which the objectives of spec.slo hold,
// in place of levels that are named beforehand: a rate in an open loop, a number
// of users in a closed one. Every probe is a point of its own. It lasts
// load.duration; a probe that decides nothing is followed by another at the same
// level, as long as those before it together.
type Search struct {
	// The lowest load to try: requests per second, or users.
	Min float64 `json:"min" required:"true" min:"0.0001" max:"1000000"`

	// The highest load to try.
	Max float64 `json:"max" required:"true" above:"0" max:"1000000"`

	// Where to begin. By default at min.
	Start float64 `json:"start,omitzero" above:"0" max:"1000000"`

	// How far apart neighbouring levels are, relative to the lower one. The
	// search ends when the highest level that holds and the next one are known.
	Resolution float64 `json:"resolution,omitzero" default:"0.05" min:"0.001" max:"1"`

	// How sure each verdict is: the chance that a level is said to hold although
	// it does not is at most 1 less this, and so is the chance of the converse.
	Confidence float64 `json:"confidence,omitzero" default:"0.99" min:"0.8" max:"0.9999"`

	// The share of requests that must meet every latency objective at once, in
	// place of a percentile for each objective. 0 means percentiles.
	Goodput float64 `json:"goodput,omitzero" above:"0" below:"1"`

	// The most probes of one level; after them an undecided level counts as not
	// shown to hold.
	Rounds int `json:"rounds,omitzero" default:"3" min:"1" max:"8"`

	// The most probes of a launch.
	Probes int `json:"probes,omitzero" default:"40" min:"1" max:"10000"`

	// No probe begins later than this after the first of its launch. 0s means no
	// limit.
	Time unit.Duration `json:"time" min:"0s" max:"30d"`
}

// searchable says which metrics a search decides about: those that each request
// keeps or misses by itself.
var searchable = map[string]bool{"ttft": true, "tpot": true, "e2e": true, "error_rate": true}

// searchAgrees wants a search to have something to decide and the only say about
// the load.
func searchAgrees(c *checker) {
	l := c.run.Spec.Load
	if l == nil || l.Search == nil || c.anyUnread("spec.load") {
		return
	}
	const path = "spec.load.search"
	s := l.Search
	for _, other := range []struct {
		name    string
		written bool
	}{{"concurrency", l.Concurrency != nil}, {"rate", l.Rate != nil}, {"stages", l.Stages != nil}, {"traceRef", l.TraceRef != ""}, {"mlperf", l.MLPerf != nil}} {
		if other.written {
			c.fail("spec.load."+other.name, "give search or "+other.name+", not both")
		}
	}
	if l.Order == OrderRandomised {
		c.fail("spec.load.order", "a search decides the order of its points")
	}
	if s.Max <= s.Min {
		c.fail(path+".max", "must be above min")
	}
	if s.Start != 0 && (s.Start < s.Min || s.Start > s.Max) {
		c.fail(path+".start", "must lie between min and max")
	}
	if c.run.Spec.Workload.ConcurrencyModel != OpenLoop && (s.Min != float64(int(s.Min)) || s.Max != float64(int(s.Max))) {
		c.fail(path, "min and max must be whole numbers of users in a closed loop")
	}
	searchDecides(c, s, l)
}

// searchDecides wants objectives that requests can be judged by.
func searchDecides(c *checker, s *Search, l *Load) {
	latencies := 0
	for i, o := range c.run.Spec.SLO {
		switch {
		case !searchable[o.Metric]:
			c.fail(itemPath("spec.slo", i)+".metric", "a search judges single requests: want ttft, tpot, e2e or error_rate")
		case o.Metric != "error_rate":
			latencies++
		}
		if (o.Metric == "ttft" || o.Metric == "tpot") && l.Stream != nil && !*l.Stream {
			c.fail("spec.load.stream", "must be true: "+o.Metric+" is an objective of the search")
		}
	}
	if len(c.run.Spec.SLO) == 0 {
		c.failGot("spec.slo", "nothing", "a search needs at least one objective")
	}
	if s.Goodput != 0 && latencies == 0 {
		c.fail("spec.load.search.goodput", "needs a latency objective in spec.slo")
	}
}

// stopsOpenLoops wants stopWhenSaturated where a queue can grow.
func stopsOpenLoops(c *checker) {
	if l := c.run.Spec.Load; l != nil && l.StopWhenSaturated && c.run.Spec.Workload.ConcurrencyModel != OpenLoop {
		c.fail("spec.load.stopWhenSaturated", "belongs to concurrencyModel "+OpenLoop+": a closed loop slows down instead")
	}
}
