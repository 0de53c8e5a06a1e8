package main

import (
	"encoding/json"
	"fmt"
	"path"

	steadystate "assay/analysis/steady"
	"assay/bundle"
	"assay/finding"
	"assay/lint"
	"assay/metric"
	"assay/report"
)

// judged adds what can be said about the instrument and the pitfalls to a report.
// What this version has derived and kept in the bundle is read; otherwise it is
// derived anew.
func judged(b *bundle.Bundle, r report.Report) (report.Report, error) {
	known, err := derived(b, clientFile, &r.Client)
	if err != nil {
		return r, err
	}
	if !known {
		if r.Client, err = metric.ReadClient(b); err != nil {
			return r, err
		}
	}
	known, err = derived(b, findingsFile, &r.Findings)
	if err != nil {
		return r, err
	}
	if !known {
		facts, err := lint.Gather(b, r.Plan, r.Estimates, r.Client)
		if err != nil {
			return r, err
		}
		r.Findings, r.Steady = lint.Run(facts).Findings, facts.Steady
		return r, nil
	}
	if known, err = derived(b, steadyFile, &r.Steady); !known && err == nil {
		r.Steady, err = steadystate.Read(b, r.Plan)
	}
	return r, err
}

// The derived files beside estimates.json.
const (
	clientFile   = "client.json"
	findingsFile = "findings.json"
	steadyFile   = "steady.json"
)

// derived reads a file that this version has derived; false when there is none.
func derived(b *bundle.Bundle, name string, to any) (bool, error) {
	data, err := b.ReadFile(path.Join("derived", version(), name))
	if err != nil {
		return false, nil
	}
	if err := json.Unmarshal(data, to); err != nil {
		return false, fmt.Errorf("%s: %w", name, err)
	}
	return true, nil
}

// writeJudged keeps what judged has derived in the bundle.
func writeJudged(w *bundle.Writer, client metric.Client, settled steadystate.Report, findings []finding.Finding) error {
	for _, f := range []struct {
		name    string
		content any
	}{{clientFile, client}, {steadyFile, settled}, {findingsFile, findings}} {
		data, err := json.MarshalIndent(f.content, "", "  ")
		if err != nil {
			return err
		}
		if err := w.WriteDerived(version(), f.name, data); err != nil {
			return err
		}
	}
	return nil
}
