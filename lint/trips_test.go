package lint

import (
	"slices"
	"strings"
	"testing"

	"assay/finding"
)

// A clean run has no finding worse than a note, and every check that could
// forbid a claim was really made.
func TestCleanRun(t *testing.T) {
	audit := Run(clean().facts(t))
	for _, f := range audit.Findings {
		if f.Severity != finding.Note {
			t.Errorf("%s %s: %s", f.Severity, f.Check, f.Message)
		}
	}
	for _, r := range audit.Results {
		if r.State == NotChecked && r.Severity == finding.Void {
			t.Errorf("%s was not checked: %s is missing", r.Check, r.Missing)
		}
	}
}

// placed are the checks that look at one point at a time, and forbid nothing elsewhere.
var placed = []string{
	Survivors.ID, PromptCache.ID, OutputLength.ID, OpeningWave.ID, InsufficientWarmup.ID, Drain.ID, LaunchTrend.ID, InFlightCap.ID,
	CoordinatedOmission.ID, OutsideWindow.ID,
}

// Every check trips on its own scene and says the figures.
func TestTrips(t *testing.T) {
	t.Parallel()
	for _, c := range All {
		if c.Doc == "" || c.Severity == "" {
			t.Errorf("%s: every check says what it looks for and how bad that is", c.ID)
		}
		tripped := slices.ContainsFunc(trips, func(tt trip) bool { return tt.check == c.ID })
		if !tripped && !slices.ContainsFunc(instrument, func(i Check) bool { return i.ID == c.ID }) {
			t.Errorf("%s has no scene that trips it", c.ID)
		}
	}
	for _, tt := range trips {
		t.Run(tt.check+"/"+tt.name, func(t *testing.T) {
			t.Parallel()
			s := clean()
			tt.spoil(&s)
			audit := Run(s.facts(t))
			i := slices.IndexFunc(audit.Findings, func(f finding.Finding) bool {
				return f.Check == tt.check && f.Severity == tt.severity && strings.Contains(f.Message, tt.want)
			})
			if i < 0 {
				t.Fatalf("no %s %s with %q in %+v", tt.severity, tt.check, tt.want, audit.Findings)
			}
			if f := audit.Findings[i]; f.Severity == finding.Void && slices.Contains(placed, f.Check) && len(f.Scope.Points) == 0 {
				t.Errorf("%s knows its point and forbids %+v", tt.check, f.Scope)
			}
			if audit.Findings[i].Fix == "" {
				t.Errorf("%s does not say what to do", tt.check)
			}
		})
	}
}
