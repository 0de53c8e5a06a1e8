package lint

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"assay/finding"
)

// PatchedEngine fires when the engine is not the one that its name and version
// stand for.
var PatchedEngine = Check{
	ID: "patched-engine", Code: "L-22", Severity: finding.Void,
	Doc: "A result of a changed engine is not a result of the published one.",
	When: "the local part of a version says that the source was edited (caution: a build that is not a " +
		"release); a pair with one image and different packages",
	Applies: serves,
	Run:     patchedEngine,
}

var (
	// editedSource matches the local part of a version whose source was edited: what
	// setuptools-scm, git describe and people write.
	editedSource = regexp.MustCompile(`(?i)(^|[.\-_])(d20\d{6}|dirty|local|modified|custom|patch(ed)?)($|[.\-_])`)
	// built matches local parts that only say which accelerator a release was
	// built for.
	built = regexp.MustCompile(`^(cu\d+|cpu|rocm[\d.]*|xpu|hpu|tpu|neuron[\d.]*)$`)
)

func patchedEngine(f *Facts) Answer {
	var answer Answer
	for _, side := range f.sides() {
		version, known := f.serverFact(side, "server.version")
		if !known {
			answer.Missing = "the environment's server.version: what the target says that it runs"
			continue
		}
		release, local, _ := strings.Cut(version, "+")
		one := finding.Finding{
			Why: "readers cannot get what was measured under that name",
			Fix: "measure the published image as it is shipped, by its digest; measure a change as a candidate of its own",
		}
		switch {
		case editedSource.MatchString(local):
			one.Severity = finding.Void
			one.Message = fmt.Sprintf("%s runs version %s, whose source was changed after %s", targetOf(side), version, release)
		case local != "" && !built.MatchString(local) || strings.Contains(release, "dev"):
			one.Severity = finding.Caution // unchanged, as far as can be seen, but no release
			one.Message = fmt.Sprintf("%s runs version %s, which is built from source and no release", targetOf(side), version)
		default:
			continue
		}
		answer.Findings = append(answer.Findings, one)
	}
	answer.Findings = append(answer.Findings, sameImageOtherPackages(f)...)
	return answer
}

// sameImageOtherPackages compares a pair that names one image: what runs in it
// must be the same too.
func sameImageOtherPackages(f *Facts) []finding.Finding {
	if f.Against == nil || len(f.Manifest.Inputs.Images) == 0 || !maps.Equal(f.Manifest.Inputs.Images, f.Against.Manifest.Inputs.Images) {
		return nil
	}
	var moved []string
	for _, name := range slices.Sorted(maps.Keys(f.Manifest.Environment)) {
		if name != "server.version" && !strings.HasPrefix(name, "python.") {
			continue
		}
		now, ok := f.fact(name)
		was, had := f.Against.fact(name)
		if ok && had && now != was {
			moved = append(moved, fmt.Sprintf("%s %s → %s", name, was, now))
		}
	}
	if len(moved) == 0 {
		return nil
	}
	return []finding.Finding{{
		Severity: finding.Void,
		Message:  "both runs name the same image, and what runs in it differs: " + summary(moved),
		Why:      "an image that was changed after it started is not the published one",
		Fix:      "run the image as it is shipped", Evidence: moved,
	}}
}
