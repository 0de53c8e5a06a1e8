// Package suite carries out named lists of measurements and says what they cover:
// the three layers (micro, component, end to end) and the presets that clusters are
// evaluated with.
//
// A step of a suite is a spec; it is measured as assay run would, and leaves a
// bundle. The package knows which steps belong together, what each needs, and what
// the bundles together answer. It measures nothing and starts nothing itself: that
// is handed in. What a host cannot do is skipped with the reason in the ledger, and
// what stands in for something else (a processor for an accelerator, the simulator
// for a server) is never counted as that.
//
// To add a step, write it in steps.go; to add a preset, list its steps in
// presets.go.
package suite

import (
	"context"
	"slices"
	"time"

	"assay/analysis/nodes"
	"assay/report"
)

// Version is the version of the files of a suite.
const Version = "1.0"

// The layers, each with the question that it answers.
const (
	Micro     = "micro"
	Component = "component"
	EndToEnd  = "end_to_end"
)

// Questions are what the layers are for.
var Questions = []struct{ Layer, Question string }{
	{Micro, "which part of the machine is limited"},
	{Component, "which path is slow"},
	{EndToEnd, "what the user feels"},
}

// A Need is what a step cannot do without.
type Need string

// The needs.
const (
	Accelerator Need = "accelerator" // a GPU that torch can use
	Torch       Need = "torch"       // a Python with torch
	Hosts       Need = "hosts"       // more hosts than this one
)

// A Step is one thing to measure.
type Step struct {
	Name     string // as ledgers have it
	Role     string // of what it leaves; empty for none
	Layer    string
	Question string
	Required bool // its failure ends the suite
	Needs    []Need

	// Fragment is the body of its spec. Words in braces are replaced: see Spec.
	Fragment string

	// How long it takes: whether a spread over launches is what it is for, the variants
	// of its probe, the worlds of a launch, the loads, and what else a launch takes.
	Spread bool
	Parts  Parts
	Worlds int
	Levels func(Size) int
	Fixed  time.Duration

	// Who measures it, and whether ranks exchange something: only two accelerators or
	// more answer that. Two says that one rank cannot do it at all, Library that it is
	// about a library's settings, which the native backend does not have.
	Worker   Worker
	Exchange bool
	Two      bool
	Library  bool

	// Nodes says that it is about every host: where several are given it is measured on all
	// of them, or between them.
	Nodes bool

	// Absent says why assay has no such measurement; the step is then skipped.
	Absent string

	// Stand says what its result stands in for where the host has no accelerator or
	// no server was given; empty when it is about the host itself.
	Stand string
}

// What a step can be about that something else may stand in for.
const (
	accelerator = "an accelerator"
	server      = "a server under test"
)

// A Worker says which process measures a probe.
type Worker int

// The workers.
const (
	Native   Worker = iota // the program itself
	OnDevice               // torch where the host has an accelerator
	Always                 // torch
)

// Parts are the variants of a probe on processors and on an accelerator.
type Parts struct{ CPU, CUDA int }

func (p Parts) of(device string) int {
	if device == "cuda" {
		return p.CUDA
	}
	return p.CPU
}

// A Preset is a named list of steps.
type Preset struct {
	Name   string
	Doc    string
	Steps  []string
	Size   Size
	Strict bool // the canonical gates decide about its end
	Checks bool // it checks how hosts would be reached, and measures nothing
}

// A Size is how much a preset measures.
type Size struct {
	Launches    int           // of what is held to a spread: serving and storage
	Once        bool          // everything else is started once, and has no spread over launches
	Step        time.Duration // that the variants of a probe share in a launch
	Each        time.Duration // the most of it for one variant
	Load        time.Duration // of each load level
	Warmup      time.Duration // before it
	Bytes       string        // of the largest message
	FileSize    string
	Concurrency []int // levels
	Rates       []float64
	Input       int // tokens
	Output      int
	Steps       int // of training
	Counts      Counts
}

// A Host is what a suite is run on. The zero value has nothing.
type Host struct {
	Has          map[Need]bool
	Device       string // cpu or cuda
	Accelerators int    // that torch can use
	Multicast    bool   // their switch can add up what it carries
	Python       string // that has torch; empty means that each step looks for one
	Ranks        int    // largest world to start
	Target       string // the server under test, as YAML
	Model        string // that it serves
	Simulated    bool   // the server is the simulator

	// Launch is how ranks get onto other hosts, as YAML, and Nodes how many those are.
	// Steps that are about every host are measured there; empty means that there is this
	// host alone.
	Launch string
	Nodes  int
}

// An Outcome is what a measured step left.
type Outcome struct {
	Bundle string
	Report report.Report
}

// A Measure carries out one spec in a folder. The report may be that of a run which
// did not complete.
type Measure func(ctx context.Context, name string, source []byte, out string) (Outcome, error)

// What became of a step.
const (
	Ran     = "ran"
	Failed  = "failed"
	Skipped = "skipped"
)

// A Row is one step in the ledger: suite_steps.json.
type Row struct {
	Name     string    `json:"name"`
	Start    time.Time `json:"start_time"`
	End      time.Time `json:"end_time"`
	ExitCode *int      `json:"exit_code"` // null when it was not started
	LogPath  string    `json:"log_path,omitempty"`
	Command  string    `json:"command,omitempty"`

	Layer    string `json:"layer"`
	Role     string `json:"role,omitempty"`
	Required bool   `json:"required,omitempty"`
	Outcome  string `json:"outcome"`          // ran, failed or skipped
	Reason   string `json:"reason,omitempty"` // of what did not run
	Bundle   string `json:"bundle,omitempty"`
	StandIn  string `json:"stand_in,omitempty"` // what it was measured on in place of what it is about
	Question string `json:"question,omitempty"`
	Answer   string `json:"answer,omitempty"`

	facts facts
	nodes *nodes.Report // how hosts compare in it; nil where it is about one
}

// Find returns the preset called name.
func Find(name string) (Preset, bool) {
	i := slices.IndexFunc(All, func(p Preset) bool { return p.Name == name })
	if i < 0 {
		return Preset{}, false
	}
	return All[i], true
}
