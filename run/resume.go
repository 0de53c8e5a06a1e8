package run

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"assay/bundle"
	"assay/plan"
	"assay/spec"
)

// Resumable is the plan of an interrupted run that can be continued, or an error that
// says why it cannot. The plan is the bundle's own, byte for byte: the launches that
// are missing are made with the seeds, and in the order, that were frozen before the
// first one.
func Resumable(b *bundle.Bundle, tool bundle.Tool) (plan.Plan, error) {
	m := b.Manifest
	switch {
	case !b.Sealed || b.Seal == nil || !b.Seal.Verified:
		return plan.Plan{}, fmt.Errorf("%s does not verify: only what was sealed can be carried over", b.Dir)
	case m.Source != nil:
		return plan.Plan{}, fmt.Errorf("%s repeats results of %s: assay did not make that run and cannot continue it", m.RunID, m.Source.Tool)
	case m.Tool.Version != tool.Version:
		return plan.Plan{}, fmt.Errorf("%s was begun by assay %s, and this is %s: launches of two versions are not one measurement; resume it with %s, or measure again",
			m.RunID, m.Tool.Version, tool.Version, m.Tool.Version)
	}
	p, err := frozen(b)
	if err != nil {
		return plan.Plan{}, err
	}
	if len(Missing(m, p)) == 0 {
		return plan.Plan{}, fmt.Errorf("%s is finished (%s): all %d launches of its plan have been made; assay run makes another run of its spec.yaml", m.RunID, m.Status, len(p.Launches))
	}
	return p, nil
}

// frozen reads the plan of b and makes sure that this program means the same by it.
func frozen(b *bundle.Bundle) (plan.Plan, error) {
	data, err := b.ReadSealed(bundle.PlanFile)
	if err != nil {
		return plan.Plan{}, err
	}
	p, err := plan.Decode(data)
	if err != nil {
		return plan.Plan{}, err
	}
	again, err := p.Encode()
	if err != nil {
		return plan.Plan{}, err
	}
	switch {
	case p.Version != plan.Version || !bytes.Equal(again, data):
		return plan.Plan{}, fmt.Errorf("plan.json of %s has version %s and this assay writes %s: it would carry out another plan; measure again", b.Manifest.RunID, p.Version, plan.Version)
	case p.Part != nil:
		return plan.Plan{}, fmt.Errorf("%s is a part of a run: resume the whole", b.Manifest.RunID)
	}
	p.Run, err = specAgain(b, p.Run)
	return p, err
}

// specAgain reads the spec of b once more. A plan holds no literal value of a header, harmless
// ones included; the spec does.
func specAgain(b *bundle.Bundle, resolved spec.Run) (spec.Run, error) {
	source, err := b.ReadSealed(bundle.SpecFile)
	if err != nil {
		return spec.Run{}, err
	}
	if bytes.Contains(source, []byte(spec.Redacted)) {
		return spec.Run{}, errors.New("the spec of this run held a secret, which no bundle keeps: name secrets by {env: NAME} or {file: PATH} so that a run can be resumed, and measure again")
	}
	document, faults := spec.Parse(bundle.SpecFile, source)
	if !spec.Valid(faults) || document.Run == nil {
		return spec.Run{}, fmt.Errorf("spec.yaml of %s is not valid for this assay: measure again", b.Manifest.RunID)
	}
	again, _ := spec.Resolve(*document.Run)
	want, err := spec.Canonical(resolved)
	if err != nil {
		return spec.Run{}, err
	}
	got, err := spec.Canonical(again)
	if err == nil && !bytes.Equal(got, want) {
		err = fmt.Errorf("this assay reads spec.yaml of %s differently from the one that began it: measure again", b.Manifest.RunID)
	}
	return again, err
}

// Missing lists the launches of p that a run has yet to make: those that were never
// started, and those that were interrupted.
func Missing(m bundle.Manifest, p plan.Plan) []plan.Launch {
	return slices.DeleteFunc(slices.Clone(p.Launches), func(l plan.Launch) bool {
		return slices.ContainsFunc(m.Launches, func(made bundle.LaunchInfo) bool {
			return made.Index == l.Index && !made.Interrupted()
		})
	})
}

// due lists the launches that this run makes itself.
func (e *execution) due() []plan.Launch {
	switch {
	case e.opts.Only != nil:
		return slices.DeleteFunc(slices.Clone(e.plan.Launches), func(l plan.Launch) bool { return !slices.Contains(e.opts.Only, l.Index) })
	case e.opts.Resume != nil:
		return Missing(e.opts.Resume.Manifest, e.plan)
	}
	return e.plan.Launches
}

// carryOver takes over what the interrupted run has finished, and says which of its
// launches had failed: they count as failures of this run too.
func (e *execution) carryOver() (failures []error, err error) {
	if e.opts.Resume == nil {
		return nil, nil
	}
	m, due, all := e.opts.Resume.Manifest, e.due(), len(e.plan.Launches)
	e.report(Progress{Launch: due[0].Index, Message: fmt.Sprintf("continues run %s: %d of %d launches are carried over", m.RunID, all-len(due), all)})
	for _, l := range m.Launches {
		if l.Outcome == bundle.LaunchFailed && !l.Interrupted() {
			failures = append(failures, fmt.Errorf("launch %d failed before the run was resumed: %s", l.Index+1, l.Reason))
		}
	}
	return failures, e.out.CarryOver(e.opts.Resume)
}
