package gate

import (
	"fmt"
	"slices"
	"strings"

	"assay/finding"
	"assay/spec"
)

// What an audit may be about besides a bundle, by whose label it is called then.
const (
	AboutPair    = "pair"    // both sides beside each other
	AboutHistory = "history" // what the gate has said so far
)

// An Audit is what the checks found in one bundle, in the pair or in the history.
// The gate makes none itself: checks stand above it.
type Audit struct {
	About    string
	Findings []finding.Finding
}

// A Found is a finding and what it is about.
type Found struct {
	About string `json:"about"` // the label of a bundle, pair or history
	finding.Finding

	// Stops says that the candidate does not pass while it stands. A void finding does
	// where it touches what the policy asks for, unless the policy has decided in writing
	// what it speaks of.
	Stops bool `json:"stops,omitempty"`
}

// uncontrolled are the checks that speak of what controlled: false allows.
var uncontrolled = []string{"apples-to-oranges", "weak-baseline"}

// audit keeps what is worse than a note, and is stopped by what is void.
func (r *Result) audit(in Input) {
	for _, audit := range in.Audits {
		for _, f := range audit.Findings {
			if f.Severity == finding.Note {
				continue
			}
			allowed := !*in.Policy.Spec.Controlled && slices.Contains(uncontrolled, f.Check)
			found := Found{About: audit.About, Finding: f, Stops: f.Severity == finding.Void && !allowed && in.asks(f.Scope)}
			r.Findings = append(r.Findings, found)
			if found.Stops {
				r.fail("audit", found.Name(), "void: %s", f.Message)
			}
		}
	}
	slices.SortStableFunc(r.Findings, func(a, b Found) int {
		return slices.Index(finding.All, a.Severity) - slices.Index(finding.All, b.Severity)
	})
}

// asks reports whether the policy asks for a result that a finding of this scope touches:
// a latency that may not be used stops nobody who gates on throughput.
func (in Input) asks(scope finding.Scope) bool {
	demands := in.Policy.Spec
	for _, m := range demands.Metrics {
		points := m.Points
		if len(points) == 0 {
			points = []string{""} // all of them
		}
		for _, point := range points {
			if scope.Touches(finding.Result{Subject: finding.Speed, Metric: m.Metric, Statistic: m.Statistic, Point: point}) {
				return true
			}
		}
	}
	return slices.ContainsFunc(demands.Accuracy, func(a spec.GatedAccuracy) bool {
		task := a.Metric[:max(0, strings.LastIndex(a.Metric, "."))] // of gsm8k.exact_match
		return scope.Touches(finding.Result{Subject: finding.Accuracy, Metric: a.Metric, Task: task})
	})
}

// Name is the check and what it looked at.
func (f Found) Name() string { return f.Check + " (" + f.About + ")" }

// advise says why the verdict is advisory: only runs of publication grade, of a
// pair that differs in one variable, gate a release.
func (r *Result) advise() {
	for _, g := range r.Grades {
		if g.Grade != grades[len(grades)-1] {
			r.AdvisoryReasons = append(r.AdvisoryReasons, strings.TrimSuffix(fmt.Sprintf("%s is of %s grade: %s", g.Label, g.Grade, strings.Join(g.Why, "; ")), ": "))
		}
	}
	if !r.Controlled {
		r.AdvisoryReasons = append(r.AdvisoryReasons, "the pair is not controlled")
	}
	r.Advisory = len(r.AdvisoryReasons) > 0
}
