package run

import (
	"errors"
	"fmt"

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
		return s.Workload.DatasetRef != spec.SyntheticDataset && s.Workload.Prompt.Dataset == nil
	}, "its file in spec.workload.prompt.dataset"},
	{"spec.load.warmup.requests", func(s spec.RunSpec) bool { return len(s.Load.Stages) > 0 && s.Load.Warmup.Requests > 0 }, "warmup.duration before stages"},
	{"spec.load.search", func(s spec.RunSpec) bool { return s.Load.Search != nil && s.Workload.Session != nil }, "requests that stand alone"},
	{"spec.load.mlperf", func(s spec.RunSpec) bool { return s.Load.MLPerf != nil && s.Workload.Session != nil }, "requests that stand alone"},
	{"spec.load.probe", func(s spec.RunSpec) bool { return s.Load.Probe != nil && s.Workload.Session != nil }, "requests that stand alone"},
	{"spec.load.stopWhenSaturated", func(s spec.RunSpec) bool { return s.Load.StopWhenSaturated && s.Workload.Session != nil }, "requests that stand alone"},
	{"spec.train", func(s spec.RunSpec) bool { return s.Train != nil }, "none"},
	{"spec.probe", func(s spec.RunSpec) bool { return s.Probe != nil }, "none"},
	{"spec.accuracy", func(s spec.RunSpec) bool { return s.Accuracy != nil }, "none"},
}

// accept reads what p needs before anything starts: a data set, trace or
// tokenizer that is missing or another one is told now.
func accept(p plan.Plan) (*inputs, error) {
	if err := refuse(p); err != nil {
		return nil, err
	}
	return readInputs(p)
}

// refuse names everything in p that this version cannot carry out.
func refuse(p plan.Plan) error {
	s := p.Run.Spec
	if s.Target == nil || s.Load == nil {
		return errors.New("this version runs serving benchmarks only: want spec.target and spec.load")
	}
	var errs []error
	for _, b := range beyond {
		if b.asked(s) {
			errs = append(errs, fmt.Errorf("%s: this version can plan it but not run it, want %s", b.path, b.want))
		}
	}
	if len(errs) == 0 {
		// A trace that is missing or another one is told before anything starts.
		if err := replayable(p); err != nil {
			errs = append(errs, err)
		}
	}
	if len(errs) == 0 && len(p.Points) == 0 {
		errs = append(errs, errors.New("spec.load: no point to run, want at least one of concurrency, rate or stages"))
	}
	return errors.Join(errs...)
}
