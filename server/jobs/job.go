// Package jobs carries out runs that somebody asked a server for: one after another, each
// in a process of its own, within bounds that the server's owner sets.
//
// A job is a folder: who asked for what, how far it came, and the bundle that it made,
// until the warehouse has it. What is written there survives the server; a run that ended
// with the server is said to be cut, and what it had measured is kept.
//
// The package knows nothing of HTTP and tokens (package server), and measures nothing
// itself: assay run does.
package jobs

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"assay/intake"
)

// A State is how far a job came.
type State string

// The states of a job.
const (
	Queued    State = "queued"    // waits for those before it
	Running   State = "running"   // measures
	Done      State = "done"      // its bundle is in the warehouse
	Failed    State = "failed"    // Why says what went wrong
	Cancelled State = "cancelled" // somebody wanted it to end
	Cut       State = "cut"       // the server ended while it ran
)

// Over reports whether nothing more will happen.
func (s State) Over() bool { return s != Queued && s != Running }

// A Job is a run that somebody asked for.
type Job struct {
	ID       string     `json:"id"`
	Name     string     `json:"name"` // of the document
	By       string     `json:"by"`   // name of the token
	Launcher string     `json:"launcher"`
	State    State      `json:"state"`
	Why      string     `json:"why,omitempty"`
	Asked    time.Time  `json:"asked"`
	Began    *time.Time `json:"began"`
	Ended    *time.Time `json:"ended"`
	RunID    string     `json:"runID,omitempty"`  // of the bundle that came of it
	Digest   string     `json:"digest,omitempty"` // of that bundle
}

const (
	jobFile      = "job.json"
	documentFile = "run.yaml"
	outDir       = "out"

	mostJobFile = 64 << 10
)

var jobName = regexp.MustCompile(`^job-[0-9a-f]{16}$`)

// A kept is what is written of a job: the rest of it is nobody's business.
type kept struct {
	Job
	Token string `json:"token"` // id
}

// save writes a job down, whole or not at all.
func save(dir string, k kept) error {
	data, err := json.MarshalIndent(k, "", " ")
	if err != nil {
		return err
	}
	next := filepath.Join(dir, jobFile+".next")
	f, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(next, filepath.Join(dir, jobFile))
}

// load reads a job back.
func load(dir string) (k kept, err error) {
	data, err := intake.ReadFile(filepath.Join(dir, jobFile), mostJobFile)
	if err != nil {
		return k, err
	}
	return k, json.Unmarshal(data, &k)
}
