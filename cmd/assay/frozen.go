package main

import (
	"errors"
	"fmt"

	"assay/intake"
	"assay/plan"
	"assay/spec"
)

// keeps refuses a plan that does not keep the frozen workload in a file, with
// everything that it does differently; no file freezes nothing. It returns the text of
// the workload, for the bundle.
func keeps(p plan.Plan, file string) ([]byte, error) {
	if file == "" {
		return nil, nil
	}
	data, err := intake.ReadFile(file, spec.MaxDocumentBytes)
	if err != nil {
		return nil, usageError(fmt.Errorf("--workload: %w", err))
	}
	doc, faults := spec.Parse(file, data)
	switch {
	case !spec.Valid(faults):
		return nil, usageError(fmt.Errorf("%s is not valid:\n%w", file, joinFaults(faults)))
	case doc.Workload == nil:
		return nil, usageError(fmt.Errorf("--workload %s is a %s, want a %s", file, doc.Kind, spec.KindWorkloadSpec))
	}
	var errs []error
	for _, breach := range p.Breaches(*doc.Workload) {
		errs = append(errs, errors.New(breach.String()))
	}
	if len(errs) > 0 {
		return nil, usageError(fmt.Errorf("the run is not the frozen workload of %s:\n%w", file, errors.Join(errs...)))
	}
	return data, nil
}
