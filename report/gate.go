package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"assay/analysis/gate"
	"assay/stats"
)

// GateText writes what a gate says for a terminal.
func GateText(w io.Writer, r gate.Result) error { return GateOutline(r).text(w) }

// GateMarkdown writes what a gate says for a pull request.
func GateMarkdown(w io.Writer, r gate.Result) error { return GateOutline(r).markdown(w) }

// GateOutline lays a verdict out, whatever the face.
func GateOutline(r gate.Result) Outline {
	var p Outline
	p.add(Block{Lines: []string{
		strings.TrimSuffix(fmt.Sprintf("gate %s: %s: %s", r.Policy, GateVerdict(r), strings.Join(r.AdvisoryReasons, "; ")), ": "),
		fmt.Sprintf("%s beside %s: %s", r.Candidate.Label, r.Baseline.Label, standing(r.Controlled, r.Declared, gateVariable(r), r.Others)),
	}})
	why := Block{Title: "why not"}
	for _, reason := range r.Reasons {
		why.Points = append(why.Points, reason.String())
	}
	p.add(why)
	p.add(findingsBlock("findings", r.Findings))
	metrics := Block{Title: "metrics", Head: []string{"metric", "verdict", "ratio or difference", "margin", "p", "could see", "why"}}
	for _, d := range r.Metrics {
		corrected := "–"
		if d.Corrected != nil {
			corrected = pValue(*d.Corrected)
		}
		metrics.Rows = append(metrics.Rows, []string{d.Key, string(d.Verdict), measuredText(d), marginText(d), corrected, percentText(d.Detectable), d.Reason})
	}
	tail := func(d gate.Decision) bool { return strings.Contains(d.Key, " p99") }
	if text := BesideTails(min(r.Baseline.Launches, r.Candidate.Launches), 1-r.Alpha); text != "" && slices.ContainsFunc(r.Metrics, tail) {
		metrics.Lines = []string{text}
	}
	p.add(metrics)
	p.add(earlierBlock(r.Metrics))
	p.add(guardsBlock(r.Guards))
	p.add(Block{Title: "not guarded", Points: r.NotGuarded})
	accuracy := Block{Title: "accuracy", Head: []string{"metric", "verdict", "difference", "tolerance", "why"}}
	for _, d := range r.Accuracy {
		accuracy.Rows = append(accuracy.Rows, []string{d.Metric, string(d.Verdict), deltaText(d.Delta), fmt.Sprintf("%g", d.Tolerance), d.Reason})
	}
	p.add(accuracy)
	if c := r.Confirmation; c != nil {
		b := Block{Title: "measured afresh: " + c.Party.Label, Head: []string{"metric", "at first", "again"}}
		for i, first := range c.First {
			b.Rows = append(b.Rows, []string{first.Key, fmt.Sprintf("%s, %s", first.Verdict, measuredText(first)), fmt.Sprintf("%s, %s", c.Second[i].Verdict, measuredText(c.Second[i]))})
		}
		switch {
		case c.Refused != "":
			b.Lines = []string{"not used: " + c.Refused}
		case len(c.First) == 0:
			b.Lines = []string{"nothing had regressed: not needed"}
		}
		p.add(b)
	}
	p.add(Block{Title: "what differs", Head: []string{"path", "baseline", "candidate", "kind", "belongs to"}, Rows: changeRows(r.Changes)})
	sides := Block{Title: "sides", Lines: []string{partyText("baseline", r.Baseline), partyText("candidate", r.Candidate)}}
	for _, g := range r.Grades {
		sides.Points = append(sides.Points, strings.TrimSuffix(fmt.Sprintf("%s: %s grade: %s", g.Label, g.Grade, strings.Join(g.Why, "; ")), ": "))
	}
	p.add(sides)
	p.add(Block{Title: "how to read it", Lines: []string{
		fmt.Sprintf("Rule %s, policy %s. Regressed: worse by more than the margin, with p (corrected by Holm for %d metrics) at most %.3g.", r.Rule, r.Digest, len(r.Metrics), r.Alpha),
		fmt.Sprintf("Not worse: not worse by the margin or more, shown at that level, by launches that had a chance of %g %% to see a regression that large.", 100*r.Power),
		"Everything else is inconclusive or missing, and is no pass unless the policy says so.",
		"A guard passes what lies within its margin as measured. A void finding stops the gate, whatever was measured.",
		"Advisory: only runs of publication grade that differ in one variable gate a release.",
	}})
	return p
}

// earlierBlock says what earlier runs taught about the spread of each metric.
func earlierBlock(list []gate.Decision) Block {
	b := Block{Title: "learnt from earlier runs"}
	for _, d := range list {
		if d.Past != nil {
			b.Points = append(b.Points, d.Key+": "+EarlierText(*d.Past))
		}
	}
	return b
}

// EarlierText is what earlier runs teach about a spread.
func EarlierText(p stats.Past) string {
	text := fmt.Sprintf("%d runs of %d launches spread by %.2g %% from launch to launch", p.Runs, p.Launches, 100*p.Launch.SD)
	if p.PerRun > 0 {
		text += fmt.Sprintf(" and by %.2g %% more from run to run", 100*p.RunSD())
	}
	return text
}

// GateVerdict is the verdict in capitals, which says first whether it counts.
func GateVerdict(r gate.Result) string {
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

func findingsBlock(title string, list []gate.Found) Block {
	b := Block{Title: title}
	for _, f := range list {
		text := fmt.Sprintf("%s %s: %s", strings.ToUpper(string(f.Severity)), f.Name(), f.Message)
		if f.Fix != "" {
			text += "; to do: " + f.Fix
		}
		b.Points = append(b.Points, text)
	}
	return b
}

// guardsBlock shows every guard, and what the policy has changed about it.
func guardsBlock(list []gate.GuardDecision) Block {
	b := Block{Title: "guards", Head: []string{"guard", "verdict", "ratio or difference", "margin", "why"}}
	for _, d := range list {
		margin := marginText(d.Decision)
		switch {
		case d.Verdict == gate.Off:
			margin = "none"
		case d.Verdict == gate.Missing:
			margin = fmt.Sprintf("%g", d.Default)
		}
		b.Rows = append(b.Rows, []string{d.Key, string(d.Verdict), measuredText(d.Decision), margin, guardReason(d)})
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

// deltaText says a difference in quality with what is known about how it was made.
func deltaText(d *gate.Delta) string {
	if d == nil {
		return "–"
	}
	text := fmt.Sprintf("%.4g [%.4g, %.4g] at %g %%", d.Value, d.Interval.Lo, d.Interval.Hi, 100*d.Confidence)
	if d.N > 0 {
		text += fmt.Sprintf(", n %d", d.N)
	}
	if d.Source != "" {
		text += ", " + d.Source
	}
	return text
}
