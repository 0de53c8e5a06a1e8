// Package report is what a bundle holds, laid out for people and programs, and its
// plain forms: text, Markdown, JSON, CSV and JUnit. It computes nothing: every number
// comes from the derived estimates, with its interval and its warnings.
//
// Heavier forms have packages of their own (page, workbook, plot), which share the
// words defined here; faces lists them all. To add a form, write one Format, list it
// in faces and make its golden file with go test ./report/... -update.
package report

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"

	"assay/accuracy"
	"assay/accuracy/parity"
	"assay/analysis/agreement"
	"assay/analysis/bottleneck"
	"assay/analysis/collectives"
	"assay/analysis/fleet"
	"assay/analysis/frontier"
	"assay/analysis/hardware"
	"assay/analysis/mlperf"
	"assay/analysis/nodes"
	"assay/analysis/overlap"
	"assay/analysis/picture"
	"assay/analysis/scaling"
	"assay/analysis/steady"
	"assay/bundle"
	"assay/claim"
	"assay/finding"
	"assay/judge"
	"assay/lint"
	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/search"
	"assay/spec"
	"assay/visible"
)

// A Report is everything a face may show.
type Report struct {
	Version string `json:"version"` // of this format

	// NotVerified lists why the bundle is not what was sealed. Every face says so
	// before anything else.
	NotVerified []string `json:"notVerified,omitempty"`

	RunID     string        `json:"runID"`
	Status    bundle.Status `json:"status"`
	Signature string        `json:"signature"` // who signed, or UNSIGNED

	// Summary holds the headline results of every point by name. JSON fills it in; it
	// repeats what Plan and Estimates hold.
	Summary []SummaryRow `json:"summary"`

	Plan      plan.Plan           `json:"plan"`
	Launches  []bundle.LaunchInfo `json:"launches"`
	Estimates metric.Estimates    `json:"estimates"`
	Search    *search.Summary     `json:"search,omitempty"` // nil when the load was not searched for
	Sweeps    []fleet.Sweep       `json:"sweeps,omitempty"` // the highest loads that keep the objectives
	MLPerf    []mlperf.Result     `json:"mlperf,omitempty"`
	Unacted   spec.Unacted        `json:"unacted,omitzero"`    // what the document states and the run did not act on
	Warnings  []string            `json:"warnings,omitempty"`  // what reading the bundle gave cause for
	Client    metric.Client       `json:"client"`              // the instrument itself
	Steady    steady.Report       `json:"steady"`              // whether windows were in steady state
	Findings  []finding.Finding   `json:"findings,omitempty"`  // what needs eyes
	Claims    *claim.Claims       `json:"claims,omitempty"`    // what may be quoted, and the grade
	OtherDays []OtherDays         `json:"otherDays,omitempty"` // the same with earlier runs in view
	Replays   []judge.Replay      `json:"replays,omitempty"`   // which parts of a trace were asked
	Reported  []record.Reported   `json:"reported,omitempty"`  // figures of another tool, as it computed them
	Source    *bundle.Source      `json:"source,omitempty"`    // that tool; nil for what assay measured

	// Agreement is its results beside those that assay computes from the same requests.
	Agreement []agreement.Row `json:"agreement,omitempty"`

	// What ranks and probes measured; nil where the plan has none of it.
	Training    *overlap.Report     `json:"training,omitempty"`
	Collectives *collectives.Report `json:"collectives,omitempty"`
	Hardware    *hardware.Report    `json:"hardware,omitempty"`
	Nodes       *nodes.Report       `json:"nodes,omitempty"`
	Scaling     *scaling.Report     `json:"scaling,omitempty"` // nil for fewer than two world sizes

	// Accuracy is what the answers of an evaluation were worth; nil where there is none.
	Accuracy *accuracy.Report `json:"accuracy,omitempty"`

	// Loads are what a heavier load does to the answers, item by item.
	Loads []parity.LoadReport `json:"loads,omitempty"`

	// Frontier is the quality of every load beside its speed and price.
	Frontier []frontier.Row `json:"frontier,omitempty"`

	// Grades are its marks, answer by answer, and Answers reads the answers themselves; nil
	// leaves them out.
	Grades  []accuracy.Grade                  `json:"-"`
	Answers func() ([]accuracy.Answer, error) `json:"-"`

	// Limits is what limits each point of training, as assay diagnose says it.
	Limits []bottleneck.Diagnosis `json:"limits,omitempty"`

	Checks   []lint.Result   `json:"-"` // what became of every check; checks.json has them
	Pictures *picture.Set    `json:"-"` // for faces that draw; nil when they were not made
	Manifest bundle.Manifest `json:"-"` // as it is known while the face is made: before sealing it lists no files
	Bundle   *bundle.Bundle  `json:"-"` // for faces that show single requests; nil leaves them out
	All      bool            `json:"-"` // show every metric, also where people read
}

// Version is the version of the JSON report.
const Version = "1.5"

// New lays a judgement out for the faces. It computes nothing.
func New(j *judge.Judgement) Report {
	b := j.Bundle
	r := Report{
		Version: Version, RunID: b.Manifest.RunID, Status: b.Manifest.Status, Signature: j.Signature(), NotVerified: j.Faults(),
		Plan: j.Plan, Unacted: j.Plan.Unacted(), Launches: b.Launches(), Estimates: j.Estimates, Client: j.Client, Steady: j.Steady,
		Findings: j.Audit.Findings, Claims: &j.Claims, Checks: j.Audit.Results, Pictures: &j.Pictures,
		Search: j.Search, Sweeps: j.Sweeps, MLPerf: j.MLPerf, Replays: j.Replays, Reported: j.Reported, Agreement: j.Agreement,
		Source: b.Manifest.Source, Manifest: b.Manifest, Bundle: b,
	}
	r.Estimates = r.markVoid()
	if b.Seal != nil { // what a maker reads about its own unfinished bundle is no news
		r.Warnings = slices.Concat(b.Warnings, j.Notes())
	}
	if j.HasAccuracy() {
		r.Accuracy, r.Grades, r.Loads, r.Frontier = &j.Accuracy, j.Grades, j.Loads, j.Frontier
		r.Answers = func() ([]accuracy.Answer, error) { return accuracy.Answers(b) }
	}
	if j.HasTraining() {
		r.Training, r.Limits = &j.Training, j.Limits()
	}
	if j.HasCollectives() {
		r.Collectives = &j.Collectives
	}
	if j.HasNodes() {
		r.Nodes = &j.Nodes
	}
	if j.HasHardware() {
		r.Hardware = &j.Hardware
	}
	if j.HasScaling() {
		r.Scaling = &j.Scaling
	}
	return r
}

// A Format writes r to w.
type Format func(w io.Writer, r Report) error

// JSON writes the report as indented JSON.
func JSON(w io.Writer, r Report) error {
	r.Summary = r.summarise()
	return writeJSON(w, r)
}

func writeJSON(w io.Writer, v any) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(visible.JSON(text.Bytes()))
	return err
}
