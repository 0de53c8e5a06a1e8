package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"assay/accuracy"
	"assay/spec"
	"assay/unit"
)

func gradeCommand(env Env) *cobra.Command {
	var graders []string
	var rows bool
	var trust trustFlags
	cmd := &cobra.Command{
		Use:   "grade BUNDLE",
		Short: "Grade the answers of an evaluation again, by other graders",
		Long: `Grade reads the questions and answers that a bundle kept and grades them again, by the
graders of this version of assay: those of its spec, or others. Nothing is asked, and the
bundle is not changed. Programs are run in a sandbox, as in any report.

The same answers often get different scores from graders with the same purpose. Which
grader it was is part of what a score means, and is printed with it.

Exit codes: 0 graded, 1 could not be done, 2 usage error.`,
		Example: `  assay grade runs/20260801T120000Z_eval_gsm8k --grader gsm8k_openai,number
  assay grade runs/20260801T120000Z_eval_gsm8k --rows > grades.jsonl`,
		Args: exactArgs(1, "a bundle"),
		RunE: func(_ *cobra.Command, args []string) error {
			for _, name := range graders {
				if _, err := accuracy.Find(name); err != nil {
					return usageError(fmt.Errorf("--grader %q: want one of %s", name, strings.Join(spec.Graders(), ", ")))
				}
			}
			j, err := trust.decide(env, args[0])
			if err != nil {
				return err
			}
			if !j.HasAccuracy() {
				return errors.New("the bundle holds no evaluation: nothing was asked whose answer is known (see assay eval)")
			}
			r, grades, err := accuracy.ReadBy(j.Bundle, j.Plan, graders)
			if err != nil {
				return err
			}
			if rows {
				return printGrades(env.Stdout, grades)
			}
			return printGraded(env.Stdout, r)
		},
	}
	cmd.Flags().StringSliceVar(&graders, "grader", nil, "graders in place of those of the spec, the score first")
	cmd.Flags().BoolVar(&rows, "rows", false, "print one line of JSON for each grade")
	trust.add(cmd)
	return cmd
}

func printGrades(w io.Writer, grades []accuracy.Grade) error {
	lines := json.NewEncoder(w)
	for _, g := range grades {
		if err := lines.Encode(g); err != nil {
			return err
		}
	}
	return nil
}

// printGraded prints a row for each task, load and grader, and below a task what its scores
// mean.
func printGraded(w io.Writer, r accuracy.Report) error {
	for i, t := range r.Tasks {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "task %s: %s\n", t.Name, t.Identity)
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "load\tgrader\tscore\tright\tgraded\tunparsed\tfailed")
		for _, p := range t.Points {
			for _, s := range p.Scores {
				score := s.Unavailable
				if score == "" {
					score = unit.Format(s.Estimate.Value, s.Unit())
				}
				fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%d\t%d\t%d\n", strings.TrimSpace(p.Name+" "+p.Side), s.Grader, score, s.Right, s.Graded, s.Unparsed, p.States[accuracy.Failed])
			}
		}
		if err := table.Flush(); err != nil {
			return err
		}
		for _, line := range t.Signatures() {
			fmt.Fprintln(w, line)
		}
	}
	return nil
}
