package server

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"assay/analysis/compare"
	"assay/analysis/gate"
	"assay/judge"
	"assay/judge/pair"
	"assay/report"
	"assay/spec"
	"assay/unit"
	"assay/warehouse"
)

// gated asks a policy about two runs.
func (s *Server) gated(c *Call) (r gate.Result, err error) {
	document, faults := spec.Parse("policy", []byte(c.param("policy")))
	if !spec.Valid(faults) || document.Policy == nil {
		var all []error
		for _, f := range faults {
			all = append(all, f)
		}
		if document != nil && document.Policy == nil && len(all) == 0 {
			all = append(all, fmt.Errorf("it is a %s", document.Kind))
		}
		return r, refuse(http.StatusUnprocessableEntity, "policy: want a GatePolicy\n%w", errors.Join(all...))
	}
	policy, _ := spec.ResolvePolicy(*document.Policy)
	var dirs [2]string
	for i, name := range []string{"baseline", "candidate"} {
		if dirs[i], err = s.bundleOf(c, c.param(name)); err != nil {
			return r, err
		}
	}
	if err := s.enter(c, &s.lines.judging); err != nil {
		return r, err
	}
	o := s.o.Judge
	o.Derive, o.Unverified = true, false
	bundles := pair.NewReader(func(dir string) (*judge.Judgement, error) { return judge.Open(dir, o) }).
		Remembering(func(j *judge.Judgement) (compare.Past, error) {
			return s.aside.Past(c.context(), j, policy.Spec.TrustedKeys...)
		})
	in, err := bundles.Gate(pair.GateAsk{Policy: policy, Baseline: dirs[0], Candidate: dirs[1]})
	if err == nil {
		r, err = gate.Judge(in)
	}
	if err != nil {
		return r, refuse(http.StatusUnprocessableEntity, "these runs cannot be judged: %w", err)
	}
	return r, nil
}

func (s *Server) showGate(c *Call) error {
	r, err := s.gated(c)
	if err != nil {
		return err
	}
	return c.give(http.StatusOK, r)
}

// A condition is one thing that a gate looked at.
type condition struct {
	Kind, Name, Verdict string
	Before, After       *shownFigure // of baseline and candidate, where the catalogue has them
	Effect, Allowed     string
	Why                 string
	Decided             bool // it is why the gate did not pass
}

// A shownFigure is a result with its interval, and the number by which lineage finds it.
type shownFigure struct{ Text, Of string }

// firstPolicy is shown before somebody writes one.
const firstPolicy = `apiVersion: assay.dev/v1alpha1
kind: GatePolicy
metadata: {name: release}
spec:
  grade: exploratory
  metrics:
    - {metric: ttft.v2, statistic: p50, margin: 0.05}
    - {metric: output_throughput.v1, statistic: value, margin: 0.05}
`

// gatePage says of each condition of a gate what was seen, what was allowed, and whether it
// decided.
func (s *Server) gatePage(c *Call) error {
	shown := struct {
		frame
		Baseline, Candidate, Policy string
		Problem                     string
		Result                      *gate.Result
		Verdict                     string
		Conditions                  []condition
		Reasons                     []string
	}{frame: frameOf(c, "Why a gate passes or does not"), Baseline: c.param("baseline"), Candidate: c.param("candidate"), Policy: c.param("policy")}
	status := http.StatusOK
	switch {
	case shown.Policy == "":
		shown.Policy = firstPolicy
	case shown.Baseline != "" && shown.Candidate != "":
		r, err := s.gated(c)
		if status = statusOf(err); err != nil {
			if status == http.StatusInternalServerError {
				return err
			}
			shown.Problem = strings.ReplaceAll(err.Error(), s.o.Dir, "WAREHOUSE")
			break
		}
		status, shown.Result, shown.Verdict = http.StatusOK, &r, report.GateVerdict(r)
		shown.Reasons = append(slices.Clone(r.AdvisoryReasons), reasonTexts(r)...)
		if shown.Conditions, err = s.conditions(c, r); err != nil {
			return err
		}
	}
	return s.page(c, status, "gate", shown)
}

func reasonTexts(r gate.Result) (list []string) {
	for _, reason := range r.Reasons {
		list = append(list, reason.String())
	}
	return list
}

// conditions are everything that the gate looked at, those that decided first.
func (s *Server) conditions(c *Call, r gate.Result) ([]condition, error) {
	var sides [2]warehouse.RunDetail
	for i, party := range []compare.Party{r.Baseline, r.Candidate} {
		var err error
		if sides[i], err = s.read.Detail(c.context(), party.Digest); err != nil {
			return nil, err
		}
	}
	var list []condition
	add := func(kind string, one condition) {
		one.Kind = kind
		one.Decided = slices.ContainsFunc(r.Reasons, func(reason gate.Reason) bool { return reason.Kind == kind && reason.About == one.Name })
		one.Before, one.After = figureBy(sides[0], one.Name), figureBy(sides[1], one.Name)
		list = append(list, one)
	}
	for _, d := range r.Metrics {
		add("metric", decided(d))
	}
	for _, d := range r.Guards {
		one := decided(d.Decision)
		if one.Name == "" {
			one.Name = d.Guard
		}
		add("guard", one)
	}
	for _, d := range r.Accuracy {
		one := condition{Name: d.Metric, Verdict: string(d.Verdict), Why: d.Reason, Allowed: fmt.Sprintf("%g", d.Tolerance)}
		if d.Delta != nil {
			one.Effect = fmt.Sprintf("%+.4g [%.4g, %.4g]", d.Delta.Value, d.Delta.Interval.Lo, d.Delta.Interval.Hi)
		}
		add("accuracy", one)
	}
	for _, f := range r.Findings {
		verdict := string(f.Severity)
		list = append(list, condition{Kind: "finding", Name: f.Name(), Verdict: verdict, Why: f.Message, Decided: f.Stops})
	}
	for _, g := range r.Grades {
		add("grade", condition{Name: g.Label, Verdict: g.Grade, Why: strings.Join(g.Why, "; ")})
	}
	slices.SortStableFunc(list, func(a, b condition) int {
		switch {
		case a.Decided == b.Decided:
			return 0
		case a.Decided:
			return -1
		}
		return 1
	})
	return list, nil
}

// decided is a decision about a metric as a condition.
func decided(d gate.Decision) condition {
	one := condition{Name: d.Key, Verdict: string(d.Verdict), Why: d.Reason}
	switch {
	case d.Ratio != nil:
		one.Effect = "× " + estimateText(*d.Ratio, "")
	case d.Difference != nil:
		one.Effect = estimateText(*d.Difference, "")
	}
	switch {
	case d.Margin > 0:
		one.Allowed = fmt.Sprintf("%.3g %%", 100*d.Margin)
	case d.Absolute > 0:
		one.Allowed = fmt.Sprintf("%g", d.Absolute)
	}
	return one
}

// figureBy finds the result of a run that a key of a gate names.
func figureBy(d warehouse.RunDetail, key string) *shownFigure {
	for _, f := range d.Figures {
		if f.Side == "" && compare.Key(f.Metric, f.Statistic, f.Point) == key {
			return &shownFigure{figureText(f), unit.Format(f.Value, unit.Unit(f.Unit))}
		}
	}
	return nil
}
