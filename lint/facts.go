package lint

import (
	"assay/accuracy/parity"
	"assay/analysis/diff"
	"assay/analysis/gate"
	"assay/analysis/ranks"
	"assay/analysis/steady"
	"assay/bundle"
	"assay/finding"
	"assay/metric"
	"assay/plan"
	"assay/spec"
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
	Ranks     []ranks.Tally     // of the training steps, by launch and rank
	Processes []Process         // the ranks as they described themselves
	Senders   []Sender          // the load generators, of all launches
	GPUs      []GPUTally        // of the samples of accelerators, by launch and device
	Steady    steady.Report     // whether windows were in steady state
	Foreign   []ForeignPoint    // what the files of an import say, and what their requests are

	Files []bundle.PackedFile // what the run was made from

	// Others are what other judges found in the same records: of training, collectives,
	// probes and answers.
	Others []finding.Finding

	// Answers are the graded ones of an evaluation, of all sides together; empty where the
	// plan has none.
	Answers parity.Side

	// Statements are what somebody says about the run; checks hold them against
	// the evidence.
	Statements []Statement
	Tuning     []Tuning   // what the baseline was tried at
	Omitted    []Omission // what nobody states, and why

	// Against is the baseline of a pair; nil when one bundle is looked at.
	Against *Facts

	// QualityMargin is the loss of quality that a comparison was told to tolerate, as a
	// share of the scale; zero leaves it to the plan. Gated are the measures that a policy
	// holds to tolerances of its own, which the gate does itself.
	QualityMargin float64
	Gated         []spec.GatedAccuracy

	// Changes are what differs from the baseline besides the results: that of
	// the pair, or of the run's own sides.
	Changes []diff.Change

	// Policy is the gate's that the pair is held to, and History what that gate
	// has said so far, the oldest first; nil means that there is none.
	Policy  *spec.GatePolicy
	History []gate.Entry
}

// Compared says that two systems are held against each other: two bundles, or
// the sides of one.
func (f *Facts) Compared() bool {
	return f.Against != nil || len(f.Plan.Candidates()) > 0
}

// Hold makes baseline what f is held against.
func (f *Facts) Hold(baseline *Facts) {
	f.Against = baseline
	f.Changes = diff.Bundles(baseline.side(), f.side())
}

func (f *Facts) side() diff.Side {
	return diff.Side{Plan: f.Plan, Manifest: f.Manifest, Files: f.Files}
}

// changesOfSides are those of every candidate against the baseline of its run.
func (f *Facts) changesOfSides() ([]diff.Change, error) {
	candidates := f.Plan.Candidates()
	if len(candidates) == 0 {
		return nil, nil
	}
	baseline, err := f.side().Of(spec.BaselineSide)
	if err != nil {
		return nil, err
	}
	var list []diff.Change
	for _, c := range candidates {
		candidate, err := f.side().Of(c.Name)
		if err != nil {
			return nil, err
		}
		list = append(list, diff.Bundles(baseline, candidate)...)
	}
	return list, nil
}
