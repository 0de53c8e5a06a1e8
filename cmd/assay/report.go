package main

import (
	"github.com/spf13/cobra"

	"assay/bundle"
	"assay/report"
)

func reportCommand(env Env) *cobra.Command {
	var format string
	var asJSON, all bool
	var workbook report.XLSXOptions
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
			if show, err = workbookFormat(format, workbook, show); err != nil {
				return usageError(err)
			}
			collectSoonest(env)
			b, j, err := openJudged(args[0])
			if err != nil {
				return err
			}
			r, err := j.report(b, sealedBy(b))
			if err != nil {
				return err
			}
			r.Warnings, r.All = b.Warnings, all
			return show(env.Stdout, r)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text, json or xlsx")
	cmd.Flags().BoolVar(&asJSON, "json", false, "same as --format json")
	cmd.Flags().BoolVar(&all, "all", false, "show every metric, variants and parts too; JSON has them anyway")
	workbookFlags(cmd, &workbook)
	return cmd
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
