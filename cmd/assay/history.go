package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"assay/judge"
	"assay/stats"
	"assay/unit"
	"assay/visible"
	"assay/warehouse"
)

const historyLong = `History shows a result over time and where it changed: one series for each workload, point,
system and machine, since runs that differ in these do not compare. METRIC is a metric's
name or id, with a statistic where the usual one is not meant: ttft, ttft:p99,
output_throughput, or TASK.GRADER for the score of an evaluation.

Changes are found as by one who looks after every run: two runs or more that left the level
of the five or more before them, by a t test over all places. What was seen once stays;
later runs are held against the level that is remembered. A change is suspected
with two runs after it, confirmed with three, and recovered when the newest three runs lie
in the level before it again. One run alone is an outlier and no change; a drift and a
switch between two modes are named. What nobody could see then is found in hindsight, by
E-divisive means with a permutation test. Each change names the last run before it and the
first after it, and what differs between the two besides the result. For a score of which
both runs kept their grades, the answers are compared item by item too.

A change of a watched result raises an alert in the warehouse, which stays open until
somebody decides about it (assay serve), accepts a run after it (assay mark), or it recovers.

Exit codes: 0 nothing got worse, 2 usage error, 3 something got worse, is not over and
nobody decided about it.`

// A historyCall is one call of assay history: what its flags say.
type historyCall struct {
	place  warehouseFlag
	trust  trustFlags
	filter warehouse.Filter
	detect warehouse.Detection
	since  string
	format string
	alarms bool
}

