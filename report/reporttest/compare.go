package reporttest

import (
	"assay/accuracy/parity"
	"assay/analysis/breakdown"
	"assay/analysis/compare"
	"assay/analysis/diff"
	"assay/analysis/gate"
	"assay/analysis/shift"
	"assay/finding"
	"assay/metric"
	"assay/stats"
	"assay/stats/items"
	"assay/unit"
)

func estimate(value, lo, hi float64) *stats.Estimate {
	return &stats.Estimate{Value: value, Interval: stats.Interval{Lo: lo, Hi: hi}, Confidence: .95, N: 5}
}

func number(v float64) *float64 { return &v }

// Compared has a controlled and an exploratory candidate, and a row of each
// verdict.
func Compared() compare.Report {
	row := func(name, statistic string, ratio *stats.Estimate, verdict compare.Verdict, p float64) compare.Row {
		return compare.Row{
			Metric: "m.v1", Name: name, Statistic: statistic, Unit: unit.Second, Better: metric.Lower, Point: "concurrency=4",
			Baseline: *estimate(.02, .019, .021), Candidate: *estimate(.03, .029, .031), Ratio: ratio, Difference: estimate(.01, .009, .011),
			P: &compare.Tested{P: p / 2, Corrected: p, Correction: compare.HolmCorrection}, Verdict: verdict, Detectable: number(.031),
			Cliff: number(.6), Effect: "large", HedgesG: number(1.25),
		}
	}
	worse := row("TTFT", "p50", estimate(1.5, 1.4, 1.6), compare.Worse, .00001)
	worse.Primary = true
	same := row("TPOT", "p50", estimate(1.01, 1.005, 1.015), compare.Equivalent, .01)
	same.Differs = true
	open := row("E2E", "p99", estimate(1.02, 0, 0), compare.Inconclusive, .4)
	open.Primary, open.P, open.Detectable = true, nil, nil
	open.Ratio.Interval = stats.Unbounded
	open.Warnings = []string{stats.TooFew("requests", 40, .99, .95) + ", in the smallest launch"}
	open.Baseline.Interval, open.Candidate.Interval = stats.Unbounded, stats.Unbounded
	open.Settle = "6 more launches each to show a difference of the size seen (4.1 %)"
	share := row("error rate", "value", nil, compare.Inconclusive, .3)
	share.Unit, share.Difference = unit.Ratio, estimate(0, -.003, .003)
	hidden := row("TTFT", "p90", estimate(1.2, 1.1, 1.3), compare.Worse, .001)

	party := func(label string) compare.Party {
		return compare.Party{Label: label, RunID: "run-" + label, Digest: "sha256:" + label, Launches: 5}
	}
	version := diff.Change{Path: "server.version", A: "1", B: "2", Kind: diff.Environment, Variable: "runtime_version"}
	precision := diff.Change{Path: "spec.workload.precision", A: "bf16", B: "fp8", Kind: diff.Plan}
	address := diff.Change{Path: "spec.target.url", A: "http://a", B: "http://b", Kind: diff.Plan, Along: true}
	cell := func(verdict compare.Verdict) []compare.EngineCell {
		return []compare.EngineCell{{Estimate: estimate(.02, .019, .021), Unit: unit.Second, Verdict: verdict}, {}}
	}
	return compare.Report{
		Version: compare.Version, Rule: compare.Rule, Baseline: party("old"), Margin: .02, Alpha: .05, Power: .8,
		Comparisons: []compare.Comparison{
			{
				Candidate: party("new"), Controlled: true, Declared: "runtime_version", Variable: "runtime_version",
				Findings: []finding.Finding{{Check: "unbalanced-sides", Severity: finding.Caution, Message: "all launches of the baseline came before those of the candidate", Fix: "measure them in turn"}},
				Changes:  []diff.Change{address, version}, Rows: []compare.Row{worse, open, same, share, hidden},
				Quality: graded(), Shifts: []shift.PointShift{shifted()},
				Distributions: []compare.Distribution{{
					Metric: "ttft.v2", Name: "TTFT", Unit: unit.Second, Point: "concurrency=4",
					Quantiles: []compare.Quantiles{{Quantile: .5, Baseline: number(.02), Candidate: number(.03)}, {Quantile: .999}},
					Distances: []compare.Distance{{KS: .5, Wasserstein: .009}, {Baseline: 1, Candidate: 1, KS: .7, Wasserstein: .011}},
					Variance:  []compare.Variance{{Side: "old", Components: stats.Components{ICC: .25, Levels: []stats.Level{{Share: .75}, {Share: .25}}}}},
				}},
			},
			{
				Candidate: party("other"), Declared: "runtime_version", Variable: "runtime_version",
				Changes: []diff.Change{precision, version}, Others: []diff.Change{precision}, Paired: true,
				Missing:  []compare.Missing{{What: "primary metric jitter_ms", Side: "old and other", Why: "this version computes no such metric"}, {What: "point concurrency=8", Side: "other"}},
				Warnings: []string{"block 2 has a completed launch of one side only and is left out of pairs"},
			},
		},
		Engines: []compare.Engines{{Point: "concurrency=4", Columns: []string{"TTFT p50", "GPU memory"}, Rows: []compare.Engine{
			{Label: "old", Cells: cell("")}, {Label: "new", Cells: cell(compare.Worse)}, {Label: "other", Cells: cell(compare.Equivalent)},
		}}},
	}
}

