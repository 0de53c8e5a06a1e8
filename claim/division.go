package claim

import (
	"fmt"
	"strings"

	"assay/finding"
	"assay/lint"
	"assay/spec"
)

// The divisions of a result, in the words of MLPerf: closed results answer one frozen
// question and may be set beside each other; open ones changed the question.
const (
	Closed = "closed"
	Open   = "open"
)

// A Division says whether a run answers a frozen workload and nothing else.
type Division struct {
	Label    string   `json:"label"`
	Workload string   `json:"workload,omitempty"` // the name of the frozen workload
	Because  []string `json:"because,omitempty"`  // why it is open, all reasons
}

// Reasoned is the label with why it is open.
func (d Division) Reasoned() string {
	if len(d.Because) == 0 {
		return d.String()
	}
	return d.String() + ": " + strings.Join(d.Because, "; ")
}

func (d Division) String() string {
	if d.Label == Closed {
		return fmt.Sprintf("closed division (workload %s)", d.Workload)
	}
	return "open division"
}

// DivisionOf is the division of a run by the frozen workload that its bundle holds. A suite
// of questions that the workload demands and nobody asked leaves it open.
func DivisionOf(e Evidence) Division {
	p, frozen := e.Plan, e.Frozen
	d := Division{Label: Open}
	if frozen == nil {
		d.Because = []string{"no frozen workload: the run was made without --workload"}
		return d
	}
	d.Workload = frozen.Workload.Name
	for _, breach := range p.Breaches(*frozen) {
		d.Because = append(d.Because, breach.String())
	}
	s := p.Decided()
	for _, one := range outside {
		if one.changed(s) {
			d.Because = append(d.Because, fmt.Sprintf("%s: %s", one.field, one.why))
		}
	}
	if frozen.Metrics.Primary == "time_to_train_hours" && (s.Train == nil || s.Train.TargetLoss <= 0) {
		d.Because = append(d.Because, "spec.train.targetLoss: time to train needs a quality target")
	}
	for _, f := range e.Audit.Findings {
		if f.Check == lint.QualityUnchecked.ID && f.Severity == finding.Void {
			d.Because = append(d.Because, f.Message)
		}
	}
	if len(d.Because) == 0 {
		d.Label = Closed
	}
	return d
}

// outside is what a document can change that a frozen workload says nothing of, and
// that makes the work another one.
var outside = []struct {
	field   string
	changed func(spec.RunSpec) bool
	why     string
}{
	{"spec.target.extraBody", func(s spec.RunSpec) bool {
		for _, side := range s.Sides() {
			if len(side.Target.ExtraBody) > 0 {
				return true
			}
		}
		return false
	}, "requests carry fields that the workload does not name"},
	{"spec.workload.prompt", func(s spec.RunSpec) bool {
		return s.Workload.Prompt.PrefixTokens > 0 || s.Workload.Prompt.PrefixRatio > 0
	}, "prompts share prefixes, which a cache answers"},
	{"spec.workload.session", func(s spec.RunSpec) bool { return s.Workload.Session != nil }, "requests are turns of conversations"},
	{"spec.load.ignoreEOS", func(s spec.RunSpec) bool { return s.Load != nil && s.Load.IgnoreEOS != nil && !*s.Load.IgnoreEOS }, "answers may end before their declared length"},
	{"spec.load.traceRef", func(s spec.RunSpec) bool { return s.Load != nil && s.Load.TraceRef != "" }, "a trace replaces the declared lengths and arrivals"},
	{"spec.train.emulate", func(s spec.RunSpec) bool { return s.Train != nil && s.Train.Emulate != nil }, "sleeps stand in for computation"},
	{"spec.train.vary", func(s spec.RunSpec) bool { return s.Train != nil && s.Train.Vary != nil }, "points train different workloads"},
}
