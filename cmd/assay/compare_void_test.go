package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"assay/analysis/compare"
	"assay/finding"
)

// A pair that a check voids is not published, however controlled it is.
func TestVoidPairIsNotPublished(t *testing.T) {
	r := compare.Report{Comparisons: []compare.Comparison{{Controlled: true}}}
	var said bytes.Buffer
	if err := publishable(&said, r); err != nil || said.Len() > 0 {
		t.Errorf("a controlled pair: %v %s", err, said.String())
	}
	r.Comparisons[0].Findings = []finding.Finding{{Check: "one-sitting", Severity: finding.Caution}}
	if err := publishable(&said, r); err != nil {
		t.Errorf("a caution: %v", err)
	}
	r.Comparisons[0].Findings = append(r.Comparisons[0].Findings, finding.Finding{Check: "throttling", Severity: finding.Void, Message: "clocks differ"})
	err := publishable(&said, r)
	var code *exitError
	if !errors.As(err, &code) || !strings.Contains(said.String(), "is void: throttling: clocks differ") {
		t.Errorf("a void pair: %v %s", err, said.String())
	}
}
