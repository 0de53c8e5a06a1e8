package main

import (
	"errors"

	"github.com/spf13/cobra"

	"assay/report"
	"assay/report/workbook"
)

// workbookFlags are the flags that only the workbook has.
func workbookFlags(cmd *cobra.Command, o *workbook.Options) {
	cmd.Flags().StringVar(&o.Percentile, "percentile", "", "xlsx: what the intervals and the charts show beside the median: mean, p50, p90, p95, p99 or p99.9 (default p99)")
	cmd.Flags().StringVar(&o.TimeUnit, "time-unit", "", "xlsx: s, ms or us (default ms; s are the numbers of the JSON report as they are)")
}

// workbookFormat is the workbook as the flags ask for it, or show where another
// format is asked for.
func workbookFormat(format string, o workbook.Options, show report.Format) (report.Format, error) {
	if format != "xlsx" {
		if o != (workbook.Options{}) {
			return nil, errors.New("--percentile and --time-unit are about the workbook: add --format xlsx")
		}
		return show, nil
	}
	return o.Write, o.Check()
}