// shifted is a change of which the server's queue has most.
func shifted() shift.PointShift {
	part := func(name string, class breakdown.Class, before, after float64, clear bool) shift.Part {
		change := after - before
		return shift.Part{Name: name, Class: class, Before: before, After: after, Change: *estimate(change, change-.001, change+.001), Share: change / .01, Clear: clear}
	}
	whole := part("E2E", "", .1, .11, true)
	whole.Share = 0
	return shift.PointShift{Point: "concurrency=4", Shift: shift.Shift{
		Of: "E2E", Whole: whole, Largest: "server queue", LargestKind: "orchestration",
		Parts: []shift.Part{part("server queue", breakdown.ControlPlane, .02, .0295, true), part("decode", breakdown.Compute, .08, .0805, false)},
		Kinds: []shift.Part{part("compute", "", .08, .0805, false), part("orchestration", "", .02, .0295, true)},
	}}
}

// graded has a task of each verdict, one that warns and one that could not be compared.
func graded() *parity.Report {
	row := func(task string, verdict items.Verdict, value, lo, hi, p float64) parity.Row {
		return parity.Row{
			Task: task, Grader: "exact_match", Point: "concurrency=4", Primary: true, Baseline: .8, Candidate: .8 + value, Items: 1319, Clusters: 1319,
			Difference: *estimate(value, lo, hi), Bounds: stats.Interval{Lo: lo, Hi: hi}, Margin: .01, Verdict: verdict,
			Test: stats.Test{P: p / 4, Method: items.McNemarMidPMethod}, Adjusted: p, Relative: estimate(value/.8, lo/.8, hi/.8),
			Flips: &items.Flips{Lost: 20, Gained: 3}, Detectable: .01,
		}
	}
	worse := row("gsm8k", items.Worse, -.013, -.022, -.004, .004)
	worse.Reference = []parity.Share{{Target: .99, Verdict: items.IsMissed}}
	worse.Warnings = []string{"from 1 to 8 workers the score falls by 0.013, more than 0.01: splitting a model should change nothing"}
	worse.Changed = []parity.Change{{Item: "17", Baseline: 1, BaselineSaid: "42", CandidateSaid: "41"}, {Item: "3", Candidate: 1, BaselineSaid: "7 | 8", CandidateSaid: "8"}}
	open := row("mmlu", items.Undecided, -.004, -.016, .008, .5)
	open.More = 1500
	same := row("squad", items.Equivalent, .001, -.004, .006, .8)
	same.Flips, same.Relative = nil, nil
	return &parity.Report{
		Rule: parity.Rule, Alpha: .05, Power: .8, Correction: "holm",
		Rows:    []parity.Row{worse, open, same, row("mbpp", items.NotInferior, .006, -.003, .015, .2), row("glue", items.Better, .02, .01, .03, .001)},
		Missing: []parity.Missing{{Task: "humaneval", Why: "new was not asked it"}},
	}
}

