package report

import (
	"fmt"

	"assay/analysis/breakdown"
	"assay/analysis/overlap"
	"assay/stats"
	"assay/unit"
)

// jobBlock shows where the time of a job went, from asking for its ranks to its last
// measured step.
func (r Report) jobBlock(p overlap.Point) Block {
	b := Block{Title: p.Name + ": where a job of the measured steps goes, from a standing start", Head: []string{"part", "mean", "share", "kind"}}
	job, ok := breakdown.Job(r.Estimates, p.Point)
	if !ok {
		return b
	}
	row := func(name string, values []float64, share, kind string) {
		if est, err := stats.Mean(values, r.Estimates.Confidence); err == nil {
			b.Rows = append(b.Rows, []string{name, estimated(est, unit.Second), share, kind})
		}
	}
	for _, part := range job.Parts {
		_, share := job.Mean(part)
		row(part.Name, part.Values, Share(share), string(part.Class.Kind()))
	}
	row("whole job", job.Whole, "", "")
	for _, m := range job.Missing {
		b.Points = append(b.Points, fmt.Sprintf("missing: %s", m))
	}
	return b
}
