package main

import (
	"github.com/spf13/cobra"

	"assay/bundle"
	"assay/metric"
	"assay/plan"
	"assay/report"
)

func reportCommand(env Env) *cobra.Command {
	var format string
	var asJSON, all bool
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
			collectSoonest(env)
			estimates, client, err := judgementOf(b)
			if err != nil {
				return err
			}
			r, err := report.New(b, b.Manifest.Status, sealedBy(b), estimates)
			if err != nil {
				return err
			}
			r.Client = client
			if r, err = judged(b, r); err != nil {
				return err
			}
			r.Warnings, r.All = b.Warnings, all
			return show(env.Stdout, r)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	cmd.Flags().BoolVar(&asJSON, "json", false, "same as --format json")
	cmd.Flags().BoolVar(&all, "all", false, "show every metric, variants and parts too; JSON has them anyway")
	return cmd
}

// judgementOf returns the estimates that this version made, sealed or new, and
// with new ones what the same pass over the records says about the client.
func judgementOf(b *bundle.Bundle) (e metric.Estimates, c metric.Client, err error) {
	if known, err := derived(b, estimatesFile, &e); known || err != nil {
		return e, c, err
	}
	data, err := b.ReadFile(bundle.PlanFile)
	if err != nil {
		return e, c, err
	}
	p, err := plan.Decode(data)
	if err != nil {
		return e, c, err
	}
	return metric.Judge(b, p, version())
}

// estimatesOf returns the estimates alone.
func estimatesOf(b *bundle.Bundle) (metric.Estimates, error) {
	e, _, err := judgementOf(b)
	return e, err
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
