package main

import (
	"fmt"
	"os"
	"path/filepath"

	"assay/bundle"
	"assay/judge/pair"
	"assay/plan"
	"assay/spec"
)

// findBaseline finds the bundle that comparison.baseline names, and verifies it. It is looked
// for when the run begins and not when the document is validated: only now is it known
// which folder holds the runs, and hours are about to be spent on a comparison that may
// have nothing to be compared with. Nil means that the plan names none.
func (j job) findBaseline(p plan.Plan) (*bundle.Input, error) {
	declared := p.Comparison().Baseline
	ref := declared.Parts()
	if j.resume != nil { // it was found when the run began
		return j.resume.Manifest.Inputs.Baseline, nil
	}
	if ref == (spec.ArtifactName{}) || ref.Self {
		if j.baseline != "" {
			return nil, fmt.Errorf("--baseline %s: the document declares no comparison.baseline that it could be", j.baseline)
		}
		return nil, nil
	}
	b, err := j.openBaseline(ref)
	if err != nil {
		return nil, fmt.Errorf("spec.comparison.baseline.artifactRef %s: %w", declared.ArtifactRef, err)
	}
	if names, known := ref.Names(b.Manifest.RunID, b.Manifest.Digest); known && !names {
		return nil, fmt.Errorf("spec.comparison.baseline.artifactRef %s: %s is run %s, %s: want the one that is declared", declared.ArtifactRef, b.Dir, b.Manifest.RunID, b.Manifest.Digest)
	}
	return &bundle.Input{Name: declared.ArtifactRef, Digest: b.Manifest.Digest}, nil
}

// openBaseline opens the bundle that a reference names: where --baseline says, at its
// path, or among the runs in the folder of bundles.
func (j job) openBaseline(ref spec.ArtifactName) (*bundle.Bundle, error) {
	dir := j.baseline
	switch {
	case dir != "":
	case ref.Path != "" && filepath.IsAbs(ref.Path):
		dir = ref.Path
	case ref.Path != "":
		dir = filepath.Join(filepath.Dir(j.file), ref.Path)
	case ref.RunID != "":
		dir = filepath.Join(j.out, ref.RunID)
	case ref.Digest != "":
		var err error
		if dir, err = sealedAs(j.out, ref.Digest); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("this version reads no such address: fetch the bundle and name its folder with --baseline")
	}
	if err := bundleDir(dir); err != nil {
		return nil, fmt.Errorf("%w: want a sealed bundle there, or its folder as --baseline", err)
	}
	b, err := bundle.OpenVerified(dir, bundle.Trust{})
	if err != nil {
		return nil, err
	}
	if !b.Seal.Verified {
		return nil, &bundle.SealError{Seal: *b.Seal}
	}
	return b, nil
}

// sealedAs is the folder of the bundle below folder whose manifest has the digest.
func sealedAs(folder, digest string) (string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil && !os.IsNotExist(err) {
		return "", err
	}
	for i, e := range entries {
		if i == pair.MostBeside {
			return "", fmt.Errorf("%s holds more than %d entries, too many to look through: name the bundle's folder with --baseline", folder, pair.MostBeside)
		}
		dir := filepath.Join(folder, e.Name())
		if b, err := bundle.Open(dir); err == nil && b.Manifest.Digest == digest {
			return dir, nil
		}
	}
	return "", fmt.Errorf("no bundle in %s has this digest (assay verify prints it): name its folder with --baseline", folder)
}
