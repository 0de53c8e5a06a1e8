package lint

import (
	"assay/analysis/ranks"
	"assay/analysis/saturation"
	"assay/analysis/steady"
	"assay/bundle"
	"assay/metric"
	"assay/plan"
)

// A Survey gathers what checks look at. What it needs of the requests it sees while
// others read them; the rest it reads when they have done so.
type Survey struct {
	bundle  *bundle.Bundle
	plan    plan.Plan
	tally   *tallyWatch
	foreign *foreignWatch
	steady  *steady.Watch
}

// NewSurvey begins the survey of b.
func NewSurvey(b *bundle.Bundle, p plan.Plan) *Survey {
	return &Survey{
		bundle: b, plan: p,
		tally: newTallyWatch(b, p), foreign: &foreignWatch{bundle: b, plan: p}, steady: steady.New(b, p),
	}
}

// Watchers are who must look on while the requests of the bundle are read.
func (s *Survey) Watchers() []metric.Watcher {
	return []metric.Watcher{{See: s.tally.see}, {See: s.foreign.see}, s.steady.Watcher()}
}

// Facts are what checks look at, once the bundle was read.
func (s *Survey) Facts(e metric.Estimates, c metric.Client) (*Facts, error) {
	f := &Facts{
		Manifest: s.bundle.Manifest, Plan: s.plan, Estimates: e, Client: c,
		Tally: s.tally.tally, Foreign: s.foreign.list, Steady: s.steady.Report(),
	}
	made, _, err := s.bundle.Package()
	if err != nil {
		return nil, err
	}
	f.Files = made.Files
	if f.Saturated, err = saturation.Findings(s.bundle, s.plan); err != nil {
		return nil, err
	}
	if f.Changes, err = f.changesOfSides(); err != nil {
		return nil, err
	}
	if f.Ranks, err = ranks.Read(s.bundle); err != nil {
		return nil, err
	}
	if f.Senders, err = readSenders(s.bundle); err != nil {
		return nil, err
	}
	if f.Processes, err = readProcesses(s.bundle); err != nil {
		return nil, err
	}
	f.GPUs, err = tallyGPUs(s.bundle)
	return f, err
}

// Gather is the survey of a bundle whose estimates are known, with a reading of its
// own.
func Gather(b *bundle.Bundle, p plan.Plan, e metric.Estimates, c metric.Client) (*Facts, error) {
	s := NewSurvey(b, p)
	if err := metric.Watch(b, s.Watchers()...); err != nil {
		return nil, err
	}
	return s.Facts(e, c)
}
