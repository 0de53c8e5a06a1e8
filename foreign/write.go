package foreign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"assay/bundle"
	"assay/plan"
	"assay/record"
	"assay/spec"
)

// Options say where a bundle is made and by whom.
type Options struct {
	Out     string      // the folder that bundles are made in
	Tool    bundle.Tool // this program
	Environ []string    // as os.Environ: secrets that must not get into a bundle
	Now     time.Time   // when the import was asked for
}

// Write lays the import out as a bundle, which the caller judges and seals.
// Nothing is left behind when it fails.
func (m Import) Write(ctx context.Context, opts Options) (*bundle.Writer, plan.Plan, error) {
	p, err := m.plan()
	if err != nil {
		return nil, p, err
	}
	w, err := m.create(p, opts)
	if err != nil {
		return nil, p, err
	}
	if err := m.fill(ctx, w); err != nil {
		// The folder is our own, and holds nothing that is not in the files.
		return nil, p, errors.Join(err, w.Abandon(), os.RemoveAll(w.Dir()))
	}
	return w, p, nil
}

// create opens a new bundle named after the time and the run.
func (m Import) create(p plan.Plan, opts Options) (*bundle.Writer, error) {
	document, err := spec.WriteYAML(m.Run)
	if err != nil {
		return nil, err
	}
	encoded, err := p.Encode()
	if err != nil {
		return nil, err
	}
	id := opts.Now.UTC().Format("20060102_150405") + "__import__" + m.Source.Tool + "__" + odd.ReplaceAllString(p.Name, "-")
	for n := 1; ; n++ {
		name := id
		if n > 1 {
			name = fmt.Sprintf("%s__%d", id, n)
		}
		w, err := bundle.Create(filepath.Join(opts.Out, name), bundle.Header{
			RunID: name, Spec: document, Plan: encoded, WorkloadDigest: p.WorkloadDigest,
			Tool: opts.Tool, Redactor: bundle.NewRedactor(nil, opts.Environ),
		})
		if errors.Is(err, bundle.ErrTaken) && n < 100 {
			continue // two imports in one second
		}
		return w, err
	}
}

// odd are the characters that do not belong in a file's name.
var odd = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

func (m Import) fill(ctx context.Context, w *bundle.Writer) error {
	source := m.Source
	for _, f := range m.Files {
		source.Files = append(source.Files, f.input())
	}
	source.Stated = m.stated()
	environment := m.Environment
	if environment == nil {
		environment = record.Environment{}
	}
	if err := errors.Join(w.SetSource(source), w.SetEnvironment(environment)); err != nil {
		return err
	}
	for i := range m.Launches {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := m.launch(w, i); err != nil {
			return fmt.Errorf("launch %d: %w", i+1, err)
		}
	}
	for scorer, data := range m.Scores {
		if err := w.WriteScores(scorer, data); err != nil {
			return err
		}
	}
	return nil
}

// stated lists what the files say about every point, those that say nothing left
// out.
func (m Import) stated() (list []bundle.Stated) {
	for i, l := range m.Launches {
		for _, at := range l.Points {
			if one := at.Stated; one != (bundle.Stated{File: one.File}) {
				one.Launch, one.Point = i, at.Point
				list = append(list, one)
			}
		}
	}
	return list
}

// launch writes one launch: its points one after the other, each in its window.
func (m Import) launch(w *bundle.Writer, index int) error {
	out, err := w.StartLaunch(bundle.LaunchStart{Index: index, Order: index, Block: index, Wall: m.Started, Clock: record.ClockID})
	if err != nil {
		return err
	}
	err = m.tables(out, index)
	end := bundle.LaunchEnd{Outcome: bundle.LaunchCompleted, Wall: m.ended(index)}
	if err != nil {
		end = bundle.LaunchEnd{Outcome: bundle.LaunchFailed, Reason: err.Error()}
	}
	return errors.Join(err, out.Close(end))
}

// ended is when a launch was over; zero when nobody knows when it began.
func (m Import) ended(index int) time.Time {
	if m.Started.IsZero() {
		return time.Time{}
	}
	end := m.Started
	for _, at := range m.Launches[index].Points {
		end = end.Add(at.Duration)
	}
	return end
}

func (m Import) tables(out *bundle.Launch, index int) error {
	lay := layout{out: out, sends: !m.unknown(bundle.GapSendTimes)}
	if err := out.Asks.Append(m.Launches[index].Asks...); err != nil {
		return err
	}
	reported := []record.Reported{}
	for _, at := range m.Launches[index].Points {
		if err := lay.point(at); err != nil {
			return fmt.Errorf("%s: %w", m.Points[at.Point].name(), err)
		}
		reported = append(reported, at.Reported...)
	}
	if len(reported) > 0 {
		data, err := json.MarshalIndent(reported, "", "  ")
		if err != nil {
			return err
		}
		if err := out.Attach(record.ReportedFile, data); err != nil {
			return err
		}
	}
	if index > 0 {
		return nil // the files stand beside the first launch
	}
	return m.keep(out)
}

// keep attaches the small ones of the files that were read.
func (m Import) keep(out *bundle.Launch) error {
	left, taken := keptInAll, map[string]bool{}
	for _, f := range m.Files {
		data := f.Kept
		if data == nil {
			data = f.Data
		}
		name := SourcePrefix + strings.Trim(odd.ReplaceAllString(f.Name, "-"), "-")
		if len(data) > keptBytes || len(data) > left || taken[name] {
			continue
		}
		taken[name] = true
		left -= len(data)
		if err := out.Attach(name, data); err != nil {
			return err
		}
	}
	return nil
}

// SourcePrefix is how the names of attachments begin that are files of a tool.
const SourcePrefix = "source-"
