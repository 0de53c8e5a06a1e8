// Package triage gathers what a host looks like now, to decide where to look: facts,
// readings over a minute, what the system's own tools print, and a profiler's report of
// a command. It is no evidence: the folder is marked so, and every command that judges
// bundles refuses it.
//
// To add a tool whose words are kept, write a line in tools.
package triage

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"time"

	"assay/bundle"
	"assay/record"
	"assay/telemetry"
	"assay/telemetry/doctor"
)

// Version is the version of the format of triage.json.
const Version = "1.0"

// Options say what is gathered.
type Options struct {
	Root     string // folder in which that of the triage is made
	Tag      string // ends its name; may be empty
	Host     telemetry.Host
	Duration time.Duration // of the readings; a command may end them earlier
	Command  []string      // to run meanwhile; empty means none
	Profile  bool          // run the command under the profilers that are here
	Now      time.Time

	Redactor *bundle.Redactor // of all that is written: a triage is made to be sent
}

// A Marker is what triage.json says: what was gathered, and that it is no evidence.
type Marker struct {
	Version  string    `json:"version"`
	Evidence bool      `json:"evidence"` // false, always
	Note     string    `json:"note"`
	Host     string    `json:"host"`
	Created  time.Time `json:"created"`
	Tag      string    `json:"tag,omitempty"`
	Command  []string  `json:"command,omitempty"`
	Tools    []Tool    `json:"tools"` // whose words are kept, or why not
	Bundle   string    `json:"bundle,omitempty"`
}

// A Tool is a program of the system that was asked.
type Tool struct {
	Name   string `json:"name"`
	File   string `json:"file,omitempty"`   // what it said
	Absent string `json:"absent,omitempty"` // why it said nothing
	Error  string `json:"error,omitempty"`  // how it ended, where that was badly

	Tables []string `json:"tables,omitempty"` // of a profiler's report, as CSV
}

// Note is what a reader must know first.
const Note = "triage material: it shows where to look and proves nothing; no result may be quoted from it"

var unfit = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// Gather makes the folder perf_triage_HOST_TIME[_TAG], and beside it the same as .tgz.
func Gather(ctx context.Context, o Options) (dir string, m Marker, err error) {
	host, _ := os.Hostname()
	name := fmt.Sprintf("perf_triage_%s_%s", unfit.ReplaceAllString(host, "-"), o.Now.UTC().Format("20060102T150405Z"))
	if o.Tag != "" {
		name += "_" + unfit.ReplaceAllString(o.Tag, "-")
	}
	dir = filepath.Join(o.Root, name)
	if err := os.MkdirAll(o.Root, 0o755); err != nil {
		return "", m, err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", m, err
	}
	m = Marker{Version: Version, Note: Note, Host: host, Created: o.Now.UTC(), Tag: o.Tag}
	for _, word := range o.Command {
		m.Command = append(m.Command, o.Redactor.String(word))
	}
	// The mark comes first: a triage that is broken off is no evidence either.
	if err := m.Write(dir); err != nil {
		return dir, m, err
	}
	if err := errors.Join(
		o.writeJSON(filepath.Join(dir, "environment.json"), telemetry.Capture(ctx, o.Host)),
		o.writeJSON(filepath.Join(dir, "doctor.json"), doctor.Examine(ctx, o.Host, doctor.Measure)),
	); err != nil {
		return dir, m, err
	}
	for _, t := range tools {
		m.Tools = append(m.Tools, o.ask(ctx, dir, t.name, t.args...))
	}
	watched, err := o.watch(ctx, dir)
	m.Tools = append(m.Tools, watched...)
	return dir, m, errors.Join(err, m.Write(dir))
}

// Write keeps the mark in the folder.
func (m Marker) Write(dir string) error {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, bundle.TriageFile), append(data, '\n'), 0o644)
}

// tools are the system's own, and what each is asked.
var tools = []struct {
	name string
	args []string
}{
	{"nvidia-smi", []string{"-q"}},
	{"nvidia-smi", []string{"topo", "-m"}},
	{"lscpu", nil},
	{"free", []string{"-m"}},
	{"lsblk", nil},
	{"df", []string{"-h"}},
	{"ip", []string{"-s", "link"}},
	{"ibstat", nil},
}

// patience is how long a tool may take.
const patience = 10 * time.Second

// mostSaid is what is kept of a tool's words.
const mostSaid = 4 << 20

// ask keeps what a tool says, or that it is not here.
func (o Options) ask(ctx context.Context, dir, name string, args ...string) Tool {
	t := Tool{Name: name}
	for _, arg := range args {
		t.Name += " " + arg
	}
	path, err := exec.LookPath(name)
	if err != nil {
		t.Absent = "not found on this host"
		return t
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.WaitDelay = time.Second
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Error = err.Error()
	}
	t.File = unfit.ReplaceAllString(t.Name, "-") + ".txt"
	if err := os.WriteFile(filepath.Join(dir, t.File), []byte(o.Redactor.String(string(said[:min(len(said), mostSaid)]))), 0o644); err != nil {
		t.File, t.Absent = "", err.Error()
	}
	return t
}

// watch reads the host while the command runs, or for the duration.
func (o Options) watch(ctx context.Context, dir string) ([]Tool, error) {
	clock, err := record.StartClock()
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	var table bytes.Buffer
	rows := csv.NewWriter(&table)
	if err := rows.Write([]string{"seconds", "source", "name", "scope", "value", "unit"}); err != nil {
		return nil, err
	}
	keep := func(list []record.Sample) {
		mu.Lock()
		defer mu.Unlock()
		for _, s := range list {
			if s.Value != nil {
				_ = rows.Write([]string{strconv.FormatFloat(float64(s.At)/1e9, 'f', 3, 64), s.Source, s.Name, s.Scope, strconv.FormatFloat(*s.Value, 'g', -1, 64), s.Unit})
			}
		}
	}
	stop := telemetry.Start(ctx, o.Host, clock.Now, telemetry.Sink{Samples: keep, Event: func(record.Event) {}}, telemetry.Options{})
	asked := o.run(ctx, dir)
	stop()
	rows.Flush()
	return asked, errors.Join(rows.Error(), os.WriteFile(filepath.Join(dir, "samples.csv"), table.Bytes(), 0o644))
}

// Pack writes the folder beside it as .tgz.
func Pack(dir string) (path string, err error) {
	path = dir + ".tgz"
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return "", err
	}
	packed := gzip.NewWriter(out)
	archive := tar.NewWriter(packed)
	err = archive.AddFS(under{os.DirFS(filepath.Dir(dir)), filepath.Base(dir)})
	return path, errors.Join(err, archive.Close(), packed.Close(), out.Close())
}

// An under is one folder of a file system, by its own name.
type under struct {
	fs.FS
	name string
}

// ReadDir shows that folder alone at the top.
func (u under) ReadDir(name string) ([]fs.DirEntry, error) {
	list, err := fs.ReadDir(u.FS, name)
	if name != "." || err != nil {
		return list, err
	}
	for _, entry := range list {
		if entry.Name() == u.name {
			return []fs.DirEntry{entry}, nil
		}
	}
	return nil, fs.ErrNotExist
}

func (o Options) writeJSON(path string, content any) error {
	data, err := json.MarshalIndent(content, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(o.Redactor.Document(data), '\n'), 0o644)
}
