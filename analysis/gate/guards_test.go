package gate

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/analysis/compare"
	"assay/analysis/scene"
	"assay/finding"
)

// failing is a side in whose launches so many of 60 requests fail.
func failing(t *testing.T, id string, failed, launches int) compare.Side {
	t.Helper()
	r := scene.Run{Dir: filepath.Join(t.TempDir(), id), ID: id, Document: document}
	for _, slow := range noise(launches, 1, .01, 7) {
		r.Launches = append(r.Launches, scene.Launch{Slow: slow, Requests: 60 - failed, Failed: failed})
	}
	return open(t, r, "")
}

// TestGuards trips the guard of the error rate with a third of the requests, which
// the policy does not name, and lets a policy loosen it in writing.
func TestGuards(t *testing.T) {
	base, bad := failing(t, "base", 0, 5), failing(t, "bad", 20, 5)
	few := failing(t, "few", 20, 2)
	loosened := policy(t, "  metrics:", "  controlled: false\n  guards: {errorRate: {margin: 0.5, reason: it sheds load}, completedRequests: {off: true, reason: it sheds load}}\n  metrics:")
	forgiving := policy(t, "  metrics:", "  inconclusive: pass\n  metrics:")
	gated := policy(t, "  metrics:", "  metrics:\n    - {metric: error_rate.v1, statistic: value, absoluteMargin: 0.5}")
	of := func(r Result, guard string) (GuardDecision, bool) {
		i := slices.IndexFunc(r.Guards, func(d GuardDecision) bool { return d.Guard == guard })
		if i < 0 {
			return GuardDecision{}, false
		}
		return r.Guards[i], true
	}
	tests := []struct {
		name, guard string
		in          Input
		want        Verdict
		reason      string
	}{
		{"nothing fails", "errorRate", Input{Policy: policy(t), Candidate: failing(t, "good", 0, 5)}, NotWorse, "0 beside 0, within the guard's margin"},
		{"a third fails", "errorRate", Input{Policy: policy(t), Candidate: bad}, Regressed, "0.3333 beside 0, beyond the guard's margin and significant"},
		{"a third fails in two launches", "errorRate", Input{Policy: forgiving, Candidate: few}, Inconclusive, "beyond the guard's margin"},
		{"a third fails, as it may", "errorRate", Input{Policy: loosened, Candidate: bad}, NotWorse, "within the guard's margin"},
		{"switched off", "completedRequests", Input{Policy: loosened, Candidate: bad}, Off, "switched off by the policy: it sheds load"},
		{"fewer are completed", "completedRequests", Input{Policy: policy(t), Candidate: bad}, Regressed, "beyond the guard's margin"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.in.Baseline, tt.in.Grade = base, realism
			r, err := Judge(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			got, ok := of(r, tt.guard)
			if !ok || got.Verdict != tt.want || !strings.Contains(got.Reason, tt.reason) {
				t.Errorf("%s because %q, want %s because of %q", got.Verdict, got.Reason, tt.want, tt.reason)
			}
			fails := slices.ContainsFunc(r.Reasons, func(why Reason) bool { return why.Kind == "guard" && why.About == got.Key })
			if wanted := tt.want == Regressed || tt.want == Inconclusive; fails != wanted {
				t.Errorf("the guard stops the gate: %v, want %v", fails, wanted)
			}
		})
	}
	r, err := Judge(Input{Policy: gated, Baseline: base, Candidate: bad, Grade: realism})
	if _, there := of(r, "errorRate"); err != nil || there {
		t.Errorf("%v: the policy gates the error rate itself, and the guard stands beside it", err)
	}
}

// Two runs may complete unlike numbers of requests for no fault of the candidate's: what
// speaks against it lies beyond what runs do, or was measured in turn.
func TestGuardsOfTwoRuns(t *testing.T) {
	slower := func(id string, factor float64) compare.Side {
		r := scene.Run{Dir: filepath.Join(t.TempDir(), id), ID: id, Document: document}
		for _, slow := range noise(5, factor, .01, 7) {
			r.Launches = append(r.Launches, scene.Launch{Slow: slow})
		}
		return open(t, r, "")
	}
	base := slower("base", 1)
	guarded := policy(t, "  metrics:", "  guards: {completedRequests: {margin: 0.05, reason: it is what is paid for}}\n  metrics:")
	for _, tt := range []struct {
		factor float64
		want   Verdict
		reason string
	}{
		{1, NotWorse, "within the guard's margin"},
		{1.09, Inconclusive, "beyond the guard's margin, but two runs of one system"},
		{1.5, Regressed, "beyond the guard's margin and significant"},
	} {
		r, err := Judge(Input{Policy: guarded, Baseline: base, Candidate: slower("candidate", tt.factor), Grade: realism})
		i := slices.IndexFunc(r.Guards, func(d GuardDecision) bool { return d.Guard == "completedRequests" })
		if err != nil || i < 0 || r.Guards[i].Verdict != tt.want || !strings.Contains(r.Guards[i].Reason, tt.reason) {
			t.Errorf("%v times as slow: %+v, %v; want %s because of %q", tt.factor, r.Guards, err, tt.want, tt.reason)
		}
	}
}

