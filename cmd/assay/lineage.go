package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"assay/unit"
	"assay/visible"
	"assay/warehouse"
)

func lineageCommand(env Env) *cobra.Command {
	var place warehouseFlag
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "lineage NUMBER|CLAIM|DIGEST",
		Short: "Follow a printed number back to its raw records",
		Long: `Lineage finds what was printed in the warehouse and follows it back: the metric and its
estimator, the definitions it was computed by, the run, the bundle by its digest and the
raw tables of the launches, with their rows and hashes. What is printed is a number as a
report shows it, with its unit ("12.3 ms"), or words of a claim. The digest of a bundle or
of a file in one goes the other way: to the numbers and claims that rest on it.

Exit codes: 0 found, 2 usage error, 3 nothing was printed so.`,
		Example: `  assay lineage "23.4 ms"
  assay lineage "p99 TTFT of"`,
		Args: exactArgs(1, "a number, words of a claim or a digest"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			w, err := openWarehouse(cmd.Context(), place.place(env))
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, w.Close()) }()
			l, err := w.Lineage(cmd.Context(), args[0])
			switch {
			case errors.Is(err, warehouse.ErrNoLineage):
				return &exitError{exitVerdict, err}
			case err != nil:
				return err
			case asJSON:
				return printJSON(env.Stdout, l)
			}
			return lineageText(env.Stdout, l)
		},
	}
	place.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print everything as JSON")
	return cmd
}

// lineageText prints the numbers of a run, then what they rest on, once.
func lineageText(out io.Writer, l warehouse.Lineage) error {
	for i, t := range l.Steps {
		value := unit.Format(t.Value, unit.Unit(t.Unit))
		if t.Low != nil && t.High != nil {
			value = unit.FormatInterval(t.Value, *t.Low, *t.High, unit.Unit(t.Unit))
		}
		fmt.Fprintf(out, "number    %s: %s %s at %s, by %s over %d\n", value, t.Metric, t.Statistic, t.Point, t.Estimator, t.N)
		for _, sentence := range t.Claims {
			fmt.Fprintf(out, "claim     %s\n", visible.Line(sentence))
		}
		if i+1 < len(l.Steps) && l.Steps[i+1].ArtifactManifestDigest == t.ArtifactManifestDigest {
			continue
		}
		evidenceText(out, t)
		if i+1 < len(l.Steps) {
			fmt.Fprintln(out)
		}
	}
	if l.More {
		_, err := fmt.Fprintf(out, "\nmore fit: write more digits, or the unit\n")
		return err
	}
	return nil
}

func evidenceText(out io.Writer, t warehouse.Trace) {
	fmt.Fprintf(out, "query     definitions %s, computed by assay %s\n", t.QuerySpecDigest, t.CodeVersion)
	fmt.Fprintf(out, "run       %s, workload %s\n", visible.Line(t.RunID), t.WorkloadSpecDigest)
	gone := ""
	if t.Gone {
		gone = ", which retention dropped"
	}
	fmt.Fprintf(out, "bundle    %s, signature %s, in %s%s\n", t.ArtifactManifestDigest, t.Signature, t.Bundle, gone)
	for _, f := range t.Raw {
		fmt.Fprintf(out, "raw       %s: %d rows, sha256 %s\n", f.Path, f.Rows, f.SHA256)
	}
	for _, act := range t.Acts {
		fmt.Fprintf(out, "decided   %s\n", visible.Line(act))
	}
}
