package lint

import (
	"assay/analysis/saturation"
	"assay/analysis/steady"
	"assay/bundle"
	"assay/finding"
	"assay/metric"
	"assay/plan"
)

// Facts are what checks may look at. They come from a bundle and, where
// somebody compares or states something, from what it is held against.
type Facts struct {
	Manifest  bundle.Manifest
	Plan      plan.Plan
	Estimates metric.Estimates
	Client    metric.Client
	Saturated []finding.Finding // points whose queue grew, see package saturation
	Tally     Tally             // of the records, in one pass
	Steady    steady.Report     // whether windows were in steady state

	// Statements are what somebody says about the run; checks hold them against
	// the evidence.
	Statements []Statement

	// Against is the baseline of a pair; nil when one bundle is looked at.
	Against *Facts
}

// Gather reads from b what the estimates do not hold already.
func Gather(b *bundle.Bundle, p plan.Plan, e metric.Estimates, c metric.Client) (*Facts, error) {
	f := &Facts{Manifest: b.Manifest, Plan: p, Estimates: e, Client: c}
	var err error
	if f.Saturated, err = saturation.Findings(b, p); err != nil {
		return nil, err
	}
	if f.Tally, err = tally(b, p); err != nil {
		return nil, err
	}
	if f.Steady, err = steady.Read(b, p); err != nil {
		return nil, err
	}
	return f, nil
}
