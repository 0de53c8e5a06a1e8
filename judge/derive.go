package judge

import (
	"slices"

	"assay/accuracy"
	"assay/accuracy/parity"
	"assay/analysis/agreement"
	"assay/analysis/fleet"
	"assay/analysis/frontier"
	"assay/analysis/mlperf"
	"assay/analysis/picture"
	"assay/bundle"
	"assay/claim"
	"assay/finding"
	"assay/lint"
	"assay/metric"
	"assay/plan"
	"assay/search"
)

// Derive judges the records of b, whose manifest says how the run ended and who
// vouches for it. Version is that of the code that derives.
func Derive(b *bundle.Bundle, p plan.Plan, version string) (*Judgement, error) {
	j := &Judgement{Bundle: b, Plan: p, Source: DerivedAgain}
	var err error
	pictures, survey := picture.New(b, p), lint.NewSurvey(b, p)
	watchers := append(survey.Watchers(), pictures.Watcher())
	if j.Estimates, j.Client, err = metric.JudgeWatched(b, p, version, watchers...); err != nil {
		return nil, err
	}
	if j.facts, err = survey.Facts(j.Estimates, j.Client); err != nil {
		return nil, err
	}
	for _, of := range j.ofRanks() {
		if err := of.derive(b); err != nil {
			return nil, err
		}
	}
	j.addScaling()
	j.facts.Answers = j.Answers()
	for _, name := range j.Training.RanOut() {
		j.facts.Omitted = append(j.facts.Omitted, lint.Omission{What: name, Reason: "its ranks ran out of memory, which is a result"})
	}
	j.facts.Others = j.others()
	j.Steady, j.Audit = j.facts.Steady, lint.Run(j.facts)
	j.Pictures = pictures.Set(j.Steady)
	frozen, err := frozenWorkload(b)
	if err != nil {
		return nil, err
	}
	j.Claims = claim.Make(claim.Evidence{
		Manifest: b.Manifest, Status: b.Manifest.Status, Signed: signed(b),
		Plan: p, Estimates: j.Estimates, Client: j.Client, Audit: j.Audit, Accuracy: j.graded(), Frozen: frozen,
	}, version)
	return j, j.readRecords()
}

// graded is what the answers were worth; nil where nothing was asked.
func (j *Judgement) graded() *accuracy.Report {
	if !j.HasAccuracy() {
		return nil
	}
	return &j.Accuracy
}

// others are the findings of those who judge answers, ranks and probes.
func (j *Judgement) others() []finding.Finding {
	return slices.Concat(j.Accuracy.Findings(), j.Training.Findings(), j.Collectives.Findings, j.Hardware.Findings, j.Nodes.Findings, j.Scaling.Findings())
}

// signed reports whether the bundle has a signature that was checked, or is being
// made by somebody who will sign it.
func signed(b *bundle.Bundle) bool {
	if b.Seal != nil && !b.Seal.Verified {
		return false
	}
	return b.Manifest.Signer.KeyID != "" && b.Manifest.Signer.KeyID != bundle.Unsigned
}

// readRecords reads what is too small to be worth keeping as a derived file.
func (j *Judgement) readRecords() (err error) {
	j.Sweeps = fleet.Sweeps(j.Estimates, j.Plan, j.Against)
	if j.Loads, err = parity.LoadsOf(j.Answers(), j.Bundle.Manifest, j.Plan, parity.Options{}); err != nil {
		return err
	}
	if !j.Plan.AsksOnce() {
		j.Frontier = frontier.Of(j.Accuracy, j.Estimates)
	}
	if j.Replays, err = replays(j.Bundle, j.Plan); err != nil {
		return err
	}
	if j.Reported, err = reported(j.Bundle); err != nil {
		return err
	}
	if source := j.Bundle.Manifest.Source; source != nil {
		j.Agreement = agreement.Of(source.Tool, j.Reported, j.Estimates)
	}
	if j.Search, err = search.Summarise(j.Bundle, j.Plan); err != nil {
		return err
	}
	j.MLPerf, err = mlperf.Judge(j.Bundle, j.Plan)
	return err
}
