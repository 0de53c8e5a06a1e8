package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"assay/bundle"
	"assay/live"
	"assay/report"
	"assay/report/faces"
	"assay/report/workbook"
)

// A reportAsk is what assay report was asked for.
type reportAsk struct {
	format, out   string
	json, all     bool
	write         bool
	formatChanged bool
	workbook      workbook.Options
	trust         trustFlags
	earlier       warehouseFlag
}

func reportCommand(env Env) *cobra.Command {
	var ask reportAsk
	cmd := &cobra.Command{
		Use:   "report BUNDLE",
		Short: "Show the results of a run",
		Long: `Report prints the results of a run: one row per point, the findings that matter,
one sentence that may be quoted, and where the page is. --all prints everything.
Sealed results are shown where this version of assay made them; otherwise they are
computed anew from the raw records.

The seal is checked first. A bundle that was changed since is shown with NOT VERIFIED
on top; "signed by" stands only where the signature was checked in this call.

The bundle is not changed, except by --write, which adds missing report
files. What is there already stays as it is.`,
		Example: `  assay report runs/RUN
  assay report --all runs/RUN
  assay report --format md runs/RUN
  assay report -o run.csv runs/RUN
  assay report --write runs/RUN`,
		Args: oneBundle,
		RunE: func(cmd *cobra.Command, args []string) error {
			ask.formatChanged = cmd.Flags().Changed("format")
			return showReport(cmd.Context(), env, ask, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&ask.format, "format", "text", "one of "+formatNames())
	f.StringVarP(&ask.out, "output", "o", "", "write to this file; without --format its ending says which")
	f.BoolVar(&ask.json, "json", false, "same as --format json")
	f.BoolVar(&ask.all, "all", false, "print the whole report, with every metric; JSON and CSV have them anyway")
	f.BoolVar(&ask.write, "write", false, "add missing report files to the bundle's folder report")
	workbookFlags(cmd, &ask.workbook)
	f.StringVar(&ask.earlier.dir, "warehouse", "", earlierRuns)
	ask.trust.add(cmd)
	return cmd
}

// oneBundle sends people who want two bundles side by side where they get them.
func oneBundle(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usageError(fmt.Errorf("got %d bundles, want one: assay compare %s puts them side by side", len(args), strings.Join(args, " ")))
	}
	return exactArgs(1, "a bundle")(cmd, args)
}

// printer is how a format is shown at the end of a verb: text is kept short unless all
// of it is asked for, and coloured for a person who has not said NO_COLOR.
func printer(env Env, face faces.Face, all bool) (io.Writer, report.Format) {
	if face.Name != "text" || all {
		return answerTo(env, face.Name), face.Format
	}
	look := report.Look{Columns: live.Columns(unfiltered(env.Stdout))}
	if terminal(env.Stdout) && !slices.ContainsFunc(env.Environ(), func(v string) bool { return strings.HasPrefix(v, "NO_COLOR=") && v != "NO_COLOR=" }) {
		look.Colour = true
		return unfiltered(env.Stdout), report.Brief(look) // it lets no stranger's escapes through
	}
	return env.Stdout, report.Brief(look)
}

// answerTo is where a report of the format goes: through the filter, unless it is
// no text.
func answerTo(env Env, format string) io.Writer {
	if i := slices.IndexFunc(formats(), func(f faces.Face) bool { return f.Name == format }); i >= 0 && formats()[i].Binary() {
		return unfiltered(env.Stdout)
	}
	return env.Stdout
}

func formats() []faces.Face { return slices.Concat(faces.All, faces.OnRequest) }

func formatNames() string {
	var names []string
	for _, f := range formats() {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

// chosen is the format that was asked for.
func (ask reportAsk) chosen() (faces.Face, error) {
	name := ask.format
	switch {
	case ask.json && ask.formatChanged && name != "json":
		return faces.Face{}, fmt.Errorf("got --json and --format %s, want one of them", name)
	case ask.json:
		name = "json"
	case !ask.formatChanged && ask.out != "":
		for _, f := range formats() {
			if strings.EqualFold(filepath.Ext(f.File), filepath.Ext(ask.out)) {
				return f, nil
			}
		}
		return faces.Face{}, fmt.Errorf("-o %s: the ending says no format: want --format, one of %s", ask.out, formatNames())
	}
	return faces.Find(name)
}

func showReport(ctx context.Context, env Env, ask reportAsk, dir string) error {
	if ask.write && (ask.out != "" || ask.formatChanged || ask.json) {
		return usageError(errors.New("got --write with a format or a file, want --write alone: it adds every face that the bundle lacks"))
	}
	format, err := ask.chosen()
	if err != nil {
		return usageError(err)
	}
	if format.Format, err = workbookFormat(format.Name, ask.workbook, format.Format); err != nil {
		return usageError(err)
	}
	if ask.out == "" && format.Binary() && terminal(env.Stdout) {
		return usageError(fmt.Errorf("--format %s cannot be shown on a terminal: name a file, such as -o %s", format.Name, format.File))
	}
	collectSoonest(env)
	j, err := ask.trust.show(env, dir)
	if err != nil {
		return err
	}
	r := report.New(j)
	r.All = ask.all
	if err := ask.earlier.remember(ctx, env, j, &r); err != nil {
		return err
	}
	switch {
	case ask.write && len(r.NotVerified) > 0:
		return &bundle.SealError{Seal: *j.Bundle.Seal}
	case ask.write:
		return addFaces(env, j.Bundle, r)
	case ask.out == "":
		w, show := printer(env, format, ask.all)
		return cmp.Or(show(w, r), ended(r))
	}
	var text bytes.Buffer
	if err := format.Format(&text, r); err != nil {
		return err
	}
	if err := os.WriteFile(ask.out, text.Bytes(), 0o644); err != nil {
		return err
	}
	fmt.Fprintf(env.Stderr, "wrote %s\n", ask.out)
	return ended(r)
}

// ended is how a verb ends that has shown r: what does not verify was said on top of
// it, and scripts read exit codes.
func ended(reports ...report.Report) error {
	for _, r := range reports {
		if len(r.NotVerified) > 0 {
			return silent(exitUnverified)
		}
	}
	return nil
}

// addFaces writes the formats that the bundle does not have yet, and says which.
func addFaces(env Env, b *bundle.Bundle, r report.Report) error {
	for _, f := range faces.All {
		if _, err := os.Stat(filepath.Join(b.Dir, "report", f.File)); err == nil {
			continue
		}
		var text bytes.Buffer
		if err := f.Format(&text, r); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		if err := b.WriteReport(nil, f.File, text.Bytes()); err != nil {
			return err
		}
		fmt.Fprintln(env.Stdout, filepath.Join(b.Dir, "report", f.File))
	}
	return nil
}

// terminal reports whether a person would see what is written: a device that takes
// characters, and not the one that swallows them.
func terminal(w io.Writer) bool {
	f, ok := unfiltered(w).(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
