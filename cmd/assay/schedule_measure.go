package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"assay/alert"
	"assay/bundle"
	"assay/child"
	"assay/secret"
	"assay/spec"
	"assay/timetable"
)

// A scheduledMeasurer makes the runs of schedules with this very program.
type scheduledMeasurer struct {
	env     Env
	self    string
	place   string // of the warehouse
	keyFile string
	secrets *secret.Finder
}

var _ timetable.Measurer = (*scheduledMeasurer)(nil)

func newScheduledMeasurer(env Env, place, keyFile string) (*scheduledMeasurer, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	if _, err := loadSigner(keyFile); err != nil { // not on the first night
		return nil, usageError(err)
	}
	var values []string
	for _, entry := range env.Environ() {
		if name, value, _ := strings.Cut(entry, "="); secret.Variable(name, value) {
			values = append(values, value)
		}
	}
	return &scheduledMeasurer{env, self, place, keyFile, secret.NewFinder(values)}, nil
}

// The files in the folder of a run beside its bundle.
const (
	scheduledSpec = "run.yaml"
	scheduledLog  = "log.txt"
)

// Measure implements timetable.Measurer.
func (m *scheduledMeasurer) Measure(ctx context.Context, j timetable.Job) timetable.Outcome {
	var started error
	if document, err := spec.WriteYAML(j.Entry.Run()); err != nil {
		started = err
	} else {
		started = m.carryOut(ctx, j.Folder, document)
	}
	why := ""
	if cause := context.Cause(ctx); cause != nil {
		why = "it was stopped: " + cause.Error()
	} else if started != nil {
		why = m.secrets.Hide(started.Error())
	}
	return m.conclude(ctx, j, why)
}

// Salvage implements timetable.Measurer.
func (m *scheduledMeasurer) Salvage(ctx context.Context, j timetable.Job) timetable.Outcome {
	return m.conclude(ctx, j, "the runner was killed while it was under way")
}

// carryOut makes the run of a document as a process of its own, which is asked to end with ctx
// and then seals what it has.
func (m *scheduledMeasurer) carryOut(ctx context.Context, folder string, document []byte) error {
	file := filepath.Join(folder, scheduledSpec)
	if err := os.WriteFile(file, document, 0o600); err != nil {
		return err
	}
	log, err := os.OpenFile(filepath.Join(folder, scheduledLog), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer log.Close() // what a killed process wrote is in it
	args := []string{"run", file, "--out", filepath.Join(folder, "bundles"), "--progress", "none"}
	if m.keyFile != "" {
		args = append(args, "--key", m.keyFile)
	}
	cmd := exec.CommandContext(ctx, m.self, args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = m.env.Environ(), log, log
	cmd.SysProcAttr = child.Bound() // a run that nobody waits for would disturb the next
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = sealWithin
	// The kernel kills what is bound when the thread ends that started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return cmd.Run()
}

// conclude keeps what a run has left and looks at what it says, also where ctx has ended. why
// says what cut it short.
func (m *scheduledMeasurer) conclude(running context.Context, j timetable.Job, why string) timetable.Outcome {
	ctx := context.WithoutCancel(running)
	o := timetable.Outcome{Status: "no bundle", Looked: []alert.Kind{alert.Failed}}
	fail := func(title, text string) {
		o.Problems = append(o.Problems, alert.Problem{Kind: alert.Failed, Title: title, Text: text})
	}
	kept, err := m.keep(ctx, j)
	if err != nil {
		fail("the run left nothing that could be kept", strings.Join([]string{why, m.secrets.Hide(err.Error()), m.logTail(j), "its files are in " + j.Folder}, "\n"))
		return o
	}
	o.RunID, o.Digest, o.Status = kept.RunID, kept.Digest, string(kept.Status)
	if kept.Status != bundle.Completed || why != "" {
		fail(fmt.Sprintf("the run is %s", kept.Status), strings.Join([]string{why, m.logTail(j)}, "\n"))
	}
	m.look(ctx, j, &o)
	if asked := j.Entry.Document.Spec.Gate; asked != nil && asked.Confirm {
		m.confirmNew(running, j, &o)
	}
	if err := os.RemoveAll(j.Folder); err != nil { // the warehouse has it, verified
		o.Note = strings.Join([]string{o.Note, err.Error()}, "; ")
	}
	return o
}

// mostLog is how much of a log an alert holds.
const mostLog = 1500

// logTail is the end of what a run said, without secrets.
func (m *scheduledMeasurer) logTail(j timetable.Job) string {
	f, err := os.Open(filepath.Join(j.Folder, scheduledLog))
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > 8*mostLog {
		if _, err := f.Seek(-8*mostLog, io.SeekEnd); err != nil {
			return ""
		}
	}
	text, err := io.ReadAll(io.LimitReader(f, 8*mostLog))
	if err != nil {
		return ""
	}
	return secret.Tail(m.secrets.Hide(strings.TrimSpace(string(text))), mostLog)
}

// errNoBundle says that a run ended before it had a bundle.
var errNoBundle = errors.New("there is no bundle")

// bundleOf is the bundle of a job, sealed: what a killed run has left is sealed now.
func bundleOf(ctx context.Context, j timetable.Job) (string, error) {
	folders, err := os.ReadDir(filepath.Join(j.Folder, "bundles"))
	if err != nil && !os.IsNotExist(err) {
		return "", err
	}
	for _, f := range folders {
		dir := filepath.Join(j.Folder, "bundles", f.Name())
		b, err := bundle.Open(dir)
		if err != nil {
			continue
		}
		if !b.Sealed {
			_, err = bundle.Recover(ctx, dir, bundle.SealOptions{})
		}
		return dir, err
	}
	return "", errNoBundle
}
