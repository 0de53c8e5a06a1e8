// Package judge is the one way from a bundle to estimates, findings and claims. It
// opens bundles through the door that checks their seal, reads every table once, and
// derives again whatever the seal does not cover. It prints nothing: package report
// shows what it returns, and the commands decide what a verdict means for them.
package judge

import (
	"assay/accuracy"
	"assay/accuracy/parity"
	"assay/analysis/agreement"
	"assay/analysis/collectives"
	"assay/analysis/fleet"
	"assay/analysis/frontier"
	"assay/analysis/hardware"
	"assay/analysis/mlperf"
	"assay/analysis/nodes"
	"assay/analysis/overlap"
	"assay/analysis/picture"
	"assay/analysis/scaling"
	"assay/analysis/steady"
	"assay/bundle"
	"assay/claim"
	"assay/finding"
	"assay/lint"
	"assay/metric"
	"assay/plan"
	"assay/record"
	"assay/search"
)

// A Judgement is everything that is derived from the records of a bundle.
type Judgement struct {
	Bundle *bundle.Bundle
	Plan   plan.Plan
	Source Source // where estimates, findings and claims come from

	Estimates metric.Estimates
	Client    metric.Client
	Steady    steady.Report
	Audit     lint.Audit
	Claims    claim.Claims
	Pictures  picture.Set

	// Of training, collectives and probes; zero where the plan has none.
	Training    overlap.Report
	Collectives collectives.Report
	Hardware    hardware.Report
	Nodes       nodes.Report
	Scaling     scaling.Report

	// Of an evaluation; empty where the plan has none.
	Accuracy accuracy.Report
	Grades   []accuracy.Grade
	Loads    []parity.LoadReport // what a heavier load does to the answers
	Frontier []frontier.Row      // quality beside speed and price; none where times were no part of the question

	Sweeps []fleet.Sweep // the highest loads that keep the objectives; none without objectives

	// Read from the records each time, for they are small.
	Search   *search.Summary   // nil when the load was not searched for
	MLPerf   []mlperf.Result   // of a run by MLPerf's rules
	Replays  []Replay          // which parts of a trace were asked
	Reported []record.Reported // results of another tool, as it computed them

	// Agreement is those results beside our own of the same requests.
	Agreement []agreement.Row

	facts *lint.Facts // what the checks looked at; nil until somebody asks, when the audit was read
}

// A Source says where the figures of a judgement come from.
type Source string

// The sources of figures.
const (
	Sealed       Source = "as sealed"                                  // read from derived files that the seal covers
	DerivedAgain Source = "derived again now, from the sealed records" // not covered by the seal themselves
)

// Options say what a reader believes and wants. The zero value trusts no key, takes
// sealed figures as they are and refuses what does not verify.
type Options struct {
	Trust bundle.Trust

	// Version is that of the code that derives: only its own derived files are read.
	Version string

	// Unverified shows a bundle that does not verify instead of refusing it. What it
	// says is then headed NOT VERIFIED, from Judgement.Bundle.Seal.
	Unverified bool

	// Derive computes everything from the records again unless a trusted key signed
	// the figures: whoever can write an unsigned bundle can write its figures too.
	Derive bool
}

// Open opens the bundle in dir, checks its seal and judges it.
func Open(dir string, o Options) (*Judgement, error) {
	b, err := bundle.OpenVerified(dir, o.Trust)
	if err != nil {
		return nil, err
	}
	if !b.Seal.Verified && !o.Unverified {
		return nil, &bundle.SealError{Seal: *b.Seal}
	}
	j, err := Of(b, o)
	if err != nil && !b.Seal.Verified { // a file that cannot be read is one that was changed
		return nil, &bundle.SealError{Seal: *b.Seal}
	}
	return j, err
}

// Of judges an open bundle: it reads what this version derived and sealed, or derives
// it anew, all of it or nothing, so that parts of two judgements never stand side by
// side.
func Of(b *bundle.Bundle, o Options) (*Judgement, error) {
	p, err := Plan(b)
	if err != nil {
		return nil, err
	}
	j := &Judgement{Bundle: b, Plan: p, Source: Sealed}
	if o.Derive && !signedByTrusted(b) || !j.readSealed(o.Version) {
		return Derive(b, p, o.Version)
	}
	return j, j.readRecords()
}

func signedByTrusted(b *bundle.Bundle) bool {
	return b.Seal != nil && b.Seal.Verified && b.Seal.Signature.State == bundle.SignatureTrusted
}

// Plan reads the plan of a bundle.
func Plan(b *bundle.Bundle) (plan.Plan, error) {
	data, err := b.ReadFile(bundle.PlanFile)
	if err != nil {
		return plan.Plan{}, err
	}
	return plan.Decode(data)
}

// Against says why a result may not be used, as far as findings and the state of the run
// forbid it.
func (j *Judgement) Against(r finding.Result) []string { return j.Claims.Reasons(r) }

// Facts is what checks look at.
func (j *Judgement) Facts() (*lint.Facts, error) {
	if j.facts != nil {
		return j.facts, nil
	}
	var err error
	if j.facts, err = lint.Gather(j.Bundle, j.Plan, j.Estimates, j.Client); err == nil {
		j.facts.Others, j.facts.Answers = j.others(), j.Answers()
	}
	return j.facts, err
}
