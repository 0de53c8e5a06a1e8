package metric

import (
	"slices"

	"assay/plan"
	"assay/spec"
)

// A Scope says where a metric has a meaning. Elsewhere it is left out: a zero in its
// place would be read as a measurement.
type Scope struct {
	// Kinds are the kinds of point that the metric is about; nil means requests to
	// a target.
	Kinds []plan.Kind

	// Workload says for which workloads the metric has a meaning; nil means all.
	Workload func(w spec.Workload) bool

	Only []Condition
}

// A Condition is one more limit, in the words that say why a metric is missing.
type Condition string

// The conditions. Whether the last two are met shows in the records alone: without
// them there is simply no value.
const (
	OpenLoop     Condition = "only in an open loop"
	Scheduled    Condition = "only where a schedule says when to send"
	ClosedLoop   Condition = "only in a closed loop"
	Sessions     Condition = "only with sessions"
	Probes       Condition = "only with probes beside the load"
	Objectives   Condition = "only with an objective"
	Telemetry    Condition = "only where servers or hosts report it"
	Declarations Condition = "only with spec.cost or spec.bounds"
)

// only is a scope of nothing but conditions.
func only(list ...Condition) Scope { return Scope{Only: list} }

// Only reports whether the metric has a condition.
func (m Metric) Only(o Condition) bool { return slices.Contains(m.Scope.Only, o) }

// Applies reports whether the metric has a meaning at a point, and if not why not.
func (m Metric) Applies(p plan.Plan, point plan.Point) (why string, ok bool) {
	w := p.Workload()
	open, sessions := m.Only(OpenLoop), m.Only(Sessions)
	switch {
	case !m.About(point.Kind()):
		return "of another kind of measurement", false
	case !m.Has(w):
		return "not for this task", false
	case open && !point.Open():
		return string(OpenLoop), false
	case m.Only(Scheduled) && !point.Open():
		return string(Scheduled), false
	case m.Only(ClosedLoop) && point.Open():
		return string(ClosedLoop), false
	case sessions && w.Session == nil:
		return string(Sessions), false
	case open && !sessions && w.Session != nil:
		return "rates of single requests mean nothing with sessions", false
	case m.Only(Probes) && point.Probe == nil:
		return string(Probes), false
	case m.Only(Objectives) && !Limited(p.Run):
		return string(Objectives), false
	}
	return "", true
}
