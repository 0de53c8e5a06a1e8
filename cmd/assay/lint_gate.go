package main

import (
	"errors"
	"fmt"

	"assay/analysis/gate"
	"assay/intake"
	"assay/spec"
)

// readGate reads the policy and the history of a gate, each where a file is
// named. A history that is not there is refused: nothing could be said about it.
func readGate(policyFile, historyFile string) (*spec.GatePolicy, []gate.Entry, error) {
	var policy *spec.GatePolicy
	if policyFile != "" {
		text, err := intake.ReadFile(policyFile, spec.MaxDocumentBytes)
		if err != nil {
			return nil, nil, usageError(fmt.Errorf("--policy: %w", err))
		}
		doc, faults := spec.Parse(policyFile, text)
		if !spec.Valid(faults) {
			return nil, nil, usageError(fmt.Errorf("--policy %s: %v: assay validate shows every fault", policyFile, faults[0]))
		}
		if doc.Policy == nil {
			return nil, nil, usageError(fmt.Errorf("--policy %s: got a %s, want a GatePolicy", policyFile, doc.Kind))
		}
		policy = doc.Policy
	}
	if historyFile == "" {
		return policy, nil, nil
	}
	history, err := gate.ReadHistory(historyFile)
	if err == nil && len(history) == 0 {
		err = errors.New("no verdict in it: want the file that assay gate --history writes")
	}
	if err != nil {
		return nil, nil, usageError(fmt.Errorf("--history %s: %w", historyFile, err))
	}
	return policy, history, nil
}
