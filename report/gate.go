package report

import (
	"fmt"
	"io"
	"strings"

	"assay/analysis/gate"
)

// GateText writes what a gate says for a terminal.
func GateText(w io.Writer, r gate.Result) error { return gatePage(r).text(w) }

// GateMarkdown writes what a gate says for a pull request.
func GateMarkdown(w io.Writer, r gate.Result) error { return gatePage(r).markdown(w) }

func gatePage(r gate.Result) page {
	var p page
	p.add(block{lines: []string{
		strings.TrimSuffix(fmt.Sprintf("gate %s: %s: %s", r.Policy, gateVerdict(r), strings.Join(r.AdvisoryReasons, "; ")), ": "),
		fmt.Sprintf("%s beside %s: %s", r.Candidate.Label, r.Baseline.Label, standing(r.Controlled, r.Declared, gateVariable(r), r.Others)),
	}})
	why := block{title: "why not"}
	for _, reason := range r.Reasons {
		why.points = append(why.points, reason.String())
	}
	p.add(why)
	p.add(findingsBlock("findings", r.Findings))
	metrics := block{title: "metrics", head: []string{"metric", "verdict", "ratio or difference", "margin", "p", "could see", "why"}}
	for _, d := range r.Metrics {
		corrected := "–"
		if d.Corrected != nil {
			corrected = pValue(*d.Corrected)
		}
		metrics.rows = append(metrics.rows, []string{d.Key, string(d.Verdict), measuredText(d), marginText(d), corrected, percentText(d.Detectable), d.Reason})
	}
	p.add(metrics)
	p.add(guardsBlock(r.Guards))
	accuracy := block{title: "accuracy", head: []string{"metric", "verdict", "difference", "tolerance", "why"}}
	for _, d := range r.Accuracy {
		delta := "–"
		if d.Delta != nil {
			delta = fmt.Sprintf("%.4g [%.4g, %.4g] at %g %%", d.Delta.Value, d.Delta.Interval.Lo, d.Delta.Interval.Hi, 100*d.Delta.Confidence)
		}
		accuracy.rows = append(accuracy.rows, []string{d.Metric, string(d.Verdict), delta, fmt.Sprintf("%g", d.Tolerance), d.Reason})
	}
	p.add(accuracy)
	if c := r.Confirmation; c != nil {
		b := block{title: "measured afresh: " + c.Party.Label, head: []string{"metric", "at first", "again"}}
		for i, first := range c.First {
			b.rows = append(b.rows, []string{first.Key, fmt.Sprintf("%s, %s", first.Verdict, measuredText(first)), fmt.Sprintf("%s, %s", c.Second[i].Verdict, measuredText(c.Second[i]))})
		}
		switch {
		case c.Refused != "":
			b.lines = []string{"not used: " + c.Refused}
		case len(c.First) == 0:
			b.lines = []string{"nothing had regressed: not needed"}
		}
		p.add(b)
	}
	p.add(block{title: "what differs", head: []string{"path", "baseline", "candidate", "kind", "belongs to"}, rows: changeRows(r.Changes)})
	sides := block{title: "sides", lines: []string{partyText("baseline", r.Baseline), partyText("candidate", r.Candidate)}}
	for _, g := range r.Grades {
		sides.points = append(sides.points, strings.TrimSuffix(fmt.Sprintf("%s: %s grade: %s", g.Label, g.Grade, strings.Join(g.Why, "; ")), ": "))
	}
	p.add(sides)
	p.add(block{title: "how to read it", lines: []string{
		fmt.Sprintf("Rule %s, policy %s. Regressed: worse by more than the margin, with p (corrected by Holm for %d metrics) at most %.3g.", r.Rule, r.Digest, len(r.Metrics), r.Alpha),
		fmt.Sprintf("Not worse: not worse by the margin or more, shown at that level, by launches that had a chance of %g %% to see a regression that large.", 100*r.Power),
		"Everything else is inconclusive or missing, and is no pass unless the policy says so.",
		"A guard passes what lies within its margin as measured. A void finding stops the gate, whatever was measured.",
		"Advisory: only runs of publication grade that differ in one variable gate a release.",
	}})
	return p
}

// gateVerdict is the verdict in capitals, which says first whether it counts.
func gateVerdict(r gate.Result) string {
	switch {
	case r.Advisory && r.Passed:
		return "ADVISORY, NOTHING AGAINST IT"
	case r.Advisory:
		return "ADVISORY, NOT PASSED"
	case r.Passed:
		return "PASSED"
	}
	return "FAILED"
}

func findingsBlock(title string, list []gate.Found) block {
	b := block{title: title}
	for _, f := range list {
		text := fmt.Sprintf("%s %s: %s", strings.ToUpper(string(f.Severity)), f.Name(), f.Message)
		if f.Fix != "" {
			text += "; to do: " + f.Fix
		}
		b.points = append(b.points, text)
	}
	return b
}

// guardsBlock shows every guard, and what the policy has changed about it.
func guardsBlock(list []gate.GuardDecision) block {
	b := block{title: "guards", head: []string{"guard", "verdict", "ratio or difference", "margin", "why"}}
	for _, d := range list {
		margin := marginText(d.Decision)
		switch {
		case d.Verdict == gate.Off:
			margin = "none"
		case d.Verdict == gate.Missing:
			margin = fmt.Sprintf("%g", d.Default)
		}
		b.rows = append(b.rows, []string{d.Key, string(d.Verdict), measuredText(d.Decision), margin, guardReason(d)})
	}
	return b
}

// guardReason also says what the policy has changed about the guard.
func guardReason(d gate.GuardDecision) string {
	if d.Changed == "" || d.Verdict == gate.Off {
		return d.Reason
	}
	return fmt.Sprintf("%s; the policy changes the margin of %g: %s", d.Reason, d.Default, d.Changed)
}

func gateVariable(r gate.Result) string {
	if r.Same {
		return ""
	}
	return r.Declared
}

// measuredText is the ratio of a decision, or its difference.
func measuredText(d gate.Decision) string {
	switch {
	case d.Ratio != nil:
		return fmt.Sprintf("%.3f [%.3f, %.3f]", d.Ratio.Value, d.Ratio.Interval.Lo, d.Ratio.Interval.Hi)
	case d.Difference != nil:
		return fmt.Sprintf("difference %.4g [%.4g, %.4g]", d.Difference.Value, d.Difference.Interval.Lo, d.Difference.Interval.Hi)
	}
	return "–"
}

func marginText(d gate.Decision) string {
	if d.Absolute > 0 {
		return fmt.Sprintf("%g", d.Absolute)
	}
	return fmt.Sprintf("%.3g %%", 100*d.Margin)
}
