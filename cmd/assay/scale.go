package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"assay/analysis/scaling"
	"assay/finding"
	"assay/metric"
	"assay/report"
	"assay/report/page"
	"assay/report/plot"
)

// scaleFlags are what a study needs beside its numbers.
type scaleFlags struct {
	study               scaling.Study
	kind, quantity      string
	base, single        string
	metric, point       string
	workerHour, fixed   float64
	publication, asJSON bool
	format              string
	suite               string
	trust               trustFlags
}

func scaleCommand(env Env) *cobra.Command {
	var o scaleFlags
	cmd := &cobra.Command{
		Use:   "scale FILE.csv|FILE.json | WORKERS=BUNDLE…",
		Short: "Fit how a system scales with its workers",
		Long: `Scale computes speed-up and efficiency against a stated baseline, fits the laws of
Amdahl, Gustafson and the Universal Scalability Law, and says where the curve bends,
which size is fastest and which is cheapest.

A CSV file has the columns workers and value, one line for each launch, and may have
batch, communication (its exposed share of the time), software, and samples or
throughput: what a time to a target took, or how fast it went; the two are then told
apart. Columns steps or seconds say over what each launch was measured. A JSON file is
a study with all of that in it. Bundles are given as 1=runs/a 2=runs/b …, one for each
size; --metric says which number of theirs is compared. Bundles that differ in what they
compute, such as precision or batch rule, are refused; differences in loaders, warm-up,
launches, placement or software are named. assay scale run measures a study of training.

A speed-up as large as the number of workers, or larger, is no result until somebody has
looked at the base: --audited says who, and at what.

--kind is strong where the problem was held, weak where each worker's share was.
--baseline is best_single (with --single, launches of the best program on one worker),
one_worker, or smallest where nobody measured one.

Exit codes: 0 done, 2 usage error, 3 a finding voids the study (with --publication: or
cautions), 4 a bundle was changed after sealing.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 && o.suite == "" {
				return usageError(errors.New("want a CSV or JSON file, or WORKERS=BUNDLE for each size"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.suite != "" {
				return runSuite(cmd.Context(), env, o.suite, suiteFlags{out: "suites", model: "sim", device: "auto", ranks: 2, asJSON: o.asJSON})
			}
			if o.asJSON {
				o.format = "json"
			}
			return scale(env, o, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.kind, "kind", "", "strong or weak")
	f.StringVar(&o.quantity, "quantity", "", "time (seconds) or throughput; bundles know it")
	f.StringVar(&o.base, "baseline", "", "best_single, one_worker or smallest")
	f.StringVar(&o.single, "single", "", "values of the best program on one worker, separated by commas")
	f.StringVar(&o.metric, "metric", "", "definition id of the number to compare, of bundles (default "+metric.OutputThroughput.ID+", of training "+metric.TokensPerSecond.ID+")")
	f.StringVar(&o.point, "point", "", "name of the point, of bundles with several")
	f.Float64Var(&o.study.Threshold, "threshold", scaling.DefaultThreshold, "efficiency below which the curve has bent")
	f.Float64Var(&o.workerHour, "worker-hour", 0, "price of one worker for an hour")
	f.Float64Var(&o.fixed, "fixed-hour", 0, "price of an hour whatever the size")
	f.IntSliceVar(&o.study.Predict, "predict", nil, "sizes to read the best law at, up to twice the largest measured one")
	f.StringVar(&o.suite, "suite", "", "carry out a suite instead: micro, component, end-to-end or all (assay suite has more to choose)")
	f.StringVar(&o.study.Audit, "audited", "", "who looked at the base and at what: without it a speed-up as large as the workers, or larger, voids the study")
	f.BoolVar(&o.publication, "publication", false, "exit 3 on cautions too")
	f.StringVar(&o.format, "format", "text", "text, html, svg, png, pdf or json")
	f.BoolVar(&o.asJSON, "json", false, "same as --format json")
	o.trust.add(cmd)
	cmd.AddCommand(scaleRunCommand(env))
	return cmd
}

// scaleFormats are the ways to show a study.
var scaleFormats = map[string]func(io.Writer, scaling.Result) error{
	"text": report.Scaling, "html": page.ScalingHTML, "json": func(w io.Writer, r scaling.Result) error { return printJSON(w, r) },
	"svg": drawnScaling("svg"), "png": drawnScaling("png"), "pdf": drawnScaling("pdf"),
}

// drawnScaling draws the curves of a study.
func drawnScaling(format string) func(io.Writer, scaling.Result) error {
	return func(w io.Writer, r scaling.Result) error { return plot.Scaling("", r).Draw(w, format) }
}

func scale(env Env, o scaleFlags, args []string) error {
	s := o.study
	show, ok := scaleFormats[o.format]
	if !ok {
		return usageError(fmt.Errorf("--format %q: want text, html, svg, png, pdf or json", o.format))
	}
	s.Kind, s.Quantity, s.Baseline = scaling.Kind(o.kind), scaling.Quantity(o.quantity), scaling.Base(o.base)
	if o.workerHour > 0 {
		s.Prices = &scaling.Prices{WorkerHour: o.workerHour, FixedHour: o.fixed}
	}
	var err error
	if s.Single, err = numbers(o.single); err != nil {
		return usageError(fmt.Errorf("--single: %w", err))
	}
	if strings.Contains(args[0], "=") {
		err = fromBundles(env, &s, o, args)
	} else {
		err = readStudy(&s, args)
		if err != nil {
			err = usageError(err)
		}
	}
	if err != nil {
		return err
	}
	result, err := scaling.Analyse(s)
	if err != nil {
		return usageError(err)
	}
	err = show(env.Stdout, result)
	worst := finding.Worst(result.Findings)
	if err == nil && (worst == finding.Void || worst == finding.Caution && o.publication) {
		err = silent(exitVerdict)
	}
	return err
}
