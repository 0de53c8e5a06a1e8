package compare

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"assay/analysis/diff"
	"assay/spec"
)

// AgainSide is what the candidate is called in a run that measures a pair anew.
const AgainSide = "candidate"

// leastBlocks is how many blocks a pair is measured in at least: with five a gate
// sees in one metric what the launches' spread lets it see, and holds its error
// rate in fifty.
const leastBlocks = 5

// Again writes the document of one run that measures both sides in interleaved
// blocks, from the documents of the two runs that they come from: the baseline's,
// with the candidate's target beside its own. It refuses a pair that cannot take
// turns, and says why.
func Again(baseline, candidate Side) ([]byte, error) {
	run, err := documentOf(baseline)
	if err != nil {
		return nil, err
	}
	other, err := documentOf(candidate)
	if err != nil {
		return nil, err
	}
	if questions := otherQuestions(baseline, candidate); len(questions) > 0 {
		return nil, fmt.Errorf("%s and %s were asked different things, and in one run both are asked the same: %s", baseline.Label, candidate.Label, strings.Join(questions, "; "))
	}
	a, b := run.Spec.Target, other.Spec.Target
	if a.Server == nil && b.Server == nil && slices.Equal(a.Addresses(), b.Addresses()) {
		return nil, fmt.Errorf("both were asked at %s, and assay starts neither server: nothing there tells the two apart; give each a target.server, or an address of its own", strings.Join(a.Addresses(), ", "))
	}
	run.Metadata.Name += "-again"
	run.Spec.Candidates = []spec.Candidate{{Name: AgainSide, Target: *b}}
	run.Spec.Trials.MinReplicates = max(leastBlocks, baseline.launches(), candidate.launches())
	text, err := spec.WriteYAML(run)
	if err != nil {
		return nil, err
	}
	if _, faults := spec.Parse("again.yaml", text); !spec.Valid(faults) {
		return nil, fmt.Errorf("%s and %s cannot take turns in one run: %v", baseline.Label, candidate.Label, faults[0])
	}
	return text, nil
}

// Alone writes the document of a side's run as one that measures that side alone.
func Alone(s Side) ([]byte, error) {
	run, err := documentOf(s)
	if err != nil {
		return nil, err
	}
	run.Metadata.Name += "-again"
	return spec.WriteYAML(run)
}

// OneTarget reports whether the documents of both sides name one system: to start it again
// for each would measure what it is today twice.
func OneTarget(a, b Side) (bool, error) {
	was, err := documentOf(a)
	if err != nil {
		return false, err
	}
	is, err := documentOf(b)
	return reflect.DeepEqual(was.Spec.Target, is.Spec.Target), err
}

// documentOf reads the document that a side's run was made from, as one of that
// side alone.
func documentOf(s Side) (spec.Run, error) {
	fail := func(format string, args ...any) (spec.Run, error) {
		return spec.Run{}, fmt.Errorf("%s cannot be run again: %s", s.Label, fmt.Sprintf(format, args...))
	}
	if from := s.Manifest.Source; from != nil {
		return fail("%s measured it, not assay", from.Tool)
	}
	text, err := s.Bundle.ReadFile("spec.yaml")
	if err != nil {
		return fail("%v", err)
	}
	if strings.Contains(string(text), spec.Redacted) {
		return fail("its document held a secret, which the bundle does not keep: write it as {env: NAME} in a document of your own")
	}
	doc, faults := spec.Parse("spec.yaml", text)
	switch {
	case !spec.Valid(faults):
		return fail("this version does not take its document: %v", faults[0])
	case doc.Run == nil || doc.Run.Spec.Target == nil:
		return fail("it asked no server: only systems that are asked can take turns")
	}
	run := *doc.Run
	for _, side := range run.Spec.Sides() {
		if side.Name == s.Name {
			run.Spec.Target = side.Target
		}
	}
	run.Spec.Candidates = nil
	return run, nil
}

// otherQuestions lists what differs between two plans besides their targets.
func otherQuestions(a, b Side) []string {
	var list []string
	for _, c := range diff.Bundles(a.Side, b.Side) {
		if c.Kind == diff.Plan && !c.Along && !strings.HasPrefix(c.Path, "spec.target") {
			list = append(list, c.String())
		}
	}
	return list
}
