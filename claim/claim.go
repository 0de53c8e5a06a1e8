// Package claim says what a bundle may be quoted for. It is the only place where
// a claim is made: from an estimate, the conditions that it holds under, and what
// the checks found. Without an interval, with a finding that voids the run, or
// with an instrument too coarse for it, a number is refused, and the refusal says
// why and what would help.
//
// A claim is a sentence that can stand alone: whoever copies it copies its
// interval, its load, its tail and its grade with it.
package claim

import (
	"assay/accuracy"
	"assay/bundle"
	"assay/finding"
	"assay/lint"
	"assay/metric"
	"assay/plan"
	"assay/spec"
	"assay/stats"
	"assay/unit"
)

// Version is the version of the format of claims.json.
const Version = "1.1"

// A Claim is one thing that may be said.
type Claim struct {
	Sentence   string         `json:"sentence"`
	Metric     string         `json:"metric"` // definition id
	Statistic  string         `json:"statistic"`
	Point      string         `json:"point"`          // name
	Side       string         `json:"side,omitempty"` // in a run of several sides
	Value      float64        `json:"value"`
	Unit       unit.Unit      `json:"unit"`
	Interval   stats.Interval `json:"interval"`
	Confidence float64        `json:"confidence"`
	Launches   int            `json:"launches"`
	Requests   int            `json:"requests"`             // in the smallest launch; 1 where the launch as a whole gives one value
	Median     float64        `json:"median"`               // of the launches
	Grade      Grade          `json:"grade"`                // of this one: a p99 of few launches has a lower one than its run
	OneSitting bool           `json:"oneSitting,omitempty"` // all launches were made within a day, and the interval is of it
	Conditions []Condition    `json:"conditions"`
	Weak       string         `json:"weak,omitempty"`     // what the sentence says against its own number
	Cautions   []string       `json:"cautions,omitempty"` // ids of the findings that the claim must carry
	Headline   bool           `json:"headline,omitempty"` // the result that the spec chose before the run
}

// A Condition is something without which the number means something else.
type Condition struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A Refusal is something that may not be said, and why.
type Refusal struct {
	What   string `json:"what"`
	Reason string `json:"reason"`
	ToDo   string `json:"toDo,omitempty"`

	// Void says that a finding or the state of the run forbids it, and with it all that
	// Scope touches. Other refusals speak of one number.
	Void  bool          `json:"void,omitempty"`
	Scope finding.Scope `json:"scope,omitzero"`
}

// Claims is everything that a bundle may be quoted for: derived/VERSION/claims.json.
type Claims struct {
	Version    string    `json:"version"` // of this format
	Code       string    `json:"code"`    // version of the program that made them
	RunID      string    `json:"runID"`
	PlanDigest string    `json:"planDigest"`
	Asked      string    `json:"asked"` // the class that the spec declares
	Grade      Grade     `json:"grade"`
	Division   Division  `json:"division"`
	Downgrades []string  `json:"downgrades,omitempty"` // why the grade is not the one asked for
	Claims     []Claim   `json:"claims"`
	Refused    []Refusal `json:"refused"`
	Checklist  []Answer  `json:"checklist"`
}

// Evidence is what claims are made from.
type Evidence struct {
	Manifest  bundle.Manifest
	Status    bundle.Status // the manifest of a bundle that is being sealed does not say yet
	Signed    bool
	Plan      plan.Plan
	Estimates metric.Estimates
	Client    metric.Client
	Audit     lint.Audit
	Accuracy  *accuracy.Report   // nil where nothing was graded
	Frozen    *spec.WorkloadSpec // that the run was held against; nil where there was none
}

// Make says what may be claimed. Code is the version of this program.
func Make(e Evidence, code string) Claims {
	grade, downgrades := gradeOf(e)
	out := Claims{
		Version: Version, Code: code, RunID: e.Manifest.RunID, PlanDigest: e.Manifest.PlanDigest,
		Asked: e.Plan.Class(), Grade: grade, Downgrades: downgrades, Division: DivisionOf(e),
		Claims: []Claim{}, Refused: []Refusal{}, Checklist: checklist(e),
	}
	out.Refused = append(out.Refused, voided(e)...)
	if len(out.Forbidden()) > 0 {
		return out
	}
	claims, refused := scores(e, out)
	out.Claims, out.Refused = append(out.Claims, claims...), append(out.Refused, refused...)
	if len(out.ForbiddenSpeed()) > 0 {
		return out
	}
	if e.Plan.AsksOnce() {
		out.Refused = append(out.Refused, Refusal{
			What:   anySpeed,
			Reason: "the run asks every question once, without a warm-up and without a window: how fast it was is no measurement",
			ToDo:   "measure both at once with evaluation.underLoad (assay eval --under-load)",
		})
		return out
	}
	sides := e.Plan.Sides()
	if len(sides) == 0 {
		sides = []spec.Side{{}}
	}
	for _, side := range sides {
		of := e
		of.Estimates = e.Estimates.Of(side.Name)
		for _, point := range e.Plan.Points {
			m := maker{of, out, point, side, conditions(of, point, side)}
			for _, s := range subjects {
				claims, refused := m.make(s)
				out.Claims = append(out.Claims, claims...)
				out.Refused = append(out.Refused, refused...)
			}
		}
	}
	out.markHeadline(e)
	if len(out.Claims)+len(out.Refused) == 0 {
		out.Refused = append(out.Refused, Refusal{
			What:   "any sentence",
			Reason: "there are sentences for the results of serving and training, and this run has none of them",
			ToDo:   "quote a row of the table with its interval, and the run's id",
		})
	}
	return out
}
