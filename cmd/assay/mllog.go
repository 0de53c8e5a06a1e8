package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"assay/analysis/mllog"
	"assay/bundle"
	"assay/judge"
	"assay/plan"
	"assay/unit"
)

func mllogCommand(env Env) *cobra.Command {
	var need int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "mllog FOLDER…",
		Short: "Score logs of MLPerf Training by its rules",
		Long: `Mllog reads the logs of one result of MLPerf Training, result_N.txt with lines of
:::MLLOG, and scores them: of the runs the fastest and the slowest are dropped and
the rest averaged; of more runs than needed the median of all sets that follow each
other counts; a scaling.json beside them is multiplied. It lists the rules that a log
breaks, and gives throughput apart from time, since runs end at evaluations and
converge by luck. A log that holds a run of another one once more is not counted.

Reference convergence points and rules of hyperparameters are not checked: a score
from here is no submission. assay export mllog writes such logs from a bundle.

Exit codes: 0 scored, 2 usage error (a folder without logs, or logs that cannot be
read), 3 there is no valid score.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError(errors.New("got no folder, want those with the logs of one result each"))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			var list []mllog.Score
			valid := true
			for _, folder := range args {
				s, err := mllog.ReadFolder(folder, need)
				if err != nil {
					return usageError(err)
				}
				valid = valid && s.Seconds != nil
				list = append(list, s)
			}
			if err := printScores(env.Stdout, args, list, asJSON); err != nil || valid {
				return err
			}
			return silent(exitVerdict)
		},
	}
	cmd.Flags().IntVar(&need, "runs", 0, "runs that make a result (default: by the benchmark's rule, 3 or 10)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print scores and runs as JSON")
	return cmd
}

func printScores(w io.Writer, folders []string, list []mllog.Score, asJSON bool) error {
	if asJSON {
		return printJSON(w, list)
	}
	var out bytes.Buffer
	table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "folder\tbenchmark\truns\tneeded\tscaling\tminutes\tsamples/s")
	for i, s := range list {
		minutes, rate := "none", "–"
		if s.Minutes != nil {
			minutes = fmt.Sprintf("%.3f", *s.Minutes)
		}
		if s.Rate != nil {
			rate = fmt.Sprintf("%.4g", *s.Rate)
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%g\t%s\t%s\n", folders[i], s.Benchmark, len(s.Runs), s.Need, s.Scaling, minutes, rate)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, s := range list {
		for _, r := range s.Runs {
			fmt.Fprintf(&out, "%s: %s, %s\n", r.File, unit.Format(r.Seconds, unit.Second), converged(r))
		}
		for _, why := range s.Why {
			fmt.Fprintln(&out, "note:", why)
		}
	}
	_, err := out.WriteTo(w)
	return err
}

func converged(r mllog.Run) string {
	if r.Converged {
		return "converged"
	}
	return "did not converge"
}

// mllogFormat is what export calls the format.
const mllogFormat = "mllog"

// exportLogs writes a log for every completed launch, of the first point of training.
func exportLogs(env Env, b *bundle.Bundle, out string, asJSON bool) error {
	p, err := judge.Plan(b)
	if err != nil {
		return err
	}
	first := slices.IndexFunc(p.Points, func(q plan.Point) bool { return q.Kind() == plan.KindSteps })
	if first < 0 {
		return usageError(errors.New("the bundle has no training: want one of assay train"))
	}
	if err := os.Mkdir(out, 0o755); err != nil {
		return err
	}
	var files []string
	for _, info := range b.Launches() {
		if info.Outcome != bundle.LaunchCompleted {
			continue
		}
		events, err := mllog.Log(b, p, info, p.Points[first].Index)
		if err != nil {
			return err
		}
		var text bytes.Buffer
		if err := mllog.Write(&text, events); err != nil {
			return err
		}
		files = append(files, filepath.Join(out, fmt.Sprintf("result_%d.txt", info.Index)))
		if err := os.WriteFile(files[len(files)-1], text.Bytes(), 0o644); err != nil {
			return err
		}
	}
	if asJSON {
		return printJSON(env.Stdout, exported{Folder: out, Files: files, Point: p.Points[first].Name})
	}
	_, err = fmt.Fprintln(env.Stdout, out)
	return err
}
