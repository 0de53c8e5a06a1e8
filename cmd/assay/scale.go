package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"assay/analysis/scaling"
	"assay/finding"
	"assay/metric"
)

// scaleFlags are what a study needs beside its numbers.
type scaleFlags struct {
	study               scaling.Study
	kind, quantity      string
	base, single        string
	metric, point       string
	workerHour, fixed   float64
	publication, asJSON bool
}

func scaleCommand(env Env) *cobra.Command {
	var o scaleFlags
	cmd := &cobra.Command{
		Use:   "scale FILE.csv | WORKERS=BUNDLE…",
		Short: "Say how a system grows with its workers",
		Long: `Scale computes speed-up and efficiency against a stated baseline, fits the laws of
Amdahl, Gustafson and the Universal Scalability Law, and says where the curve bends,
which size is fastest and which is cheapest.

A CSV file has the columns workers and value, one line for each launch, and may have
batch and communication. Bundles are given as 1=runs/a 2=runs/b …, one for each size;
--metric says which number of theirs is compared.

--kind is strong where the problem was held, weak where each worker's share was.
--baseline is best_single (with --single, launches of the best program on one worker)
or one_worker.

Exit code 0: said; 1: cannot be read; 2: asked wrongly; 3: a finding voids the study,
or with --publication any finding cautions.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError(errors.New("want a CSV file, or WORKERS=BUNDLE for each size"))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return scale(env, o, args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.kind, "kind", "", "strong or weak")
	f.StringVar(&o.quantity, "quantity", "", "time (seconds) or throughput; bundles know it")
	f.StringVar(&o.base, "baseline", "", "best_single or one_worker")
	f.StringVar(&o.single, "single", "", "values of the best program on one worker, separated by commas")
	f.StringVar(&o.metric, "metric", metric.OutputThroughput.ID, "definition id of the number to compare, of bundles")
	f.StringVar(&o.point, "point", "", "name of the point, of bundles with several")
	f.Float64Var(&o.study.Threshold, "threshold", scaling.DefaultThreshold, "efficiency below which the curve has bent")
	f.Float64Var(&o.workerHour, "worker-hour", 0, "price of one worker for an hour")
	f.Float64Var(&o.fixed, "fixed-hour", 0, "price of an hour whatever the size")
	f.BoolVar(&o.publication, "publication", false, "exit 3 on cautions too")
	f.BoolVar(&o.asJSON, "json", false, "print the result as JSON")
	return cmd
}

func scale(env Env, o scaleFlags, args []string) error {
	s := o.study
	s.Kind, s.Quantity, s.Baseline = scaling.Kind(o.kind), scaling.Quantity(o.quantity), scaling.Base(o.base)
	if o.workerHour > 0 {
		s.Prices = &scaling.Prices{WorkerHour: o.workerHour, FixedHour: o.fixed}
	}
	var err error
	if s.Single, err = numbers(o.single); err != nil {
		return usageError(fmt.Errorf("--single: %w", err))
	}
	if strings.Contains(args[0], "=") {
		err = fromBundles(&s, o, args)
	} else {
		s.Points, err = readStudy(args)
	}
	if err != nil {
		return err
	}
	result, err := scaling.Analyse(s)
	if err != nil {
		return usageError(err)
	}
	if o.asJSON {
		err = printJSON(env.Stdout, result)
	} else {
		err = printScaling(env.Stdout, result)
	}
	worst := finding.Worst(result.Findings)
	if err == nil && (worst == finding.Void || worst == finding.Caution && o.publication) {
		err = silent(exitVerdict)
	}
	return err
}

// numbers reads values separated by commas.
func numbers(text string) ([]float64, error) {
	if text == "" {
		return nil, nil
	}
	var list []float64
	for part := range strings.SplitSeq(text, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil {
			return nil, fmt.Errorf("got %q, want numbers separated by commas", part)
		}
		list = append(list, v)
	}
	return list, nil
}

// readStudy reads workers and values, one launch a line.
func readStudy(args []string) ([]scaling.Point, error) {
	if len(args) > 1 {
		return nil, usageError(fmt.Errorf("got %d files, want one CSV file, or WORKERS=BUNDLE for each size", len(args)))
	}
	file, err := os.Open(args[0])
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", args[0], err)
	}
	if len(lines) < 2 {
		return nil, fmt.Errorf("%s: want a heading and one line for each launch", args[0])
	}
	column := map[string]int{}
	for i, name := range lines[0] {
		column[strings.TrimSpace(strings.ToLower(name))] = i
	}
	for _, name := range []string{"workers", "value"} {
		if _, ok := column[name]; !ok {
			return nil, fmt.Errorf("%s: no column %q in the heading %v", args[0], name, lines[0])
		}
	}
	return pointsOf(filepath.Base(args[0]), lines[1:], column)
}

func pointsOf(file string, lines [][]string, column map[string]int) ([]scaling.Point, error) {
	at := map[int]int{}
	var points []scaling.Point
	for i, line := range lines {
		cell := func(name string) (float64, error) {
			c, ok := column[name]
			if !ok || strings.TrimSpace(line[c]) == "" {
				return math.NaN(), nil
			}
			v, err := strconv.ParseFloat(strings.TrimSpace(line[c]), 64)
			if err != nil {
				return 0, fmt.Errorf("%s line %d: %s is %q, want a number", file, i+2, name, line[c])
			}
			return v, nil
		}
		var v [4]float64
		for j, name := range []string{"workers", "value", "batch", "communication"} {
			var err error
			if v[j], err = cell(name); err != nil {
				return nil, err
			}
		}
		workers := int(v[0])
		if float64(workers) != v[0] {
			return nil, fmt.Errorf("%s line %d: workers is %v, want a whole number", file, i+2, line[column["workers"]])
		}
		k, ok := at[workers]
		if !ok {
			k = len(points)
			at[workers] = k
			points = append(points, scaling.Point{Workers: workers})
		}
		p := &points[k]
		p.Values = append(p.Values, v[1])
		if !math.IsNaN(v[2]) {
			p.Batch = v[2]
		}
		if !math.IsNaN(v[3]) {
			p.Communication = &v[3]
		}
	}
	return points, nil
}

// fromBundles takes the launches of one number of each bundle.
func fromBundles(s *scaling.Study, o scaleFlags, args []string) error {
	for _, arg := range args {
		text, dir, _ := strings.Cut(arg, "=")
		workers, err := strconv.Atoi(text)
		if err != nil {
			return usageError(fmt.Errorf("%q: want WORKERS=BUNDLE, such as 8=runs/eight", arg))
		}
		row, err := rowOf(dir, o.metric, o.point)
		if err != nil {
			return err
		}
		quantity := scaling.Time
		if row.Better == metric.Higher {
			quantity = scaling.Throughput
		}
		if s.Quantity != "" && s.Quantity != quantity {
			return usageError(fmt.Errorf("--quantity %s: %s is a %s", s.Quantity, o.metric, quantity))
		}
		s.Quantity, s.Unit = quantity, string(row.Unit)
		p := scaling.Point{Workers: workers}
		for _, v := range row.PerLaunch {
			p.Values = append(p.Values, v.Value)
		}
		s.Points = append(s.Points, p)
	}
	return nil
}

// rowOf is the number of a bundle that is compared: the value, or the median of a
// distribution.
func rowOf(dir, id, point string) (metric.Row, error) {
	_, j, err := openJudged(dir)
	if err != nil {
		return metric.Row{}, err
	}
	var names []string
	for _, candidate := range j.Plan.Points {
		names = append(names, candidate.Name)
		if point != candidate.Name && (point != "" || len(j.Plan.Points) > 1) {
			continue
		}
		for _, statistic := range []string{"value", "p50"} {
			if row, ok := j.Estimates.Find(id, statistic, candidate.Index); ok {
				return row, nil
			}
		}
		return metric.Row{}, fmt.Errorf("%s has no %s at %s", dir, id, candidate.Name)
	}
	return metric.Row{}, usageError(fmt.Errorf("%s: --point %q: want one of %s", dir, point, strings.Join(names, ", ")))
}

func printScaling(w io.Writer, r scaling.Result) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s scaling of %s against %s\n\n", r.Kind, r.Quantity, r.Baseline)
	t := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "workers\t%s\tspeed-up\tefficiency\tclass\tKarp–Flatt\tcost\tlaunches\n", r.Quantity)
	for _, row := range r.Rows {
		fmt.Fprintf(t, "%d\t%.4g%s\t%s\t%s\t%s\t%s\t%s\t%d\n", row.Workers, row.Value.Value, unitOf(r), ranged(row.Speedup.Value, row.Speedup.Interval.Lo, row.Speedup.Interval.Hi, ""),
			ranged(100*row.Efficiency.Value, 100*row.Efficiency.Interval.Lo, 100*row.Efficiency.Interval.Hi, " %"), row.Class, optional(row.KarpFlatt, "%.3g"), optional(row.Cost, "$%.4g"), row.Launches)
	}
	t.Flush()
	fmt.Fprintf(&out, "classes: %s\n", scaling.ClassScale)
	for _, f := range r.Fits {
		fmt.Fprintf(&out, "%s\n", f.Sentence)
	}
	if r.Bend != nil {
		fmt.Fprintf(&out, "the curve bends at %d workers: the first measured size below %.3g %% efficiency\n", *r.Bend, 100*r.Threshold)
	} else {
		fmt.Fprintf(&out, "no measured size is below %.3g %% efficiency\n", 100*r.Threshold)
	}
	fmt.Fprintf(&out, "fastest of the measured sizes: %d workers\n", r.Fastest)
	if r.Cheapest != nil {
		fmt.Fprintf(&out, "cheapest of the measured sizes: %d workers\n", *r.Cheapest)
	}
	for _, f := range r.Findings {
		fmt.Fprintf(&out, "%s  %s: %s\n    to do: %s\n", f.Severity, f.Check, f.Message, f.Fix)
	}
	_, err := w.Write(out.Bytes())
	return err
}

func unitOf(r scaling.Result) string {
	if r.Unit == "" {
		return ""
	}
	return " " + r.Unit
}

// ranged prints a value with its interval, where it has one.
func ranged(v, lo, hi float64, suffix string) string {
	if math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		return fmt.Sprintf("%.3g%s [no interval]", v, suffix)
	}
	return fmt.Sprintf("%.3g%s [%.3g, %.3g]", v, suffix, lo, hi)
}

func optional(v *float64, format string) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf(format, *v)
}
