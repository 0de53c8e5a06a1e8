package lint

import (
	"slices"
	"strings"
	"testing"

	"assay/analysis/gate"
	"assay/bundle"
	"assay/finding"
	"assay/metric"
	"assay/record"
	"assay/spec"
	"assay/stats"
)

// same is a baseline of which nothing differs.
func same(*scene) {}

// having changes what has no place in a bundle.
func having(change func(*Facts)) func(*scene) {
	return func(s *scene) { s.spoil = change }
}

// demanding holds the pair to a policy of one metric.
func demanding(id, statistic string, margin float64) func(*scene) {
	return having(func(f *Facts) {
		f.Policy = &spec.GatePolicy{Spec: spec.GateDemands{
			Grade: "exploratory", Alpha: .05, Power: .8, Metrics: []spec.GatedMetric{{Metric: id, Statistic: statistic, Margin: margin}},
		}}
	})
}

// verdicts is a history of a gate, one entry a day; change spoils each.
func verdicts(n int, change func(i int, e *gate.Entry)) func(*scene) {
	return having(func(f *Facts) {
		for i := range n {
			e := gate.Entry{
				Time: sceneDay.AddDate(0, 0, i), Rule: gate.Rule, Policy: "p", Alpha: .05, Baseline: "sha256:b3", Candidate: "sha256:c",
				Passed: true, Same: i%2 == 0, Verdicts: map[string]gate.Verdict{"a": gate.NotWorse, "b": gate.NotWorse}, Alerts: []string{},
			}
			change(i, &e)
			f.History = append(f.History, e)
		}
	})
}

func unchangedEntry(int, *gate.Entry) {}

var hygieneTrips = quick([]trip{
	{"hidden-environment", "driver", changes(pair(told("gpu.driver", "570.86")), told("gpu.driver", "575.51"), having(func(f *Facts) {
		f.Statements = []Statement{{Metric: "ttft.v2", Statistic: "p99", Delta: &Delta{Ratio: .9}, Text: "10 % faster"}}
	})), finding.Caution, "gpu.driver: 570.86 → 575.51"},
	{"missing-results", "a point", changes(pair(asked(func(r *spec.Run) { r.Metadata.Name = "other" })), having(func(f *Facts) {
		f.Estimates.Rows = slices.DeleteFunc(slices.Clone(f.Estimates.Rows), func(r metric.Row) bool { return r.Metric == "tpot.v1" })
	})), finding.Void, "the candidate lacks 1 results that the baseline has: tpot.v1 at concurrency=8"},
	{"missing-results", "a figure of the server", pair(func(s *scene) {
		before := s.samples
		s.samples = func(launch int) []record.Sample {
			return append(before(launch), read("server", "vllm:num_requests_running", "", steadily(8))...)
		}
	}), finding.Caution, "figures read beside the requests: server_running.v1 at concurrency=8"},
	{"missing-results", "gated", changes(pair(same), demanding("cache_cold_ttft.v1", "value", .05)), finding.Void, "cache_cold_ttft.v1 (gated)"},
	{"unbalanced-sides", "launches", pair(func(s *scene) { s.launches = 3 }), finding.Caution, "the baseline has 3 launches and the candidate 5"},
	{"unbalanced-sides", "order", changes(asked(func(r *spec.Run) {
		r.Spec.Intent.BenchmarkClass = spec.RealismGrade
		r.Spec.Candidates = []spec.Candidate{{Name: "new", Target: *r.Spec.Target}}
	}), func(s *scene) {
		s.launches = 4
		s.start = func(launch int, l *bundle.LaunchStart) { l.Side = []string{spec.BaselineSide, "new"}[launch/2] }
	}), finding.Caution, "all launches of baseline came before those of new"},
	{"uncorrected-multiplicity", "stated", changes(pair(same), having(func(f *Facts) {
		for range 12 {
			f.Statements = append(f.Statements, Statement{Metric: "ttft.v2", Statistic: "p99", Delta: &Delta{Ratio: .9, Interval: &stats.Interval{Lo: .8, Hi: .95}, Test: "Welch"}})
		}
	})), finding.Void, "12 differences are stated at a level of 0.05 each: the chance of a false alarm is 46 %"},
	{"uncorrected-multiplicity", "another gate", verdicts(2, func(_ int, e *gate.Entry) { e.Rule = "house" }), finding.Void, `2 metrics are gated by the rule "house"`},
	{"blind-gate", "varies", changes(pair(same), demanding("ttft.v2", "p50", .0001)),
		finding.Void, "the gate cannot see a change of 0.01 % in ttft.v2 p50 at concurrency=8: with 5 and 5 launches"},
	{"blind-gate", "too few", changes(pair(same), func(s *scene) { s.launches = 2 }, demanding("ttft.v2", "p50", .05)), finding.Void, "5 and 2 launches: want at least 3 on each side"},
	{"gate-self-check", "never", verdicts(6, func(_ int, e *gate.Entry) { e.Same = false }), finding.Caution, "of 6 verdicts of the gate none is about a system and itself"},
	{"gate-self-check", "alarms", verdicts(80, func(i int, e *gate.Entry) {
		if i%8 == 0 {
			e.Alerts = []string{"a"}
		}
	}), finding.Caution, "the gate alarms in 10 of 40 comparisons of a system with itself (25 % [13, 41]); its error budget is 5 %"},
	{"gate-self-check", "long ago", verdicts(60, func(i int, e *gate.Entry) { e.Same = i == 0 }), finding.Caution, "59 days before its last verdict"},
	{"moved-baseline", "after a failure", verdicts(6, func(i int, e *gate.Entry) {
		e.Passed = i != 3
		if i > 3 {
			e.Baseline = "sha256:b9"
		}
	}), finding.Void, "the baseline moved from sha256:b3 to sha256:b9 after the gate had failed against it on 2026-03-16"},
	{"other-baseline", "not the one that was found", changes(pair(same), having(func(f *Facts) { f.Manifest.Inputs.Baseline.Digest = digest("9") })),
		finding.Void, "the document declares published-b200@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 as its baseline, and it is compared with run"},
	{"other-baseline", "never looked for", changes(asked(realism), pair(asked(realism)), having(func(f *Facts) { f.Manifest.Inputs.Baseline = nil })),
		finding.Caution, "and it is compared with run"},
	{"noisy-alerts", "another each time", verdicts(8, func(i int, e *gate.Entry) { e.Same, e.Alerts = false, []string{string(rune('a' + i))} }),
		finding.Caution, "the alerts of the last 5 verdicts overlap by 0 on average"},
})

// A gate whose history is in order, and a move of its baseline that somebody
// explains, are told nothing.
func TestCleanHistory(t *testing.T) {
	for name, history := range map[string]func(*scene){
		"steady": verdicts(20, unchangedEntry),
		"explained": verdicts(20, func(i int, e *gate.Entry) {
			e.Passed = i != 3
			if i > 3 {
				e.Baseline, e.Reason = "sha256:b9", "new machines"
			}
		}),
		"a regression that stays": verdicts(20, func(i int, e *gate.Entry) {
			if i%2 == 1 {
				e.Passed, e.Alerts = false, []string{"a"}
			}
		}),
	} {
		s := clean()
		history(&s)
		for _, f := range Run(s.facts(t)).Findings {
			if strings.HasPrefix(codeOf(f.Check), "G-") {
				t.Errorf("%s: %s %s: %s", name, f.Severity, f.Check, f.Message)
			}
		}
	}
}

func codeOf(id string) string {
	i := slices.IndexFunc(All, func(c Check) bool { return c.ID == id })
	return All[i].Code
}
