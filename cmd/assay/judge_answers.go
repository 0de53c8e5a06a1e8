package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"assay/accuracy"
	"assay/accuracy/pairwise"
	"assay/accuracy/scorer"
	"assay/spec"
	"assay/unit"
)

const judgeLong = `Judge-answers has a chat model decide, question by question, which of two bundles or files
answered better. Every pair is judged in both orders: a pair is won where both agree, and
tied where they do not. Printed are the first one's win rate with its interval (a tie
counts half), how far the judge favours a place, and with --repeat how far it agrees with
itself. What the judge says in no readable form, and requests that fail, are counted apart.

Exit codes: 0 judged, 1 could not be judged, 2 usage error, 4 a bundle was changed after
sealing.`

func judgeAnswersCommand(env Env) *cobra.Command {
	var c scoreCall
	s := spec.Scorer{Name: "judge", Kind: spec.ScorerRubric}
	repeat := 1
	cmd := &cobra.Command{
		Use:     "judge-answers FIRST SECOND --judge URL --model NAME",
		Short:   "Have a chat model judge whose answers are better",
		Long:    judgeLong,
		Example: `  assay judge-answers runs/bf16 runs/int8 --judge http://127.0.0.1:8000 --model judge-7b`,
		Args:    exactArgs(2, "two bundles or files of JSON lines"),
	}
	f := cmd.Flags()
	f.StringVar(&s.URL, "judge", "", "address of the chat endpoint that judges")
	f.StringVar(&s.Model, "model", "", "model that judges")
	f.StringVar(&c.template, "template", "", "file with what it is asked: {{prompt}}, {{reference}}, {{a}}, {{b}}")
	f.IntVar(&repeat, "repeat", 1, "how often each order of a pair is judged")
	f.IntVar(&s.Batch, "batch", 16, "requests at a time")
	f.DurationVar(&c.timeout, "timeout", 5*time.Minute, "longest time for a request")
	f.StringArrayVar(&c.headers, "header", nil, "NAME=VARIABLE: a header, whose value the environment variable holds; may be given again")
	f.StringVar(&s.TLS.CAFile, "ca-file", "", "PEM file of certificate authorities to trust")
	f.BoolVar(&c.asJSON, "json", false, "print every verdict as JSON")
	c.trust.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c.scorer = s
		return c.judge(cmd, env, args, repeat)
	}
	return cmd
}

func (c *scoreCall) judge(cmd *cobra.Command, env Env, args []string, repeat int) error {
	s, err := c.given()
	if err != nil {
		return usageError(err)
	}
	chat, err := scorer.NewChat(s, scorer.Environment{Lookup: lookupIn(env)})
	if err != nil {
		return usageError(err)
	}
	var sides [2][]accuracy.Answer
	for i, path := range args {
		if sides[i], _, _, err = c.answers(env, path); err != nil {
			return err
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			for k := range sides[i] {
				sides[i][k].Task = "" // two files are one task, whatever they are called
			}
		}
	}
	pairs, alone := pairwise.Pairs(sides[0], sides[1])
	r, err := pairwise.Judge{Chat: chat, Template: s.Template, Repeat: repeat, Width: s.Batch}.Compare(cmd.Context(), pairs, 0.95)
	if err != nil {
		return err
	}
	r.Alone = alone
	if c.asJSON {
		return printJSON(env.Stdout, r)
	}
	return printPairs(env.Stdout, args, r)
}

func printPairs(w io.Writer, names []string, r pairwise.Report) error {
	rate := func(v, lo, hi float64) string { return unit.FormatInterval(v, lo, hi, unit.Share) }
	text := fmt.Sprintf("%s wins %s of %d pairs against %s, ties as half\n", names[0], rate(r.WinRate.Value, r.WinRate.Interval.Lo, r.WinRate.Interval.Hi), r.WinRate.N, names[1])
	text += fmt.Sprintf("  won %d, lost %d, tied %d; no verdict %d, request failed %d; answered by one alone %d\n", r.First, r.Second, r.Ties, r.Unparsed, r.Failed, r.Alone)
	text += fmt.Sprintf("  the first place was preferred in %s of the verdicts (no bias is 50 %%); %d pairs went with the place and count as ties\n",
		rate(r.FirstPlace.Value, r.FirstPlace.Interval.Lo, r.FirstPlace.Interval.Hi), r.Swapped)
	if r.SelfAgreement != nil {
		text += fmt.Sprintf("  asked again, the judge agrees with itself in %s\n", unit.Format(*r.SelfAgreement, unit.Share))
	}
	_, err := io.WriteString(w, text+"made by "+r.Signature+"\n")
	return err
}
