package run

import (
	"errors"
	"fmt"
	"slices"

	"assay/plan"
	"assay/spec"
)

// beyond lists what a spec may ask and this version does not carry out. Asking
// for it is refused: a run that ignored a field would answer another question.
var beyond = []struct {
	path  string
	asked func(spec.RunSpec) bool
	want  string
}{
	{"spec.workload.datasetRef", func(s spec.RunSpec) bool {
		return s.Workload.DatasetRef != spec.SyntheticDataset && s.Workload.Prompt.Dataset == nil && !ofTask(s)
	}, "its file in spec.workload.prompt.dataset"},
	{"spec.load.warmup.requests", func(s spec.RunSpec) bool { return len(s.Load.Stages) > 0 && s.Load.Warmup.Requests > 0 }, "warmup.duration before stages"},
	{"spec.load.search", func(s spec.RunSpec) bool { return s.Load.Search != nil && s.Workload.Session != nil }, "requests that stand alone"},
	{"spec.load.mlperf", func(s spec.RunSpec) bool { return s.Load.MLPerf != nil && s.Workload.Session != nil }, "requests that stand alone"},
	{"spec.load.probe", func(s spec.RunSpec) bool { return s.Load.Probe != nil && s.Workload.Session != nil }, "requests that stand alone"},
	{"spec.load.stopWhenSaturated", func(s spec.RunSpec) bool { return s.Load.StopWhenSaturated && s.Workload.Session != nil }, "requests that stand alone"},
}

// unavailable lists what any spec may ask and this version has not: there, too, a run
// that went on would be another one than the document says.
var unavailable = []struct {
	path  string
	asked func(spec.RunSpec) bool
	want  string
}{
	{"spec.provenance.signing.backend", func(s spec.RunSpec) bool {
		return !slices.Contains([]string{"", spec.SigningEd25519}, s.Provenance.Signing.Backend)
	}, spec.SigningEd25519},
	{"spec.provenance.signing.attestationFormat", func(s spec.RunSpec) bool {
		return !slices.Contains([]string{"", spec.AttestationInToto}, s.Provenance.Signing.AttestationFormat)
	}, spec.AttestationInToto},
	{"spec.sinks.rawArtifacts.store", func(s spec.RunSpec) bool {
		return s.Sinks.RawArtifacts.Store != spec.StoreLocal
	}, spec.StoreLocal},
	{"spec.sinks.rawArtifacts.pathTemplate", func(s spec.RunSpec) bool {
		_, ok := s.Sinks.RawArtifacts.Folder("")
		return !ok
	}, "a folder or a file URI with " + spec.RunIDPlaceholder + " in it"},
}

// ofTask says whether the data set of the workload is that of a task whose questions are
// asked.
func ofTask(s spec.RunSpec) bool {
	return s.Evaluation != nil && slices.ContainsFunc(s.Evaluation.Tasks, func(t spec.Task) bool {
		return t.DatasetRef == s.Workload.DatasetRef
	})
}

// serves says whether a plan asks a target anything.
func serves(p plan.Plan) bool { return p.Load() != nil }

// accept reads what p needs before anything starts: a data set, trace or
// tokenizer that is missing, or is another one, is reported now.
func accept(p plan.Plan) (*inputs, error) {
	if err := refuse(p); err != nil {
		return nil, err
	}
	if !serves(p) {
		return nil, nil
	}
	return readInputs(p)
}

// refuse names everything in p that this version cannot carry out.
func refuse(p plan.Plan) error {
	s := p.Decided()
	switch {
	case s.Load != nil && s.Target == nil:
		return errors.New("spec.load has nobody to ask: want spec.target")
	case len(p.Points) == 0 && s.Load == nil:
		return errors.New("nothing to measure: want spec.target with spec.load, or one of spec.train, spec.collectives and spec.probe")
	case len(s.Candidates) > 0 && p.Has(plan.KindSteps, plan.KindCollective, plan.KindPairs, plan.KindProbe):
		return errors.New("spec.candidates are targets: want training, collectives and probes in a spec of their own")
	case s.Evaluation != nil && s.Load == nil:
		return errors.New("spec.evaluation has nobody to ask: want spec.target")
	}
	var errs []error
	for _, u := range unavailable {
		if u.asked(s) {
			errs = append(errs, fmt.Errorf("%s: this version has no such thing, want %s", u.path, u.want))
		}
	}
	for _, path := range p.Paths() {
		if !path.Here && path.Command == "" {
			errs = append(errs, fmt.Errorf("%s: nothing carries out the suite %q, want one that assay plan knows, or its repoCommand", path.Field, path.Suite))
		}
	}
	if !serves(p) {
		return errors.Join(errs...)
	}
	for _, b := range beyond {
		if b.asked(s) {
			errs = append(errs, fmt.Errorf("%s: this version can plan it but not run it, want %s", b.path, b.want))
		}
	}
	if len(errs) == 0 {
		// A trace that is missing, or is another one, is reported before anything starts.
		if err := replayable(p); err != nil {
			errs = append(errs, err)
		}
	}
	if len(errs) == 0 && p.Part == nil {
		errs = append(errs, splittable(p))
	}
	if errors.Join(errs...) == nil && len(p.Points) == 0 {
		errs = append(errs, errors.New("spec.load: no point to run, want at least one of concurrency, rate or stages"))
	}
	return errors.Join(errs...)
}
