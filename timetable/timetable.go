// Package timetable makes the runs of BenchmarkSchedules on one machine, without
// Kubernetes. Package schedule decides, a Measurer measures, package alert tells; this
// package keeps what was decided in a file for each schedule, so that a due time has its
// run or is counted as missed whatever happens to the process.
//
// Runs of one machine disturb each other, so that those of different schedules take turns
// as those of one do, unless a schedule allows overlap.
package timetable

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"assay/alert"
	"assay/intake"
	"assay/schedule"
	"assay/spec"
)

// An Entry is one schedule of a timetable.
type Entry struct {
	Name     string
	File     string                 // that holds the document, as an absolute path
	Document spec.BenchmarkSchedule // resolved; its template as written
	Rule     schedule.Rule
	Routes   []alert.Route
}

// Read reads the BenchmarkSchedule in a file, with the routes of its alerts.
func Read(file string, lookup func(string) (string, bool), readFile func(string) ([]byte, error)) (Entry, error) {
	source, err := intake.ReadFile(file, spec.MaxDocumentBytes)
	if err != nil {
		return Entry{}, err
	}
	doc, faults := spec.Parse(file, source)
	if !spec.Valid(faults) {
		return Entry{}, fmt.Errorf("%s is not valid: assay validate says why", file)
	}
	if doc.Schedule == nil {
		return Entry{}, fmt.Errorf("%s is a %s, want a BenchmarkSchedule", file, doc.Kind)
	}
	path, err := filepath.Abs(file)
	if err != nil {
		return Entry{}, err
	}
	s, _ := spec.ResolveSchedule(*doc.Schedule)
	e := Entry{Name: s.Metadata.Name, File: path, Document: s}
	if len(spec.Secrets(e.Run())) > 0 {
		return e, fmt.Errorf("%s: spec.template holds secrets that are written out, which no run gets: want {env: NAME} or {file: PATH}", file)
	}
	times, err := schedule.Parse(s.Spec.Schedule, s.Spec.TimeZone)
	if err != nil {
		return e, fmt.Errorf("%s: spec.schedule %w", file, err)
	}
	e.Rule = schedule.Rule{Times: times, Overlap: schedule.Overlap(s.Spec.ConcurrencyPolicy), Deadline: s.Spec.StartingDeadline.Std(), Suspended: s.Spec.Suspend}
	e.Routes, err = alert.Routes(s.Spec.Alerts, lookup, readFile)
	return e, err
}

// decidedBy is what the due times of a schedule depend on.
func (e Entry) decidedBy() string {
	return e.Document.Spec.Schedule + " " + e.Document.Spec.TimeZone
}

// Run is the BenchmarkRun of a due time.
func (e Entry) Run() spec.Run {
	t := e.Document.Spec.Template
	r := spec.Run{
		APIVersion: spec.APIVersion, Kind: spec.KindBenchmarkRun,
		Metadata: spec.Metadata{Name: e.Name, Labels: t.Metadata.Labels, Annotations: t.Metadata.Annotations},
		Spec:     t.Spec,
	}
	r.Spec.Intent.Cadence = e.Document.Spec.Purpose
	return r
}

// A Job is one run to make.
type Job struct {
	Entry  Entry
	Due    time.Time
	Folder string   // of its own, made before
	Open   []string // ids of the alerts that were open when it began
}

// An Outcome is what became of a run.
type Outcome struct {
	RunID, Digest string
	Status        string          // of the bundle, or a word for what came in its place
	Note          string          // what else is to be said, in a line
	Problems      []alert.Problem // what is wrong
	Undecided     []alert.Problem // what could be neither seen nor excluded
	Looked        []alert.Kind    // what was looked for
}

// A Measurer makes runs, keeps them and looks at what they say. Both methods end soon
// after ctx does, with what was measured sealed and kept.
type Measurer interface {
	Measure(ctx context.Context, j Job) Outcome

	// Salvage is for a run that was under way when its process was killed.
	Salvage(ctx context.Context, j Job) Outcome
}
