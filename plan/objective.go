package plan

import (
	"fmt"
	"strings"

	"assay/record"
	"assay/spec"
	"assay/unit"
)

// An Objective is what requests keep or miss, and how many may miss it. One that
// failed misses every objective.
type Objective struct {
	Name    string        `json:"name"`
	TTFT    unit.Duration `json:"ttft,omitempty"` // limits; zero means none
	TPOT    unit.Duration `json:"tpot,omitempty"`
	E2E     unit.Duration `json:"e2e,omitempty"`
	Allowed float64       `json:"allowed"` // the share of requests that may miss
}

// Good is the objective of goodput: every latency limit of spec.slo that a single
// request can keep, at once. It is false when there is none.
func Good(run spec.Run) (Objective, bool) {
	var good Objective
	var limits []string
	for _, o := range run.Spec.SLO {
		if good.limit(o) {
			limits = append(limits, fmt.Sprintf("%s ≤ %s", o.Metric, o.Max))
		}
	}
	good.Name = strings.Join(limits, " and ")
	return good, len(limits) > 0
}

// limit takes over the limit of a declared objective, the tighter where there are
// two, and reports whether o has one.
func (o *Objective) limit(declared spec.Objective) bool {
	fields := map[string]*unit.Duration{"ttft": &o.TTFT, "tpot": &o.TPOT, "e2e": &o.E2E}
	field := fields[declared.Metric]
	if field == nil {
		return false
	}
	if *field == 0 || declared.Max < *field {
		*field = declared.Max
	}
	return true
}

// objectives are those of a search: one for each percentile, or goodput in their
// place, and the share of errors.
func objectives(run spec.Run) []Objective {
	var list []Objective
	share := run.Spec.Load.Search.Goodput
	if share > 0 {
		good, _ := Good(run)
		good.Name, good.Allowed = fmt.Sprintf("%g %% of requests with %s", 100*share, good.Name), 1-share
		list = append(list, good)
	}
	for _, o := range run.Spec.SLO {
		one := Objective{Name: fmt.Sprintf("%s p%g ≤ %s", o.Metric, o.Percentile, o.Max), Allowed: 1 - o.Percentile/100}
		switch {
		case o.Metric == "error_rate":
			list = append(list, Objective{Name: fmt.Sprintf("error rate ≤ %g %%", 100*o.MaxRatio), Allowed: o.MaxRatio})
		case share == 0 && one.limit(o):
			list = append(list, one)
		}
	}
	return list
}

// Misses says whether r misses o, and whether it counts at all: what was cut by
// the end of the run or given up on purpose does not. A request that failed, or
// whose answer cannot tell what o limits, misses it.
func (o Objective) Misses(r *record.Request, chunks []record.Chunk) (miss, counts bool) {
	switch {
	case r.Result == record.Cut || r.Result == record.Cancelled:
		return false, false
	case r.Result != record.OK:
		return true, true
	case o.E2E > 0 && r.Done-r.Origin() > int64(o.E2E):
		return true, true
	case o.TTFT == 0 && o.TPOT == 0:
		return false, true
	}
	first, last := int64(-1), int64(-1)
	for _, c := range chunks {
		if c.Kind.Output() {
			if first < 0 {
				first = c.At
			}
			last = c.At
		}
	}
	if first < 0 || o.TTFT > 0 && first-r.Origin() > int64(o.TTFT) {
		return true, true
	}
	if o.TPOT == 0 || r.UsageOutput != nil && *r.UsageOutput < 2 {
		return false, true // one token has no pace to keep
	}
	return r.UsageOutput == nil || last-first > int64(o.TPOT)*int64(*r.UsageOutput-1), true
}
