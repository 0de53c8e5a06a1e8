package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"assay/intake"
	"assay/judge"
	"assay/report"
	"assay/report/plot"
	"assay/spec"
)

// A plotCall is what the command was asked for.
type plotCall struct {
	preset, layout string
	options        plot.Options
	formats        []string
	out            string
	listFields     bool
	listPresets    bool
	validateOnly   bool
	asJSON         bool
	trust          trustFlags
}

// A plotted is what was drawn and the data of every panel.
type plotted struct {
	Files   []string      `json:"files"`
	Figures []plot.Figure `json:"figures"`
}

func plotCommand(env Env) *cobra.Command {
	var ask plotCall
	cmd := &cobra.Command{
		Use:   "plot BUNDLE…",
		Short: "Plot results as SVG, PNG or PDF",
		Long: `Plot draws the estimates of one or more bundles with their intervals, each panel
as a file of its own and all of them as one page. It needs no browser.

A preset says which panels (--list-presets), or a layout file in YAML or JSON does;
layout files of genai-bench work as they are. Fields are named as metrics are, with
a statistic (ttft.p95, output_throughput, error_rate, concurrency), or as genai-bench
names them (stats.ttft.p95); --list-fields shows those that the bundles have.

Lines are distinguished by --group-by: scenario, none, side, run, model, concurrency, a
label of the run, or any field of the spec such as spec.target.model. Without it they
are distinguished by what differs.

The names of the files are printed. Exit codes: 0 drawn, 1 failed, 2 usage error (an
unknown field included), 4 drawn, with NOT VERIFIED on top: a bundle was changed after
sealing.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 && !ask.listPresets && !ask.listFields && !ask.validateOnly {
				return usageError(errors.New("plot: got no bundle, want one or more"))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return ask.run(env, args) },
	}
	f := cmd.Flags()
	f.StringVar(&ask.preset, "preset", "assay", "panels by name; see --list-presets")
	f.StringVar(&ask.layout, "layout", "", "panels from this file, YAML or JSON, instead of a preset")
	f.StringVar(&ask.options.GroupBy, "group-by", "", "the field that tells lines apart (default: whatever differs)")
	f.StringArrayVar(&ask.options.Filter, "filter", nil, "only points with FIELD=VALUE; may be repeated, several values of one field are alternatives")
	f.StringSliceVar(&ask.formats, "format", []string{"svg"}, "svg, png or pdf, several separated by commas")
	f.StringVarP(&ask.out, "out", "o", "plots", "folder for the files")
	f.StringVar(&ask.options.TimeUnit, "time-unit", "", "s or ms (default: what reads well on each axis)")
	f.StringVar(&ask.options.Statistic, "percentile", "", "statistic of fields that name none: mean, p50, p90, p95, p99 or p99.9 (default p95)")
	f.BoolVar(&ask.listFields, "list-fields", false, "print the fields that panels may name: those of the bundles, or all of them without a bundle")
	f.BoolVar(&ask.listPresets, "list-presets", false, "print the presets")
	f.BoolVar(&ask.validateOnly, "validate-only", false, "check preset or layout, and with bundles that they can be drawn; write nothing")
	ask.trust.add(cmd)
	f.BoolVar(&ask.asJSON, "json", false, "print the files and the data of every panel as JSON")
	return cmd
}

func (ask plotCall) run(env Env, args []string) error {
	if ask.listPresets {
		return ask.presets(env.Stdout)
	}
	for _, format := range ask.formats {
		if !slices.Contains(plot.Formats, format) {
			return usageError(fmt.Errorf("--format %q: want %s", format, strings.Join(plot.Formats, ", ")))
		}
	}
	layout, err := ask.panels()
	if err != nil {
		return err
	}
	if err := plot.Check(layout, ask.options); err != nil && !ask.listFields {
		return usageError(fmt.Errorf("%s: %w", ask.source(), err))
	}
	collectSoonest(env)
	var reports []report.Report
	for _, dir := range args {
		j, err := ask.trust.show(env, dir)
		if err != nil {
			return err
		}
		reports = append(reports, report.New(j))
	}
	if ask.listFields {
		return ask.fields(env.Stdout, reports)
	}
	var figures []plot.Figure
	if len(reports) > 0 {
		if figures, err = plot.Figures(reports, layout, ask.options); err != nil {
			return usageError(fmt.Errorf("%s: %w", ask.source(), err))
		}
	}
	if ask.validateOnly {
		fmt.Fprintf(env.Stdout, "%s can be drawn: %d panels\n", ask.source(), len(layout.Plots))
		return nil
	}
	files, err := ask.draw(figures)
	if err != nil {
		return err
	}
	if ask.asJSON {
		return cmp.Or(printJSON(env.Stdout, plotted{files, figures}), ended(reports...))
	}
	for _, r := range reports {
		for _, fault := range r.NotVerified {
			fmt.Fprintf(env.Stdout, "%s: %s: %s\n", judge.NotVerified, r.RunID, fault)
		}
	}
	for _, name := range files {
		fmt.Fprintln(env.Stdout, name)
	}
	return ended(reports...)
}

// source names where the panels come from, for messages.
func (ask plotCall) source() string {
	if ask.layout != "" {
		return ask.layout
	}
	return "preset " + ask.preset
}

func (ask plotCall) panels() (plot.Layout, error) {
	if ask.layout == "" {
		l, err := plot.FindPreset(ask.preset)
		if err != nil {
			return l, usageError(err)
		}
		return l, nil
	}
	data, err := intake.ReadFile(ask.layout, spec.MaxDocumentBytes)
	if err != nil {
		return plot.Layout{}, err
	}
	l, err := plot.ParseLayout(data)
	if err != nil {
		return l, usageError(fmt.Errorf("%s: %w", ask.layout, err))
	}
	return l, nil
}

// draw writes every figure and every panel of it, in each format.
func (ask plotCall) draw(figures []plot.Figure) ([]string, error) {
	if err := os.MkdirAll(ask.out, 0o755); err != nil {
		return nil, err
	}
	var files []string
	write := func(name string, draw func(io.Writer) error) error {
		path := filepath.Join(ask.out, name)
		if slices.Contains(files, path) {
			return fmt.Errorf("two panels are called %s: give them titles of their own", name)
		}
		files = append(files, path)
		return writePlot(path, draw)
	}
	for _, f := range figures {
		for _, format := range ask.formats {
			if err := write(f.File+"."+format, func(w io.Writer) error { return f.Draw(w, format) }); err != nil {
				return files, err
			}
			for i, c := range f.Charts {
				if err := write(c.File+"."+format, func(w io.Writer) error { return f.DrawChart(w, i, format) }); err != nil {
					return files, err
				}
			}
		}
	}
	return files, nil
}

func writePlot(path string, draw func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	return errors.Join(draw(w), w.Flush(), file.Close())
}

func (ask plotCall) presets(w io.Writer) error {
	if ask.asJSON {
		return printJSON(w, plot.Presets)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, p := range plot.Presets {
		fmt.Fprintf(t, "%s\t%s\n", p.Name, p.Doc)
	}
	return t.Flush()
}

func (ask plotCall) fields(w io.Writer, reports []report.Report) error {
	fields := plot.Fields(reports)
	if ask.asJSON {
		return printJSON(w, fields)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range fields {
		fmt.Fprintf(t, "%s\t%s\t%s\n", f.Name, f.Unit, f.Means)
	}
	return t.Flush()
}
