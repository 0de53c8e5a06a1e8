package main

import (
	"encoding/json"
	"fmt"
	"path"

	"assay/analysis/collectives"
	"assay/analysis/hardware"
	"assay/analysis/overlap"
	"assay/analysis/picture"
	"assay/analysis/scaling"
	steadystate "assay/analysis/steady"
	"assay/bundle"
	"assay/claim"
	"assay/lint"
	"assay/metric"
	"assay/plan"
	"assay/report"
)

// A judgement is everything that is derived from the records of a bundle.
type judgement struct {
	Plan      plan.Plan
	Estimates metric.Estimates
	Client    metric.Client
	Steady    steadystate.Report
	Audit     lint.Audit
	Claims    claim.Claims
	Pictures  picture.Set

	// Of training, collectives and probes; zero where the plan has none.
	Training    overlap.Report
	Collectives collectives.Report
	Hardware    hardware.Report
	Scaling     scaling.Report

	facts *lint.Facts // what the checks looked at; nil when the audit was read
}

// The derived files.
const (
	estimatesFile = "estimates.json"
	clientFile    = "client.json"
	steadyFile    = "steady.json"
	findingsFile  = "findings.json"
	checksFile    = "checks.json"
	claimsFile    = "claims.json"
	picturesFile  = "pictures.json"

	trainingFile    = "training.json"
	collectivesFile = "collectives.json"
	hardwareFile    = "hardware.json"
	scalingFile     = "scaling.json"
)

// A derivedFile is one part of a judgement as it is kept in a bundle.
type derivedFile struct {
	name    string
	content any
	encode  func(any) ([]byte, error)
}

func (j *judgement) files() []derivedFile {
	list := []derivedFile{
		{estimatesFile, &j.Estimates, indented}, {clientFile, &j.Client, indented}, {steadyFile, &j.Steady, indented},
		{findingsFile, &j.Audit.Findings, indented}, {checksFile, &j.Audit.Results, indented}, {claimsFile, &j.Claims, indented},
		{picturesFile, &j.Pictures, json.Marshal}, // a line for each of its numbers would help nobody
	}
	for _, of := range j.ofRanks() {
		list = append(list, of.derivedFile)
	}
	return list
}

// A rankFile is a derived file that only some plans have.
type rankFile struct {
	derivedFile
	read func(b *bundle.Bundle) error
}

// ofRanks lists what the plan has of training, collectives and probes.
func (j *judgement) ofRanks() []rankFile {
	var list []rankFile
	if j.Plan.Has(plan.KindSteps) {
		list = append(list, rankFile{derivedFile{trainingFile, &j.Training, indented}, func(b *bundle.Bundle) (err error) {
			j.Training, err = overlap.Read(b, j.Plan)
			return err
		}})
	}
	if scaling.Planned(j.Plan) {
		list = append(list, rankFile{derivedFile{scalingFile, &j.Scaling, indented}, func(b *bundle.Bundle) (err error) {
			j.Scaling, err = scaling.FromBundle(b, j.Plan, j.Training)
			return err
		}})
	}
	if j.Plan.Has(plan.KindCollective, plan.KindPairs) {
		list = append(list, rankFile{derivedFile{collectivesFile, &j.Collectives, indented}, func(b *bundle.Bundle) (err error) {
			j.Collectives, err = collectives.Read(b, j.Plan)
			return err
		}})
	}
	if j.Plan.Has(plan.KindProbe) {
		list = append(list, rankFile{derivedFile{hardwareFile, &j.Hardware, indented}, func(b *bundle.Bundle) (err error) {
			j.Hardware, err = hardware.Read(b, j.Plan)
			return err
		}})
	}
	return list
}

func indented(content any) ([]byte, error) { return json.MarshalIndent(content, "", "  ") }

// judge reads what this version has derived and kept in b, or derives it anew:
// all of it or nothing, so that parts of two judgements never stand side by side.
func judge(b *bundle.Bundle) (judgement, error) {
	p, err := planOf(b)
	if err != nil {
		return judgement{}, err
	}
	j := judgement{Plan: p}
	for _, f := range j.files() {
		known, err := derived(b, f.name, f.content)
		if err != nil {
			return j, err
		}
		if !known {
			return derive(b, p)
		}
	}
	return j, nil
}

