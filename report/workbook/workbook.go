// Package workbook writes a report as an Excel workbook.
package workbook

import (
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"

	"assay/metric"
	"assay/report"
	"assay/stats"
)

// XLSX writes the report as a workbook with the default options.
func XLSX(w io.Writer, r report.Report) error { return Options{}.Write(w, r) }

// Options says what a workbook shows. The zero value is ready to use.
type Options struct {
	// Percentile is the statistic that the intervals and the charts show beside the
	// median: mean, p50, p90, p95, p99 or p99.9. Empty means p99.
	Percentile string

	// TimeUnit is s, ms or us. Empty means ms. In s cells hold the numbers of the JSON
	// report as they are; other units multiply them.
	TimeUnit string

	// Requests is the most rows of single requests. Zero means 10,000.
	Requests int
}

// xlsxPercentiles are the statistics that estimates have of a distribution.
var xlsxPercentiles = []string{"mean", "p50", "p90", "p95", "p99", "p99.9"}

// A bookTimeUnit is a unit of time that cells can be in.
type bookTimeUnit struct {
	name   string
	factor float64 // of seconds
	format string  // how spreadsheets show it
	least  float64 // that the format shows digits of
}

var bookTimeUnits = []bookTimeUnit{{"s", 1, "0.000000", 5e-6}, {"ms", 1e3, "#,##0.00", 5e-2}, {"us", 1e6, "#,##0", 5}}

// Check says which option is none.
func (o Options) Check() error {
	o = o.withDefaults()
	if !slices.Contains(xlsxPercentiles, o.Percentile) {
		return fmt.Errorf("--percentile %q: want one of %s", o.Percentile, strings.Join(xlsxPercentiles, ", "))
	}
	if _, ok := bookTimeUnitOf(o.TimeUnit); !ok {
		return fmt.Errorf("--time-unit %q: want s, ms or us", o.TimeUnit)
	}
	return nil
}

func (o Options) withDefaults() Options {
	if o.Percentile == "" {
		o.Percentile = "p99"
	}
	if o.TimeUnit == "" {
		o.TimeUnit = "ms"
	}
	if o.Requests == 0 {
		o.Requests = 10_000
	}
	return o
}

func bookTimeUnitOf(name string) (bookTimeUnit, bool) {
	i := slices.IndexFunc(bookTimeUnits, func(u bookTimeUnit) bool { return u.name == name })
	if i < 0 {
		return bookTimeUnit{}, false
	}
	return bookTimeUnits[i], true
}

// Write writes the workbook of r.
func (o Options) Write(w io.Writer, r report.Report) error {
	if err := o.Check(); err != nil {
		return err
	}
	b := newWorkbook(o.withDefaults())
	defer b.file.Close()
	b.properties(r)
	b.summary(r)
	b.intervals(r)
	b.accuracy(r)
	b.ranks(r)
	for _, s := range scenarioSheets(r) {
		b.scenario(r, s)
	}
	b.claims(r)
	b.findings(r)
	b.about(r)
	b.agreement(r)
	b.reported(r)
	if r.Serves() {
		b.requests(r)
	}
	b.launches(r)
	if r.Serves() {
		b.client(r)
	}
	b.environment(r)
	b.definitions(r)
	return b.write(w)
}

// properties are what file managers show of a workbook.
func (b *workbook) properties(r report.Report) {
	p := &excelize.DocProperties{Title: r.RunID, Creator: "assay", Subject: fmt.Sprintf("%s, %s", r.Status, r.Signature)}
	if !r.Manifest.Created.IsZero() {
		p.Created = r.Manifest.Created.UTC().Format(time.RFC3339)
	}
	b.keep(b.file.SetDocProps(p))
}

// write ends the workbook.
func (b *workbook) write(w io.Writer) error {
	if b.err != nil {
		return fmt.Errorf("workbook: %w", b.err)
	}
	b.file.SetActiveSheet(0)
	// The library lists kinds of files in the order of a map; one report shall give
	// the same bytes each time.
	if types := b.file.ContentTypes; types != nil {
		sort.Slice(types.Defaults, func(i, j int) bool { return types.Defaults[i].Extension < types.Defaults[j].Extension })
	}
	if err := b.file.Write(w); err != nil {
		return fmt.Errorf("workbook: %w", err)
	}
	return nil
}

// cellUncertified says that the sample is too small for the statistic of a row, in the
// words of the estimate.
func cellUncertified(row metric.Row) (string, bool) {
	for _, warning := range row.Warnings {
		if text, _, _ := strings.Cut(warning, ","); stats.IsTooFew(text) {
			return text, true
		}
	}
	return "", false
}