// TestAuditsStop is stopped by a void finding whatever the policy's grade, passes on
// a caution, and leaves to the policy what it has decided in writing.
func TestAuditsStop(t *testing.T) {
	base, same := side(t, "base", noise(5, 1, .01, 1)), side(t, "same", noise(5, 1, .01, 2))
	audit := func(check string, severity finding.Severity) []Audit {
		return []Audit{{AboutPair, []finding.Finding{{Check: check, Severity: severity, Message: "see here"}}}}
	}
	of := func(scope finding.Scope) []Audit {
		return []Audit{{AboutPair, []finding.Finding{{Check: "output-length", Severity: finding.Void, Message: "see here", Scope: scope}}}}
	}
	free := policy(t, "grade: realism", "grade: exploratory\n  controlled: false")
	gated := free.Spec.Metrics[0].Metric
	tests := []struct {
		name   string
		in     Input
		passed bool
	}{
		{"void", Input{Policy: policy(t, "grade: realism", "grade: exploratory"), Audits: audit("output-length", finding.Void)}, false},
		{"caution", Input{Policy: policy(t), Audits: audit("unbalanced-sides", finding.Caution)}, true},
		{"decided by the policy", Input{Policy: free, Audits: audit("apples-to-oranges", finding.Void)}, true},
		{"not decided by the policy", Input{Policy: free, Audits: audit("output-length", finding.Void)}, false},
		{"void of what the policy gates", Input{Policy: free, Audits: of(finding.Scope{Metrics: []string{gated}})}, false},
		{"void of what nobody gates", Input{Policy: free, Audits: of(finding.Scope{Metrics: []string{"tpot.v1"}})}, true},
		{"void of a subject that nobody gates", Input{Policy: free, Audits: of(finding.Scope{Subject: finding.Accuracy})}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.in.Baseline, tt.in.Candidate, tt.in.Grade = base, same, realism
			r, err := Judge(tt.in)
			if err != nil || r.Passed != tt.passed || len(r.Findings) != 1 || r.Findings[0].Stops == tt.passed {
				t.Errorf("passed %v with %+v because of %v (%v), want %v", r.Passed, r.Findings, r.Reasons, err, tt.passed)
			}
			if !tt.passed && (r.Reasons[0].String() != "output-length (pair): void: see here" || !slices.Equal(r.Entry().Void, []string{"output-length"})) {
				t.Errorf("reasons %v, entry %+v: want the check by its name", r.Reasons, r.Entry())
			}
		})
	}
}

// TestAdvisory gives a verdict that counts about publication grade alone.
func TestAdvisory(t *testing.T) {
	base, same := side(t, "base", noise(5, 1, .01, 1)), side(t, "same", noise(5, 1, .01, 2))
	f := func(grade string, want bool) {
		t.Helper()
		r, err := Judge(Input{Policy: policy(t), Baseline: base, Candidate: same, Grade: func(s compare.Side) (string, []string) {
			if s.Label == "same" {
				return grade, nil
			}
			return "publication", nil
		}})
		if err != nil || r.Advisory != want || want != (len(r.AdvisoryReasons) == 1) || !r.Passed {
			t.Errorf("%s: advisory %v because of %q, passed %v (%v)", grade, r.Advisory, r.AdvisoryReasons, r.Passed, err)
		}
	}
	f("publication", false)
	f("realism", true)
}

// TestAttempts counts the runs of one system that a policy has refused.
func TestAttempts(t *testing.T) {
	now := Entry{Policy: "p", System: "s", Candidate: "c4", Alpha: .05}
	history := []Entry{
		{Policy: "p", System: "s", Candidate: "c1"}, {Policy: "p", System: "s", Candidate: "c1"}, {Policy: "p", System: "s", Candidate: "c2"},
		{Policy: "p", System: "other", Candidate: "c3"}, {Policy: "q", System: "s", Candidate: "c5"}, {Policy: "p", System: "s", Candidate: "c6", Passed: true},
		{Policy: "p", Candidate: "c7"}, {Policy: "p", System: "s", Candidate: "c4"},
	}
	got := Attempts(history, now)
	if len(got) != 1 || got[0].Severity != finding.Void || !strings.Contains(got[0].Message, "this is run 3 of the same system") {
		t.Errorf("%+v, want run 3", got)
	}
	now.Reason = "the disk was full"
	if got := Attempts(history, now); len(got) != 1 || got[0].Severity != finding.Caution || !strings.Contains(got[0].Message, "the disk was full") {
		t.Errorf("%+v, want a caution with the reason", got)
	}
	if got := Attempts(history[3:], now); got != nil {
		t.Errorf("%+v, want nothing", got)
	}
}

// How many requests arrive in a second is chance where a rate is offered: the guard asks how many
// of them were answered.
func TestGuardOfArrivals(t *testing.T) {
	offered := func(id string, arrivals float64, failed int) compare.Side {
		text := strings.NewReplacer("{model: m}", "{model: m, concurrencyModel: open_loop}", "concurrency: [1]", "rate: [20]").Replace(document)
		r := scene.Run{Dir: filepath.Join(t.TempDir(), id), ID: id, Document: text}
		for range 5 { // requests of a scene follow one another: slower ones are fewer in a second
			r.Launches = append(r.Launches, scene.Launch{Slow: 1 / arrivals, Requests: 60 - failed, Failed: failed})
		}
		return open(t, r, "")
	}
	base := offered("base", 1, 0)
	for _, tt := range []struct {
		name      string
		candidate compare.Side
		want      Verdict
	}{
		{"fewer arrive, and all are answered", offered("calm", .6, 0), NotWorse},
		{"as many arrive, and a third is not answered", offered("bad", 1, 20), Regressed},
	} {
		r, err := Judge(Input{Policy: policy(t), Baseline: base, Candidate: tt.candidate, Grade: realism})
		i := slices.IndexFunc(r.Guards, func(d GuardDecision) bool { return d.Guard == "completedRequests" })
		if err != nil || i < 0 || r.Guards[i].Verdict != tt.want || r.Guards[i].Key != "completed share of offered requests at rate=20/s" {
			t.Errorf("%s: %+v, %v; want %s", tt.name, r.Guards, err, tt.want)
		}
	}
}