// derive judges the records of b, whose manifest says how the run ended and who
// vouches for it.
func derive(b *bundle.Bundle, p plan.Plan) (judgement, error) {
	j := judgement{Plan: p}
	var err error
	pictures := picture.New(b, p)
	if j.Estimates, j.Client, err = metric.JudgeWatched(b, p, version(), pictures.Watcher()); err != nil {
		return j, err
	}
	if j.facts, err = lint.Gather(b, p, j.Estimates, j.Client); err != nil {
		return j, err
	}
	for _, of := range j.ofRanks() {
		if err := of.read(b); err != nil {
			return j, err
		}
	}
	for _, name := range j.Training.RanOut() {
		j.facts.Omitted = append(j.facts.Omitted, lint.Omission{What: name, Reason: "its ranks ran out of memory, which is a result"})
	}
	j.Steady, j.Audit = j.facts.Steady, lint.Run(j.facts)
	j.Pictures = pictures.Set(j.Steady)
	j.Audit.Add(j.Training.Findings()...)
	j.Audit.Add(j.Collectives.Findings...)
	j.Audit.Add(j.Hardware.Findings...)
	j.Audit.Add(j.Scaling.Findings()...)
	j.Claims = claim.Make(claim.Evidence{
		Manifest: b.Manifest, Status: b.Manifest.Status, Signed: signed(b),
		Plan: p, Estimates: j.Estimates, Client: j.Client, Audit: j.Audit,
	}, version())
	return j, nil
}

func signed(b *bundle.Bundle) bool {
	return b.Manifest.Signer.KeyID != "" && b.Manifest.Signer.KeyID != bundle.Unsigned
}

// keep writes the judgement into the bundle that it is of.
func (j *judgement) keep(w *bundle.Writer) error {
	for _, f := range j.files() {
		data, err := f.encode(f.content)
		if err != nil {
			return err
		}
		if err := w.WriteDerived(version(), f.name, data); err != nil {
			return err
		}
	}
	return nil
}

// report is the judgement as faces show it.
func (j *judgement) report(b *bundle.Bundle, signature string) (report.Report, error) {
	r, err := report.New(b, b.Manifest.Status, signature, j.Estimates)
	r.Client, r.Steady, r.Findings, r.Claims = j.Client, j.Steady, j.Audit.Findings, &j.Claims
	r.Pictures, r.Checks = &j.Pictures, j.Audit.Results
	if j.Plan.Has(plan.KindSteps) {
		r.Training = &j.Training
	}
	if j.Plan.Has(plan.KindCollective, plan.KindPairs) {
		r.Collectives = &j.Collectives
	}
	if j.Plan.Has(plan.KindProbe) {
		r.Hardware = &j.Hardware
	}
	if scaling.Planned(j.Plan) {
		r.Scaling = &j.Scaling
	}
	return r, err
}

// openJudged opens a bundle and judges it.
func openJudged(dir string) (*bundle.Bundle, judgement, error) {
	b, err := openBundle(dir)
	if err != nil {
		return nil, judgement{}, err
	}
	j, err := judge(b)
	return b, j, err
}

// openBundle opens a bundle, or says what the folder is instead.
func openBundle(dir string) (*bundle.Bundle, error) {
	if err := bundleDir(dir); err != nil {
		return nil, err
	}
	return bundle.Open(dir)
}

// planOf reads the plan of a bundle.
func planOf(b *bundle.Bundle) (plan.Plan, error) {
	data, err := b.ReadFile(bundle.PlanFile)
	if err != nil {
		return plan.Plan{}, err
	}
	return plan.Decode(data)
}

// derived reads a file that this version has derived; false when there is none.
func derived(b *bundle.Bundle, name string, to any) (bool, error) {
	data, err := b.ReadFile(path.Join("derived", version(), name))
	if err != nil {
		return false, nil
	}
	if err := json.Unmarshal(data, to); err != nil {
		return false, fmt.Errorf("%s: %w", name, err)
	}
	return true, nil
}
