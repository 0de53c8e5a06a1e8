// Package report shows what a bundle holds. It computes nothing: every number
// comes from the derived estimates, with its interval and its warnings.
//
// To add a format, write one file NAME.go with one Format, list it in All and
// make its golden file with go test ./report -update.
package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"assay/analysis/collectives"
	"assay/analysis/hardware"
	"assay/analysis/mlperf"
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
	"assay/visible"
)

// A Report is everything a face may show.
type Report struct {
	Version string `json:"version"` // of this format

	// NotVerified lists why the bundle is not what was sealed. Every face says so
	// before anything else.
	NotVerified []string `json:"notVerified,omitempty"`

	RunID     string              `json:"runID"`
	Status    bundle.Status       `json:"status"`
	Signature string              `json:"signature"` // who signed, or UNSIGNED
	Plan      plan.Plan           `json:"plan"`
	Launches  []bundle.LaunchInfo `json:"launches"`
	Estimates metric.Estimates    `json:"estimates"`
	Search    *search.Summary     `json:"search,omitempty"` // nil when the load was not searched for
	MLPerf    []mlperf.Result     `json:"mlperf,omitempty"`
	Warnings  []string            `json:"warnings,omitempty"` // what reading the bundle gave cause for
	Client    metric.Client       `json:"client"`             // the instrument itself
	Steady    steady.Report       `json:"steady"`             // whether windows were in steady state
	Findings  []finding.Finding   `json:"findings,omitempty"` // what needs eyes
	Claims    *claim.Claims       `json:"claims,omitempty"`   // what may be quoted, and the grade
	Replays   []judge.Replay      `json:"replays,omitempty"`  // which parts of a trace were asked
	Reported  []record.Reported   `json:"reported,omitempty"` // figures of another tool, as it reckoned them
	Source    *bundle.Source      `json:"source,omitempty"`   // that tool; nil for what assay measured

	// What ranks and probes measured; nil where the plan has none of it.
	Training    *overlap.Report     `json:"training,omitempty"`
	Collectives *collectives.Report `json:"collectives,omitempty"`
	Hardware    *hardware.Report    `json:"hardware,omitempty"`
	Scaling     *scaling.Report     `json:"scaling,omitempty"` // nil for fewer than two world sizes

	Checks   []lint.Result   `json:"-"` // what became of every check; checks.json has them
	Pictures *picture.Set    `json:"-"` // for faces that draw; nil when they were not made
	Manifest bundle.Manifest `json:"-"` // as it is known while the face is made: before sealing it lists no files
	Bundle   *bundle.Bundle  `json:"-"` // for faces that show single requests; nil leaves them out
	All      bool            `json:"-"` // show every metric, also where people read
}

// Version is the version of the JSON report.
const Version = "1.1"

// New lays a judgement out for the faces. It computes nothing.
func New(j *judge.Judgement) Report {
	b := j.Bundle
	r := Report{
		Version: Version, RunID: b.Manifest.RunID, Status: b.Manifest.Status, Signature: j.Signature(), NotVerified: j.Faults(),
		Plan: j.Plan, Launches: b.Launches(), Estimates: j.Estimates, Client: j.Client, Steady: j.Steady,
		Findings: j.Audit.Findings, Claims: &j.Claims, Checks: j.Audit.Results, Pictures: &j.Pictures,
		Search: j.Search, MLPerf: j.MLPerf, Replays: j.Replays, Reported: j.Reported,
		Source: b.Manifest.Source, Manifest: b.Manifest, Bundle: b,
	}
	if b.Seal != nil { // what a maker reads about its own unfinished bundle is no news
		r.Warnings = slices.Concat(b.Warnings, j.Notes())
	}
	if j.HasTraining() {
		r.Training = &j.Training
	}
	if j.HasCollectives() {
		r.Collectives = &j.Collectives
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

// A Named is a format by the name used on the command line.
type Named struct {
	Name   string
	File   string // what it is called inside a bundle
	Format Format
}

// All lists every format that a run is written in when it is sealed.
var All = []Named{
	{"text", "report.txt", Text},
	{"json", "report.json", JSON},
	{"md", "report.md", Markdown},
	{"html", "report.html", HTML},
	{"xlsx", "report.xlsx", XLSX},
	{"csv", "report.csv", CSV},
	{"junit", "junit.xml", JUnit},
}

// OnRequest lists the formats that are made for whoever asks: shapes that others
// have given theirs.
var OnRequest = []Named{
	{"mlperf", "mlperf_log_summary.txt", MLPerfSummary},
	{"results", "results.json", Results},
	{"nccl", "nccl.txt", NCCL},
}

// Binary reports whether a terminal cannot show the format.
func (n Named) Binary() bool {
	switch path.Ext(n.File) {
	case ".txt", ".json", ".md", ".csv", ".xml", ".html", ".svg":
		return false
	}
	return true
}

// Find returns the format called name.
func Find(name string) (Format, error) {
	var names []string
	for _, f := range slices.Concat(All, OnRequest) {
		if f.Name == name {
			return f.Format, nil
		}
		names = append(names, f.Name)
	}
	return nil, fmt.Errorf("--format %q: want one of %s", name, strings.Join(names, ", "))
}

// JSON writes the report as indented JSON.
func JSON(w io.Writer, r Report) error { return writeJSON(w, r) }

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