func historyCommand(env Env) *cobra.Command {
	var asJSON bool
	var h historyCall
	cmd := &cobra.Command{
		Use:   "history METRIC",
		Short: "Show a result over time, and where it changed",
		Long:  historyLong,
		Example: `  assay history ttft:p99 --workload nightly-chat
  assay history output_throughput --system vllm --since 720h --format json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if h.alarms {
				return exactArgs(0, "no metric with --alarms")(cmd, args)
			}
			return exactArgs(1, "a metric")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if asJSON {
				h.format = "json"
			}
			if h.alarms {
				return h.weeks(cmd.Context(), env)
			}
			h.filter.Metric = args[0]
			return h.show(cmd.Context(), env)
		},
	}
	h.place.add(cmd)
	h.trust.add(cmd)
	f := cmd.Flags()
	f.StringVar(&h.filter.Workload, "workload", "", "name of the document, or digest of the workload")
	f.StringVar(&h.filter.System, "system", "", "engine, or the beginning of its name")
	f.StringVar(&h.filter.Testbed, "testbed", "", "machine, or the beginning of its name")
	f.StringVar(&h.filter.Point, "point", "", "point, such as concurrency=8")
	f.StringVar(&h.filter.Side, "side", "", "side, in runs of several")
	f.StringVar(&h.since, "since", "", "leave out what is older: a date, or how long ago, such as 720h")
	f.IntVar(&h.filter.Last, "last", 200, "the most runs of a series, the newest ones")
	f.Float64Var(&h.detect.Alpha, "alpha", .001, "false alarms that one look at a stable series may raise")
	f.Int64Var(&h.detect.Seed, "seed", 1, "seed of the permutations, for what is found in hindsight")
	f.StringVar(&h.format, "format", "text", "text, csv or json")
	f.BoolVar(&h.alarms, "alarms", false, "in place of a metric: false alarms of gates and alerts, and the delay of those that are right, week by week")
	f.BoolVar(&asJSON, "json", false, "same as --format json")
	return cmd
}

// historyFormats are the ways to print a history.
var historyFormats = map[string]func(io.Writer, warehouse.History) error{
	"text": historyText,
	"csv":  historyCSV,
	"json": func(w io.Writer, h warehouse.History) error { return printJSON(w, h) },
}

func (h historyCall) show(ctx context.Context, env Env) (err error) {
	write, known := historyFormats[h.format]
	switch {
	case !known:
		return usageError(fmt.Errorf("--format %q: want text, csv or json", h.format))
	case h.detect.Alpha <= 0 || h.detect.Alpha >= 1:
		return usageError(fmt.Errorf("--alpha %g: want more than 0 and less than 1", h.detect.Alpha))
	case h.filter.Last < 1 || h.filter.Last > 2000:
		return usageError(fmt.Errorf("--last %d: want 1 to 2000", h.filter.Last))
	}
	if h.filter.Since, err = sinceTime(h.since, time.Now()); err != nil {
		return usageError(err)
	}
	trust, err := h.trust.trust(env)
	if err != nil {
		return err
	}
	w, err := openWarehouse(ctx, h.place.place(env))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	answer, err := w.History(ctx, h.filter, h.detect, judge.Options{Trust: trust, Version: version()})
	if errors.Is(err, warehouse.ErrNoSeries) {
		return usageError(err)
	}
	if err != nil {
		return err
	}
	if err := write(env.Stdout, answer); err != nil {
		return err
	}
	rememberFound(ctx, w)
	if answer.Alarming() {
		return silent(exitVerdict)
	}
	return nil
}

// weeks prints how often assay alarmed about nothing, week by week.
func (h historyCall) weeks(ctx context.Context, env Env) (err error) {
	w, err := openWarehouse(ctx, h.place.place(env))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	list, err := w.Weeks(ctx)
	if err != nil {
		return err
	}
	if h.format == "json" {
		return printJSON(env.Stdout, list)
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(env.Stdout, "no gate of a schedule was asked about a system and itself yet, and no alert opened")
		return err
	}
	t := tabwriter.NewWriter(env.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "week of\tA/A gates\talarms\tshare\talerts\tdismissed\tclosed by the rule\tfalse\tdelay in runs\tdelay in hours")
	for _, k := range list {
		fmt.Fprintf(t, "%s\t%d\t%d\t%s\t%d\t%d\t%d\t%s\t%s\t%s\n", k.Monday.Format(time.DateOnly), k.Gates, k.Alarms, warehouse.ShareText(k.Rate),
			k.Opened, k.Dismissed, k.Closed, warehouse.ShareText(k.False), warehouse.DelayText(k.DelayRuns), warehouse.DelayText(k.DelayHours))
	}
	return t.Flush()
}

// rememberFound has the next look at the same values be short. Whoever may not write to the
// warehouse, or would have to wait for somebody who does, has an answer all the same.
func rememberFound(ctx context.Context, w *warehouse.Warehouse) {
	ctx, stop := context.WithTimeout(ctx, time.Second)
	defer stop()
	_ = w.Remember(ctx)
}

// sinceTime reads a date or an age.
func sinceTime(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if age, err := time.ParseDuration(text); err == nil && age > 0 {
		return now.Add(-age), nil
	}
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return at, fmt.Errorf("--since %q: want a date such as 2026-11-17, or how long ago, such as 720h", text)
	}
	return at, nil
}

func historyText(out io.Writer, h warehouse.History) error {
	for i, s := range h.Series {
		if i > 0 {
			fmt.Fprintln(out)
		}
		if err := seriesText(out, s); err != nil {
			return err
		}
	}
	return nil
}

func seriesText(out io.Writer, s warehouse.Series) error {
	side := ""
	if s.Side != "" {
		side = " of " + s.Side
	}
	fmt.Fprintf(out, "%s %s%s · %s · %s · %s on %s\n", s.Metric, s.Statistic, side, visible.Line(s.Name), s.Point, visible.Line(s.System), visible.Line(s.Testbed))
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for i, v := range s.Values {
		for _, c := range s.Changes {
			if c.At == i {
				fmt.Fprintf(w, "  ···\t%+.1f %%  %s %s, p %.2g\n", 100*c.Relative, worseWord(c), c.State, c.P)
			}
		}
		accepted := ""
		if v.Accepted {
			accepted = "accepted"
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\n", v.At.Format("2006-01-02 15:04"), valueText(s, v), fmt.Sprintf("n %d", v.N), visible.Line(v.RunID), accepted)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, c := range s.Changes {
		changeText(out, s, c)
	}
	for _, at := range s.Outliers {
		fmt.Fprintf(out, "outlier   %s of %s: one run alone is no change of level\n", valueText(s, s.Values[at]), visible.Line(s.Values[at].RunID))
	}
	return noiseText(out, s)
}

// kindText says what a change is where it is no plain step.
func kindText(c warehouse.Change) string {
	switch c.Kind {
	case stats.DriftStep:
		return "          the series drifts: a line fits better than a step\n"
	case stats.SwitchStep:
		return "          the series switches between two modes: it was on both levels before\n"
	}
	return ""
}

func worseWord(c warehouse.Change) string {
	if c.Worse {
		return "worse,"
	}
	return "better,"
}

func valueText(s warehouse.Series, v warehouse.Value) string {
	if v.Low == nil || v.High == nil {
		return unit.Format(v.Value, unit.Unit(s.Unit))
	}
	return unit.FormatInterval(v.Value, *v.Low, *v.High, unit.Unit(s.Unit))
}

func changeText(out io.Writer, s warehouse.Series, c warehouse.Change) {
	fmt.Fprintf(out, "change    %s → %s (%+.1f %%), %s %s by %s: last run before it %s, first run after it %s\n",
		unit.Format(c.Before, unit.Unit(s.Unit)), unit.Format(c.After, unit.Unit(s.Unit)), 100*c.Relative, worseWord(c), c.State, c.Method, c.LastGood, c.FirstBad)
	fmt.Fprint(out, kindText(c))
	if c.Alert != "" {
		fmt.Fprintf(out, "          its alert is %s\n", c.Alert)
	}
	for _, d := range c.Differences {
		fmt.Fprintf(out, "          %s %s\n", d.Kind, visible.Line(d.String()))
	}
	switch {
	case c.Unknown != "":
		fmt.Fprintf(out, "          what differs between them is not known: %s\n", visible.Line(c.Unknown))
	case len(c.Differences) == 0:
		fmt.Fprintln(out, "          nothing that assay records differs between them")
	}
	for _, r := range c.Paired {
		fmt.Fprintf(out, "          by item: %s, p %.2g, %s\n", r.Why(), r.Test.P, r.Verdict)
	}
	if c.State == warehouse.Suspected {
		fmt.Fprintln(out, "          run it again to settle this")
	}
}

func noiseText(out io.Writer, s warehouse.Series) error {
	var parts []string
	add := func(text string, v *float64) {
		if v != nil {
			parts = append(parts, fmt.Sprintf("%s %.2g %%", text, 100**v))
		}
	}
	add("between runs", s.Noise.RunCV)
	add("between launches", s.Noise.LaunchCV)
	add("two runs show a step of", s.Noise.Detectable)
	if s.LeftOut > 0 {
		parts = append(parts, counted(s.LeftOut, "run")+" left out: not completed, void, or a quick look")
	}
	_, err := fmt.Fprintf(out, "level     %s\n", strings.Join(append([]string{counted(s.Noise.Runs, "run")}, parts...), "; "))
	return err
}

func historyCSV(out io.Writer, h warehouse.History) error {
	w := csv.NewWriter(out)
	w.Write([]string{"metric", "statistic", "unit", "name", "workload", "system", "testbed", "point", "side", "at", "run_id", "digest", "value", "low", "high", "n", "change", "relative", "p"})
	number := func(v *float64) string {
		if v == nil {
			return ""
		}
		return strconv.FormatFloat(*v, 'g', -1, 64)
	}
	for _, s := range h.Series {
		for i, v := range s.Values {
			state, relative, p := "", "", ""
			for _, c := range s.Changes {
				if c.At == i {
					state, relative, p = c.State, number(&c.Relative), number(&c.P)
				}
			}
			w.Write([]string{
				s.Metric, s.Statistic, s.Unit, s.Name, s.Workload, s.System, s.Testbed, s.Point, s.Side, v.At.Format(time.RFC3339Nano), v.RunID, v.Digest,
				number(&v.Value), number(v.Low), number(v.High), strconv.Itoa(v.N), state, relative, p,
			})
		}
	}
	w.Flush()
	return w.Error()
}
