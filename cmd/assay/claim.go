package main

import (
	"bytes"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"assay/claim"
	"assay/judge"
	"assay/visible"
)

func claimCommand(env Env) *cobra.Command {
	var asJSON, refusals bool
	var trust trustFlags
	cmd := &cobra.Command{
		Use:   "claim BUNDLE",
		Short: "Show which results may be quoted",
		Long: `Claim prints sentences that can stand alone: each carries its interval, load,
tail, conditions and grade. What cannot be claimed is refused, with the reason and
what would help. Nothing is claimed while a void finding stands.

Exit codes: 0 something may be claimed, 2 usage error, 3 nothing may be claimed,
4 the bundle was changed after sealing.`,
		Args: exactArgs(1, "a bundle"),
		RunE: func(_ *cobra.Command, args []string) error {
			j, err := trust.decide(env, args[0])
			if err != nil {
				return err
			}
			claims := j.Claims
			if asJSON {
				err = printJSON(env.Stdout, claims)
			} else {
				err = printClaims(env.Stdout, claims, j, refusals)
			}
			if err == nil && len(claims.Claims) == 0 {
				err = silent(exitVerdict)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the claims as JSON")
	cmd.Flags().BoolVar(&refusals, "refusals", true, "also print what may not be claimed")
	trust.add(cmd)
	return cmd
}

func printClaims(w io.Writer, c claim.Claims, j *judge.Judgement, refusals bool) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s  %s\n%s\n", c.RunID, j.Bundle.Manifest.Digest, j.Signature())
	fmt.Fprintf(&out, "grade %s", c.Grade)
	if string(c.Grade)+"_grade" != c.Asked {
		fmt.Fprintf(&out, ", asked for %s", c.Asked)
	}
	fmt.Fprintln(&out)
	for _, why := range c.Downgrades {
		fmt.Fprintf(&out, "  because %s\n", visible.Line(why))
	}
	fmt.Fprintln(&out, c.Division)
	for _, why := range c.Division.Because {
		fmt.Fprintf(&out, "  because %s\n", visible.Line(why))
	}
	if len(c.Claims) == 0 {
		fmt.Fprintln(&out, "\nnothing may be claimed")
	} else {
		fmt.Fprintln(&out, "\nmay be claimed")
	}
	for _, one := range c.Claims {
		fmt.Fprintf(&out, "  %s\n", visible.Line(one.Sentence))
	}
	if refusals && len(c.Refused) > 0 {
		fmt.Fprintln(&out, "\nmay not be claimed")
		for _, r := range c.Refused {
			fmt.Fprintf(&out, "  %s: %s\n", visible.Line(r.What), visible.Line(r.Reason))
			if r.ToDo != "" {
				fmt.Fprintf(&out, "    to do: %s\n", r.ToDo)
			}
		}
	}
	fmt.Fprintln(&out, "\nwhat a sceptic asks")
	for _, a := range c.Checklist {
		fmt.Fprintf(&out, "  %s\n    %s\n", a.Question, a.Answer)
		for _, i := range a.Items {
			mark := "[x]"
			if !i.Known {
				mark = "[ ]"
			}
			fmt.Fprintf(&out, "      %s %s: %s\n", mark, i.Name, i.Value)
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}
