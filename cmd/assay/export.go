package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"assay/bundle"
	"assay/foreign"
	"assay/judge"
)

// An exported is what --json says of an export: the launch that genai-bench's format
// holds, or the files of MLPerf's logs or of lm-eval and the point that they are about.
type exported struct {
	Folder string   `json:"folder"`
	Launch *int     `json:"launch,omitempty"` // counted from 0, as tables and folders do
	Files  []string `json:"files,omitempty"`
	Point  string   `json:"point,omitempty"`
}

func exportCommand(env Env) *cobra.Command {
	var out, point string
	var launch int
	var asJSON bool
	var trust trustFlags
	cmd := &cobra.Command{
		Use:   "export genai-bench|mllog|lm-eval BUNDLE -o FOLDER",
		Short: "Write a run in the format of another tool",
		Long: `Export writes one launch of a bundle as an experiment folder of genai-bench
0.0.5, from which genai-bench makes its workbook and its plots. genai-bench knows
no repetitions: each launch is an experiment of its own, and intervals stay behind.
As mllog it writes a log for each completed launch of training, in the format of
MLPerf Training and in no way a submission; assay mllog scores them.
As lm-eval it writes the results and samples files of one launch and point of an
evaluation, for whatever reads those of lm-eval.

Exit codes: 0 done, 1 failed, 2 usage error, 4 the bundle was changed after sealing.`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) != 2:
				return usageError(fmt.Errorf("got %d arguments, want a format and a bundle: assay export genai-bench BUNDLE -o FOLDER", len(args)))
			case !slices.Contains([]string{foreign.GenAIBench.Name, mllogFormat, foreign.LMEval.Name}, args[0]):
				return usageError(fmt.Errorf("format %q: want %s, %s or %s", args[0], foreign.GenAIBench.Name, mllogFormat, foreign.LMEval.Name))
			case out == "":
				return usageError(errors.New("--out: want the folder to make"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			j, err := trust.decide(env, args[1])
			if err != nil {
				return err
			}
			b := j.Bundle
			if args[0] == mllogFormat {
				return exportLogs(env, b, out, asJSON)
			}
			if !cmd.Flags().Changed("launch") {
				launch = firstCompleted(b)
			}
			if args[0] == foreign.LMEval.Name {
				return exportAnswers(env, j, answersPlace{launch - 1, point}, out, asJSON)
			}
			if err := exportLaunch(b, launch, out); err != nil {
				return err
			}
			if index := launch - 1; asJSON {
				return printJSON(env.Stdout, exported{Folder: out, Launch: &index})
			}
			_, err = fmt.Fprintln(env.Stdout, out)
			return err
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "the folder to make; it must not exist")
	cmd.Flags().IntVar(&launch, "launch", 0, "the launch to write, counted from 1 (default: the first that was completed)")
	cmd.Flags().StringVar(&point, "point", "", "of an evaluation, the point to write (default: the first)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what was written as JSON")
	trust.add(cmd)
	return cmd
}

// firstCompleted is the launch to write where none is named, counted from 1.
func firstCompleted(b *bundle.Bundle) int {
	for _, l := range b.Launches() {
		if l.Outcome == bundle.LaunchCompleted {
			return l.Index + 1
		}
	}
	return 1
}

func exportLaunch(b *bundle.Bundle, launch int, out string) error {
	var have []int
	for _, l := range b.Launches() {
		have = append(have, l.Index+1)
	}
	if !slices.Contains(have, launch) {
		return usageError(fmt.Errorf("--launch %d: the bundle has %v", launch, have))
	}
	p, err := judge.Plan(b)
	if err != nil {
		return err
	}
	return foreign.ExportGenAIBench(b, p, launch-1, out)
}