// Gated failed in one metric, lacks another and was measured afresh.
func Gated() gate.Result {
	c := Compared()
	regressed := gate.Decision{
		Key: "ttft.v2 p50 at concurrency=4", Verdict: gate.Regressed, Reason: "significantly worse, and by more than the margin as measured; the interval is worse by more than the margin throughout", Better: metric.Lower,
		Margin: .05, Ratio: estimate(1.5, 1.4, 1.6), Difference: estimate(.01, .009, .011), P: number(.001), Corrected: number(.002), Launches: [2]int{5, 5},
	}
	fine := gate.Decision{
		Key: "error_rate.v1 at concurrency=4", Verdict: gate.NotWorse, Reason: "shown not to be worse by the margin or more; the interval holds no change, and nothing beyond the margin", Absolute: .01,
		Difference: estimate(0, -.003, .003), Corrected: number(1), Launches: [2]int{5, 5},
	}
	guarded := gate.GuardDecision{Guard: "outputTokens", Default: .1, Changed: "the new template is longer", Decision: gate.Decision{
		Key: "output tokens per answer at concurrency=4", Verdict: gate.Regressed, Reason: "27.9 beside 20.7, beyond the guard's margin and significant",
		Better: metric.Lower, Margin: .2, Ratio: estimate(1.348, 1.3, 1.4), Corrected: number(.001), Launches: [2]int{5, 5},
	}}
	off := gate.GuardDecision{Guard: "completedRequests", Default: .25, Changed: "the load is a trace", Decision: gate.Decision{
		Key: "completed requests per second at concurrency=4", Verdict: gate.Off, Reason: "switched off by the policy: the load is a trace",
	}}
	lengths := gate.Found{About: gate.AboutPair, Stops: true, Finding: finding.Finding{
		Check: "output-length", Severity: finding.Void, Message: "concurrency=4: answers hold 27.9 tokens on average, the baseline's 20.7", Fix: "fix the lengths with ignoreEOS",
	}}
	order := gate.Found{About: gate.AboutPair, Finding: finding.Finding{Check: "unbalanced-sides", Severity: finding.Caution, Message: "all launches of the baseline came before those of the candidate"}}
	missing := gate.Decision{Key: "goodput.v2 at concurrency=4", Verdict: gate.Missing, Reason: "new does not have it", Margin: .05}
	return gate.Result{
		Version: gate.Version, Rule: gate.Rule, Policy: "release", Digest: "sha256:p", Alpha: .05, Power: .8,
		Advisory: true, AdvisoryReasons: []string{"old is of realism grade: its class is realism_grade"},
		Guards: []gate.GuardDecision{guarded, off}, Findings: []gate.Found{lengths, order},
		Reasons: []gate.Reason{
			{Kind: "audit", About: lengths.Name(), Why: "void: " + lengths.Message},
			{Kind: "guard", About: guarded.Key, Why: "regressed: " + guarded.Reason},
			{Kind: "grade", About: "old", Why: "of realism grade, and the policy wants publication: its class is realism_grade"},
			{Kind: "metric", About: regressed.Key, Why: "regressed: " + regressed.Reason},
			{Kind: "metric", About: missing.Key, Why: "missing: new does not have it"},
		},
		Baseline: c.Baseline, Candidate: c.Comparisons[0].Candidate, Controlled: true, Declared: "runtime_version", Changes: c.Comparisons[0].Changes,
		Grades:       []gate.Graded{{Label: "old", Grade: "realism", Why: []string{"its class is realism_grade"}}, {Label: "new", Grade: "publication"}},
		Metrics:      []gate.Decision{regressed, fine, missing},
		Accuracy:     []gate.AccuracyDecision{{Metric: "gsm8k", Tolerance: .01, Better: "higher", Verdict: gate.NotWorse, Reason: "the loss is within the tolerance", Delta: &gate.Delta{Metric: "gsm8k", Value: -.002, Interval: stats.Interval{Lo: -.008, Hi: .004}, Confidence: .95}}},
		Confirmation: &gate.Confirmation{Party: compare.Party{Label: "again"}, First: []gate.Decision{regressed}, Second: []gate.Decision{regressed}},
	}
}

// Released passed, with nothing to say but what it measured.
func Released() gate.Result {
	r := Gated()
	r.Passed, r.Advisory, r.AdvisoryReasons, r.Reasons, r.Confirmation = true, false, nil, nil, nil
	r.Metrics, r.Guards, r.Findings, r.Grades = r.Metrics[1:2], nil, r.Findings[1:], r.Grades[1:]
	return r
}
