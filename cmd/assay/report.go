package main

import (
	"encoding/json"
	"fmt"
	"path"

	"github.com/spf13/cobra"

	"assay/bundle"
	"assay/metric"
	"assay/plan"
	"assay/report"
)

func reportCommand(env Env) *cobra.Command {
	var format string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "report BUNDLE",
		Short: "Show what a bundle says",
		Long: `Report prints the estimates of a bundle. Those sealed in the bundle are shown
where they were made by this version of assay; otherwise they are computed anew
from the raw records. The bundle is not changed.`,
		Args: exactArgs(1, "a bundle"),
		RunE: func(_ *cobra.Command, args []string) error {
			if asJSON {
				format = "json"
			}
			show, err := report.Find(format)
			if err != nil {
				return usageError(err)
			}
			if err := bundleDir(args[0]); err != nil {
				return err
			}
			b, err := bundle.Open(args[0])
			if err != nil {
				return err
			}
			estimates, err := estimatesOf(b)
			if err != nil {
				return err
			}
			r, err := report.New(b, b.Manifest.Status, sealedBy(b), estimates)
			if err != nil {
				return err
			}
			if r, _, err = judged(b, r); err != nil {
				return err
			}
			r.Warnings = b.Warnings
			return show(env.Stdout, r)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	cmd.Flags().BoolVar(&asJSON, "json", false, "same as --format json")
	return cmd
}

// estimatesOf returns the estimates that this version made, sealed or new.
func estimatesOf(b *bundle.Bundle) (metric.Estimates, error) {
	if data, err := b.ReadFile(path.Join("derived", version(), "estimates.json")); err == nil {
		var e metric.Estimates
		if err := json.Unmarshal(data, &e); err != nil {
			return e, fmt.Errorf("estimates.json: %w", err)
		}
		return e, nil
	}
	data, err := b.ReadFile(bundle.PlanFile)
	if err != nil {
		return metric.Estimates{}, err
	}
	p, err := plan.Decode(data)
	if err != nil {
		return metric.Estimates{}, err
	}
	return metric.Estimate(b, p, version())
}

func sealedBy(b *bundle.Bundle) string {
	switch {
	case !b.Sealed:
		return report.UnsignedText + " and not sealed"
	case b.Manifest.Signer.KeyID == bundle.Unsigned:
		return ""
	}
	return "signed by key " + b.Manifest.Signer.KeyID + " (check it with assay verify --key)"
}
