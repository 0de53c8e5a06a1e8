// Package trace reads what a profiler recorded of a device and says where the time
// went: computing, communicating, copying, doing nothing, and how much of the
// communication hid behind the computation.
//
// It reads traces of Kineto (torch's profiler), the bare lists that older versions
// of torch write, and what Nsight Systems prints or exports as text. A trace is
// known by its content, not by its name. Profiling itself costs time: figures here
// say where time goes, not how much a step takes.
//
// To add a format, write one file with a function that makes events and list it in
// formats.
package trace

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"regexp"

	"assay/intake"
)

// A Trace is what one profiler trace says, in seconds.
type Trace struct {
	File        string       `json:"file"`
	Rank        *int         `json:"rank,omitempty"`
	Span        float64      `json:"span"` // from the first to the last thing on the device
	Compute     float64      `json:"compute"`
	Comm        float64      `json:"communication"`
	Copy        float64      `json:"copy"`
	Sync        float64      `json:"sync"` // in which the host waited for the device
	Idle        float64      `json:"idle"` // nothing computed or communicated
	Overlapped  float64      `json:"overlapped"`
	Exposed     float64      `json:"exposed"`
	Kernels     int          `json:"kernels"`
	Top         []Kernel     `json:"top,omitempty"`
	Collectives []Collective `json:"collectives,omitempty"`
	Notes       []string     `json:"notes,omitempty"` // what the trace cannot tell
}

// A Kernel is the time of one kind of kernel.
type Kernel struct {
	Name    string  `json:"name"`
	Class   string  `json:"class"` // compute, communication, copy, sync
	Count   int     `json:"count"`
	Seconds float64 `json:"seconds"`
}

// A Collective is one kind of collective in a trace.
type Collective struct {
	Name    string   `json:"name"`
	Bytes   int64    `json:"bytes"`
	Ranks   int      `json:"ranks"`
	Count   int      `json:"count"`
	Seconds float64  `json:"seconds"`
	BusBW   *float64 `json:"busBandwidth,omitempty"` // bytes per second; nil for one rank
}

// The classes of what a trace holds.
const (
	classCompute = "compute"
	classComm    = "communication"
	classCopy    = "copy"
	classSync    = "sync"
)

// A format knows its traces by how they begin.
type format struct {
	name  string
	known func(head []byte) bool
	read  func(r *bufio.Reader) (*recording, error)
}

var formats = []format{
	{"Nsight Systems export, JSON lines", isNsightLines, readNsightLines},
	{"Nsight Systems table, CSV", isNsightCSV, readNsightCSV},
	{"Nsight Systems table, JSON", isNsightJSON, readNsightJSON},
	{"Kineto or Chrome trace", isKineto, readKineto},
}

// communication is how kernels of collective libraries are called.
var communication = regexp.MustCompile(`^nccl|^hccl|^rccl|ncclKernel|ncclDevKernel|^(gloo|nccl|mpi|ucc|c10d):`)

// mostBytes is the longest trace that is read, unpacked.
const mostBytes = 16 << 30

// mostValue is the longest event or line: one with all frames of a stack has some
// ten kilobytes.
const mostValue = 4 << 20

// Read reads the trace of that name.
func Read(path string) (Trace, error) {
	f, err := intake.Open(path)
	if err != nil {
		return Trace{}, err
	}
	defer f.Close()
	return From(filepath.Base(path), f)
}

// From reads a trace, compressed by gzip or not.
func From(name string, from io.Reader) (Trace, error) {
	r, err := intake.Unpack(name, from, mostBytes)
	if err != nil {
		return Trace{}, err
	}
	head, _ := r.Peek(1 << 12)
	for _, f := range formats {
		if !f.known(head) {
			continue
		}
		rec, err := f.read(r)
		if err != nil {
			return Trace{}, fmt.Errorf("%s, read as %s: %w", name, f.name, err)
		}
		t, err := rec.trace()
		if err != nil {
			return Trace{}, fmt.Errorf("%s: %w", name, err)
		}
		t.File = name
		return t, nil
	}
	return Trace{}, fmt.Errorf("%s: no trace that assay knows: want Kineto's JSON, or nsys stats --report cuda_gpu_trace --format csv (or json), or nsys export --type jsonlines", name)
}
