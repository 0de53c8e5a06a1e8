package tier1

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"assay/bundle"
	"assay/suite"
)

// Options say how a run of the suite is carried out.
type Options struct {
	Root    string // folder of the history
	RunID   string
	Now     func() time.Time
	Size    suite.Size
	Host    suite.Host
	Measure suite.Measure
	Tell    func(format string, args ...any)
}

// Takes is about how long the targets take on a host.
func Takes(size suite.Size, h suite.Host) (total time.Duration) {
	for _, t := range All {
		total += t.Step.Takes(size, h)
	}
	return total
}

// Run measures every target, holds the run against the last one that was accepted,
// measures lost speed-ups once more and keeps everything in the history.
func Run(ctx context.Context, o Options) (Summary, Comparison, error) {
	dir, err := o.folder()
	if err != nil {
		return Summary{}, Comparison{}, err
	}
	index, warnings := ReadIndex(o.Root)
	before, more, known := Baseline(o.Root)
	warnings = append(warnings, more...)
	s := o.summary()
	for _, t := range All {
		s.Targets = append(s.Targets, o.measure(ctx, t, dir))
	}
	s.Totals = total(s.Targets)
	c := Uncompared(s.RunID)
	again := map[string]Result{}
	if known {
		compared, err := Compare(before, s)
		if err != nil {
			warnings = append(warnings, err.Error())
		} else {
			c = compared
			again = o.recheck(ctx, c, dir)
			c.Settle(before, again)
		}
	}
	c.Warnings = warnings
	return s, c, errors.Join(keep(o.Root, index, s, c, again), ctx.Err())
}

// Smoke measures nothing: it writes the spec of every target and says which could not
// be measured here. It is no part of the history.
func Smoke(o Options) (Summary, error) {
	dir, err := o.folder()
	if err != nil {
		return Summary{}, err
	}
	if err := os.Mkdir(filepath.Join(dir, "specs"), 0o755); err != nil {
		return Summary{}, err
	}
	s := o.summary()
	for _, t := range All {
		r := t.blank()
		r.Reason = cmp.Or(o.Host.Cannot(t.Step), "smoke: nothing is measured")
		s.Targets = append(s.Targets, r)
		if err := os.WriteFile(filepath.Join(dir, "specs", t.Key+".yaml"), t.Spec(o.Size, o.Host), 0o644); err != nil {
			return s, err
		}
	}
	s.Totals = total(s.Targets)
	return s, nil
}

// folder makes that of the run.
func (o Options) folder() (string, error) {
	if strings.ContainsAny(o.RunID, `/\`) || o.RunID == "" {
		return "", fmt.Errorf("run id %q: want a name without slashes", o.RunID)
	}
	dir := filepath.Join(o.Root, o.RunID)
	if err := os.MkdirAll(o.Root, 0o755); err != nil {
		return "", err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", fmt.Errorf("%w: a run id is used once", err)
	}
	return dir, nil
}

// summary is that of the run before anything is measured.
func (o Options) summary() Summary {
	return Summary{
		SuiteName: Name, SuiteVersion: Version, Description: "small targets, each by default and at its best, watched over time",
		RunID: o.RunID, GeneratedAt: o.Now().UTC(), Device: o.Host.Device,
		SourceJSON: SummaryFile, Manifest: IndexFile, Markdown: RegressionMD,
	}
}

// recheck measures once more what lost its speed-up.
func (o Options) recheck(ctx context.Context, c Comparison, dir string) map[string]Result {
	out := map[string]Result{}
	for _, change := range c.Regressions {
		for _, t := range All {
			if change.Rule == "speedup" && t.Key == change.Key {
				o.Tell("%s lost its speed-up: measured once more as %s__recheck__%s", t.Key, o.RunID, t.Key)
				out[t.Key] = o.measure(ctx, t, filepath.Join(dir, o.RunID+"__recheck__"+t.Key))
			}
		}
	}
	return out
}

// measure carries out one target. What fails is a result.
func (o Options) measure(ctx context.Context, t Target, dir string) Result {
	out := t.blank()
	if out.Reason = o.Host.Cannot(t.Step); out.Reason != "" {
		return out
	}
	if ctx.Err() != nil {
		out.Reason = "interrupted"
		return out
	}
	o.Tell("%s: %s", t.Key, t.Rationale)
	got, err := o.Measure(ctx, t.Name, t.Spec(o.Size, o.Host), filepath.Join(dir, "bundles"))
	switch {
	case err != nil:
		out.Status, out.Reason = Failed, err.Error()
	case got.Report.Status != bundle.Completed:
		out.Status, out.Reason = Failed, fmt.Sprintf("its bundle is %s", got.Report.Status)
	default:
		out = t.result(got.Report)
	}
	out.File = got.Bundle
	if got.Bundle != "" {
		out.Artifacts["bundle"] = got.Bundle
	}
	return out
}
