package pair

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"assay/analysis/compare"
	"assay/analysis/diff"
	"assay/analysis/gate"
	"assay/bundle"
	"assay/claim"
	"assay/finding"
	"assay/lint"
	"assay/spec"
)

// An auditor makes the checks that a gate or a comparison is handed: of each
// bundle, of the pair and of the history.
type auditor struct {
	in        gate.Input
	history   []gate.Entry
	remembers bool // there is a history, however short
	reason    string
	bundles   Reader

	qualityMargin float64 // that the caller declared; zero leaves it to the plan
}

// audits makes them all. What a longer look finds is what the shorter one did not:
// so a finding is about the pair when the candidate alone does not have it.
func (a auditor) audits() ([]gate.Audit, error) {
	sides := []compare.Side{a.in.Baseline}
	if a.in.Candidate.Bundle.Dir != a.in.Baseline.Bundle.Dir {
		sides = append(sides, a.in.Candidate)
	}
	if a.in.Confirmation != nil {
		sides = append(sides, *a.in.Confirmation)
	}
	var list []gate.Audit
	for _, s := range sides {
		j, err := a.bundles.Judgement(s.Bundle.Dir)
		if err != nil {
			return nil, err
		}
		list = append(list, gate.Audit{About: s.Label, Findings: j.Audit.Findings})
	}
	held, pair, err := a.pair()
	if err != nil {
		return nil, err
	}
	list = append(list, gate.Audit{About: gate.AboutPair, Findings: pair})
	digest, err := spec.Digest(a.in.Policy)
	if err != nil {
		return nil, err
	}
	now := a.in.Entry(digest)
	now.Time, now.Reason = time.Now().UTC(), a.reason
	if a.remembers {
		known := lint.Run(held).Findings
		held.History = append(slices.Clip(a.history), now)
		list = append(list, gate.Audit{
			About:    gate.AboutHistory,
			Findings: append(without(lint.Run(held).Findings, known), gate.Attempts(a.history, now)...),
		})
	}
	unreported, err := a.unreported()
	return append(list, gate.Audit{About: a.in.Candidate.Label, Findings: unreported}), err
}

// pair makes the checks of the candidate held against the baseline, and returns
// what they looked at. Both sides of one bundle are a pair already.
func (a auditor) pair() (*lint.Facts, []finding.Finding, error) {
	candidate, err := a.facts(a.in.Candidate.Bundle)
	if err != nil {
		return nil, nil, err
	}
	held := *candidate
	held.QualityMargin, held.Gated = a.qualityMargin, a.in.Policy.Spec.Accuracy
	if a.in.Candidate.Bundle.Dir == a.in.Baseline.Bundle.Dir {
		return &held, nil, nil
	}
	baseline, err := a.facts(a.in.Baseline.Bundle)
	if err != nil {
		return nil, nil, err
	}
	alone := lint.Run(candidate).Findings
	held.Hold(baseline)
	return &held, without(lint.Run(&held).Findings, alone), nil
}

// without leaves out of list what is known already.
func without(list, known []finding.Finding) []finding.Finding {
	return slices.DeleteFunc(slices.Clone(list), func(f finding.Finding) bool {
		return slices.ContainsFunc(known, func(k finding.Finding) bool { return k.Check == f.Check && k.Message == f.Message })
	})
}

// MostBeside bounds the bundles in a folder that are looked at: of each
// only the manifest is read, so that a folder of a year's nightly runs is no burden.
const MostBeside = 2000

// unreported looks for other runs of the candidate in the folder that holds it.
func (a auditor) unreported() ([]finding.Finding, error) {
	folder := filepath.Dir(filepath.Clean(a.in.Candidate.Bundle.Dir))
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var beside []compare.Side
	for _, e := range entries {
		b, err := bundle.Open(filepath.Join(folder, e.Name())) // that it is there is all that counts
		if err != nil {
			continue // what is no bundle was not measured
		}
		if side, err := diff.Open(b, a.in.Candidate.Name); err == nil {
			beside = append(beside, compare.Side{Side: side, Digest: b.Manifest.Digest})
		}
		if len(beside) == MostBeside {
			return nil, fmt.Errorf("%w: %s holds more than %d bundles, too many to look through for other runs of the candidate: move the candidate to a folder with the runs of its own system", ErrAsked, folder, MostBeside)
		}
	}
	grade, _ := a.grade(a.in.Candidate)
	return gate.Unreported(a.in, beside, a.history, a.reason, grade == string(claim.Publication)), nil
}

func (a auditor) facts(b *bundle.Bundle) (*lint.Facts, error) {
	j, err := a.bundles.Judgement(b.Dir)
	if err != nil {
		return nil, err
	}
	return j.Facts()
}

// grade is the grade that a bundle has earned, as its claims have it: for what the policy
// gates.
func (a auditor) grade(s compare.Side) (grade string, why []string) {
	j, err := a.bundles.Judgement(s.Bundle.Dir)
	if err != nil {
		return string(claim.Exploratory), []string{"it cannot be judged: " + err.Error()}
	}
	why = j.Claims.Downgrades
	if j.Claims.Grade != claim.Publication && len(why) == 0 {
		why = []string{"its class is " + j.Claims.Asked}
	}
	for _, gated := range a.in.Policy.Spec.Metrics {
		for _, row := range s.Estimates.Rows {
			if row.Metric != gated.Metric || row.Statistic != gated.Statistic {
				continue
			}
			if grade, lowered := claim.GradeOf(j.Claims.Grade, row.Statistic, len(row.PerLaunch)); lowered != "" {
				return string(grade), append(slices.Clip(why), fmt.Sprintf("%s %s of %d launches: %s", row.Statistic, row.Name, len(row.PerLaunch), lowered))
			}
		}
	}
	return string(j.Claims.Grade), why
}
