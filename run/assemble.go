package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"assay/bundle"
	"assay/plan"
	"assay/record"
	"assay/spec"
)

// Assemble puts the bundle of p together from those of its parts, each made by a host of
// its own with Only. Status is what it is sealed as where a launch of the plan is missing.
// What is said of the machine is what the first part says; what every host says is in the
// nodes of the options.
//
// Parts that were made from other inputs are refused: their launches would be compared as
// if they had been asked the same.
func Assemble(p plan.Plan, opts Options, parts []*bundle.Bundle, status bundle.Status) (*Result, error) {
	if len(parts) == 0 {
		return nil, errors.New("no host has left a bundle: there is nothing to put together")
	}
	first := parts[0].Manifest
	frozen := first.Created // each host had the plan before its launches, by its own clock
	for _, part := range parts[1:] {
		if m := part.Manifest; usedBy(m) != usedBy(first) {
			return nil, fmt.Errorf("%s was made from other inputs than %s (%s and %s): want the same files on every host",
				hostOf(m), hostOf(first), usedBy(m), usedBy(first))
		}
		if part.Manifest.Created.Before(frozen) {
			frozen = part.Manifest.Created
		}
	}
	w, err := create(p, opts, bundle.NewRedactor(spec.Secrets(p.Run), opts.Environ), frozen)
	if err != nil {
		return nil, err
	}
	e := &execution{plan: p, opts: opts, out: w, env: first.Environment}
	var health Health
	for _, part := range parts {
		var own Health
		if part.Manifest.Health != nil {
			err = json.Unmarshal(part.Manifest.Health, &own)
		}
		if err = errors.Join(err, w.AddPart(part)); err != nil {
			return &Result{w, bundle.Failed}, err
		}
		health = health.with(own)
	}
	if complete(p, parts) {
		status = bundle.Completed
	}
	return &Result{w, status}, errors.Join(e.describeParts(parts[0]), w.SetHealth(health))
}

// describeParts writes down the machines and the inputs.
func (e *execution) describeParts(first *bundle.Bundle) error {
	m := first.Manifest
	nodes, err := e.nodes()
	if err != nil {
		return err
	}
	in := m.Inputs
	in.Baseline = e.opts.Baseline
	pack, ok, err := first.Package()
	if ok {
		err = errors.Join(err, e.repack(first, pack))
	}
	return errors.Join(err, e.out.SetEnvironment(m.Environment), e.out.SetNodes(nodes), e.out.SetTopology(m.TopologyDigest),
		e.out.SetClocks([]bundle.Clock{{ID: record.ClockID, Source: record.ClockID}}), e.out.SetInputs(in))
}

// repack copies what a part was made from.
func (e *execution) repack(from *bundle.Bundle, pack bundle.Package) error {
	copies := map[string][]byte{}
	for _, f := range pack.Files {
		if f.Copy == "" {
			continue
		}
		data, err := from.ReadSealed(f.Copy)
		if err != nil {
			return err
		}
		copies[strings.TrimPrefix(f.Copy, bundle.CopyName(""))] = data
	}
	return e.out.WritePackage(pack, copies)
}

// complete reports whether every launch of the plan was made and ended well.
func complete(p plan.Plan, parts []*bundle.Bundle) bool {
	good := 0
	for _, part := range parts {
		for _, l := range part.Manifest.Launches {
			if l.Outcome == bundle.LaunchCompleted {
				good++
			}
		}
	}
	return good == len(p.Launches)
}

// usedBy names what the calls of a part were made of, for comparison with another part.
func usedBy(m bundle.Manifest) string {
	var words []string
	for _, in := range m.Inputs.Datasets {
		words = append(words, in.Name+" "+in.Digest)
	}
	if t := m.Inputs.Tokenizer; t != nil {
		words = append(words, "tokenizer "+t.Digest)
	}
	return strings.Join(words, ", ")
}

// hostOf is where a part was made.
func hostOf(m bundle.Manifest) string {
	name, _ := m.Environment["host.name"].Value.(string)
	return "the part of host " + name
}

// with adds the health of another client of the same run.
func (h Health) with(o Health) Health {
	busy := h.CPUShare*h.WallSeconds + o.CPUShare*o.WallSeconds
	h.WallSeconds += o.WallSeconds
	h.CPUSeconds += o.CPUSeconds
	if h.WallSeconds > 0 {
		h.CPUShare = busy / h.WallSeconds
	}
	h.Processors, h.MaxInFlight = max(h.Processors, o.Processors), max(h.MaxInFlight, o.MaxInFlight)
	h.MaxResidentBytes = max(h.MaxResidentBytes, o.MaxResidentBytes)
	h.VoluntarySwitches += o.VoluntarySwitches
	h.InvoluntarySwitches += o.InvoluntarySwitches
	h.GarbageCollections += o.GarbageCollections
	h.GarbagePauseSeconds += o.GarbagePauseSeconds
	h.Requests += o.Requests
	h.FailedRequests += o.FailedRequests
	h.Balance, h.Probes = h.Balance.add(o.Balance), h.Probes.add(o.Probes)
	return h
}
