package lint

import (
	"fmt"
	"slices"

	"assay/bundle"
	"assay/finding"
	"assay/metric"
)

// Subset fires when part of what was planned is not there, or not spoken of, and
// nobody says why.
var Subset = Check{
	ID: "unexplained-subset", Code: "H-02", Severity: finding.Caution,
	Doc:  "Planned points were left out, of the run or of what is stated, without a reason.",
	When: "planned points without estimates, or left out of what is stated, without a reason",
	// A search decides as it goes which points it visits; summaries of another tool
	// have no requests to look for.
	Applies: func(f *Facts) bool {
		return len(f.Plan.Points) > 0 && f.Plan.Search == nil && !f.Manifest.Unknown(bundle.GapRequests) && !f.Manifest.Unknown(bundle.GapTimes)
	},
	Run: unexplained,
}

func unexplained(f *Facts) Answer {
	var list []finding.Finding
	if left := f.unmeasured(); len(left) > 0 {
		list = append(list, finding.Finding{
			Severity: finding.Caution,
			Message:  fmt.Sprintf("%d of %d planned points have no estimate and no reason: %v", len(left), len(f.Plan.Points), left),
			Fix:      "measure them, or say why not (omitted in a file of statements)",
		})
	}
	for _, name := range statedMetrics(f) {
		var left []string
		for _, p := range f.Plan.Points {
			if !f.mentions(name, p.Name) && !f.explained(p.Name) {
				left = append(left, p.Name)
			}
		}
		if len(left) > 0 && len(left) < len(f.Plan.Points) {
			list = append(list, finding.Finding{
				Severity: finding.Caution,
				Message:  fmt.Sprintf("%s is stated for %d of %d measured points; nothing says why not for %v", name, len(f.Plan.Points)-len(left), len(f.Plan.Points), left),
				Why:      "the points that are shown may be those that look best",
				Fix:      "show all of them, or give the reason (omitted in a file of statements)",
			})
		}
	}
	return found(list...)
}

// unmeasured are the planned points without a single row. Where no launch
// completed, the ledger holds the reason.
func (f *Facts) unmeasured() []string {
	var left []string
	if len(f.completed()) == 0 {
		return nil
	}
	for _, p := range f.Plan.Points {
		has := slices.ContainsFunc(f.Estimates.Rows, func(r metric.Row) bool { return r.Point == p.Index })
		if !has && !p.Idle && !f.explained(p.Name) {
			left = append(left, p.Name)
		}
	}
	return left
}

func (f *Facts) explained(point string) bool {
	return slices.ContainsFunc(f.Omitted, func(o Omission) bool { return o.What == point && o.Reason != "" })
}

func (f *Facts) mentions(name, point string) bool {
	return slices.ContainsFunc(f.Statements, func(s Statement) bool {
		return s.Metric == name && (s.Point == point || s.Point == "")
	})
}

// statedMetrics are the metrics of assay that are stated, each once.
func statedMetrics(f *Facts) []string {
	var names []string
	for _, s := range f.Statements {
		if m, ok := metricOf(s); ok && !m.OnceALaunch() && !slices.Contains(names, s.Metric) {
			names = append(names, s.Metric)
		}
	}
	return names
}
