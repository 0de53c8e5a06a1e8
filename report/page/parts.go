package page

import (
	"html/template"
	"io"
	"strings"

	"assay/analysis/compare"
	"assay/report"
)

// The parts of a page that others build pages of: package server draws its own charts with
// them, so that a result looks the same wherever it is shown.
type (
	Chart = chart
	Axis  = axis
	Line  = line
	Nums  = nums
)

// The kinds of charts that others draw.
const (
	ScatterChart = scatterChart
	TimeChart    = timeChart
	ShareChart   = shareChart
	HeatChart    = heatChart
)

// Assets are the style and the script of every page.
func Assets() (style, script string, err error) { return assetsOf() }

// Policy is what a page may do, for a server that sends it.
func Policy() (string, error) {
	style, script, err := assetsOf()
	return policy(style, script), err
}

// Figure is a chart as an element: the drawing, and the data that the script makes it
// alive with.
func Figure(c Chart) (template.HTML, error) {
	t, err := pageTemplate()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.ExecuteTemplate(&b, "chart", c)
	return template.HTML(b.String()), err
}

// CompareParts writes the sections of a comparison, for a page that has a head already: the
// verdict and whether it counts, what the page adds, and the rest.
func CompareParts(w io.Writer, r compare.Report, added template.HTML) error {
	ratios := part{ID: "ratios", Title: "Ratios", Lines: []string{forestText(r.Margin)}}
	for _, c := range r.Comparisons {
		ratios.Charts = append(ratios.Charts, forests(c, r.Margin, false)...)
	}
	quality := part{ID: "quality", Title: "Quality", Charts: qualityForests(r)}
	t, err := pageTemplate()
	if err != nil {
		return err
	}
	for i, one := range comparedParts(report.ComparisonOutline(r, false), ratios, quality, part{}) {
		if i == 1 || i == 0 && one.ID != "verdict" {
			if _, err := io.WriteString(w, string(added)); err != nil {
				return err
			}
		}
		if err := t.ExecuteTemplate(w, "section", one.fitted()); err != nil {
			return err
		}
	}
	return nil
}
