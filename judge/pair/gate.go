package pair

import (
	"fmt"

	"assay/analysis/compare"
	"assay/analysis/gate"
	"assay/spec"
)

// A GateAsk is what a gate is asked about. Bundles are BUNDLE or BUNDLE@SIDE.
type GateAsk struct {
	Policy              spec.GatePolicy // resolved
	Baseline, Candidate string
	Confirm             string // the candidate measured afresh; empty where it was not
	Accuracy            []gate.Delta

	History   []gate.Entry
	Remembers bool   // there is a history, however short
	Reason    string // why something is unusual
}

// Gate gathers everything that a gate looks at.
func (r Reader) Gate(ask GateAsk) (in gate.Input, err error) {
	in.Policy, in.Accuracy = ask.Policy, ask.Accuracy
	args := []string{ask.Baseline, ask.Candidate}
	if ask.Confirm != "" {
		args = append(args, ask.Confirm)
	}
	var sides []compare.Side
	for i, arg := range args {
		side, err := r.Side(arg)
		if err != nil && i == 2 {
			err = fmt.Errorf("--confirm: %w", err)
		}
		if err != nil {
			return in, err
		}
		sides = append(sides, side)
	}
	if err := differ(sides[:2]); err != nil {
		return in, err
	}
	sides = distinct(sides)
	in.Baseline, in.Candidate = sides[0], sides[1]
	if ask.Confirm != "" {
		in.Confirmation = &sides[2]
		if in.ConfirmationBaseline, err = r.beside(in); err != nil {
			return in, fmt.Errorf("--confirm: %w", err)
		}
	}
	a := auditor{in: in, history: ask.History, remembers: ask.Remembers, reason: ask.Reason, bundles: r}
	in.Grade = a.grade
	in.Audits, err = a.audits()
	return in, err
}

// beside opens the baseline that was measured in blocks with the confirmation,
// where the first pair was too.
func (r Reader) beside(in gate.Input) (*compare.Side, error) {
	again := *in.Confirmation
	if in.Baseline.Digest != in.Candidate.Digest || again.Name == "" {
		return nil, nil
	}
	j, err := r.Judgement(again.Bundle.Dir)
	if err != nil {
		return nil, err
	}
	side, err := r.sideOf(j, in.Baseline.Name)
	return &side, err
}
