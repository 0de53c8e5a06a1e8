package lint

import (
	"slices"
	"strings"
	"testing"

	"assay/bundle"
	"assay/finding"
)

// imported makes the clean scene the results of another tool.
func imported(gaps ...string) func(*Facts) {
	return func(f *Facts) {
		f.Manifest.Source = &bundle.Source{Tool: "other-bench"}
		for _, id := range gaps {
			f.Manifest.Source.Unknown = append(f.Manifest.Source.Unknown, bundle.Gap{ID: id, Detail: "why " + id})
		}
	}
}

// Every gap that judging code knows has a consequence, which a finding names.
func TestForeignSource(t *testing.T) {
	s := clean()
	s.small()
	f := s.facts(t)
	if audit := Run(f); slices.ContainsFunc(audit.Findings, func(f finding.Finding) bool { return f.Check == ForeignSource.ID }) {
		t.Error("what assay measured has a foreign source")
	}
	gaps := []string{
		bundle.GapSendTimes, bundle.GapDueTimes, bundle.GapChunks, bundle.GapRequests, bundle.GapReplicates, bundle.GapRetries, bundle.GapErrors,
		bundle.GapWarmup, bundle.GapTokens, bundle.GapClient, bundle.GapHost, bundle.GapSeed, bundle.GapServer,
	}
	for _, gap := range gaps {
		imported(gap)(f)
		audit := Run(f)
		i := slices.IndexFunc(audit.Findings, func(f finding.Finding) bool { return f.Check == ForeignSource.ID })
		if i < 0 {
			t.Errorf("%s: no finding", gap)
			continue
		}
		one := audit.Findings[i]
		if one.Why != "why "+gap || one.Fix == "" || !strings.HasPrefix(one.Message, "other-bench: ") || one.Severity == finding.Void {
			t.Errorf("%s: %+v: want the tool, its own words and what to do", gap, one)
		}
	}
}

// Checks that would take a zero for a fact are not made.
func TestForeignSourceLeavesChecks(t *testing.T) {
	s := clean()
	s.small()
	f := s.facts(t)
	before := Run(f)
	for gap, checks := range evidence {
		imported(gap)(f)
		after := Run(f)
		for _, id := range checks {
			i := slices.IndexFunc(after.Results, func(r Result) bool { return r.Check == id })
			if i < 0 {
				t.Fatalf("%s: no check %s", gap, id)
			}
			if before.Results[i].State == NotApplicable {
				continue
			}
			if after.Results[i].State != NotChecked || !strings.Contains(after.Results[i].Missing, gap) {
				t.Errorf("%s without %q: %+v, want it not checked", id, gap, after.Results[i])
			}
		}
	}
}
