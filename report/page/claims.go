package page

import (
	"fmt"
	"slices"
	"strings"

	"assay/claim"
	"assay/finding"
	"assay/report"
	"assay/spec"
)

// mostQuoted are shown before the rest is folded.
const mostQuoted = 3

// claimPart is a sentence, with what it holds under folded below it.
func claimPart(one claim.Claim) part {
	said := part{Class: "claim", Lines: []string{one.Sentence}}
	under := part{Fold: "Conditions"}
	for _, condition := range one.Conditions {
		under.Pairs = append(under.Pairs, [2]string{condition.Name, condition.Value})
	}
	if len(one.Cautions) > 0 {
		under.Pairs = append(under.Pairs, [2]string{"cautions to carry", strings.Join(one.Cautions, ", ")})
	}
	said.add(under)
	return said
}

// claims are the sentences that may be quoted, with what they hold under.
func (x exhibit) claims() part {
	p := part{ID: "claims", Title: "Quotable results"}
	c := x.Claims
	if c == nil {
		p.Lines = []string{"No claims were made of this run: assay claim says what may be quoted."}
		return p
	}
	grade := fmt.Sprintf("Grade: %s.", c.Grade)
	if len(c.Downgrades) > 0 {
		grade += " Not " + c.Asked + ", as was asked for, because: " + strings.Join(c.Downgrades, "; ") + "."
	}
	p.Lines = []string{grade, "Division: " + c.Division.Reasoned() + "."}
	if len(c.Claims) == 0 {
		p.Lines = append(p.Lines, report.NothingQuotable(*c))
	}
	if text := x.HeadlineRefused(); text != "" {
		p.Lines = append(p.Lines, strings.ToUpper(text[:1])+text[1:]+".")
	}
	first, more := report.OnePerPoint(c.Claims, mostQuoted)
	for _, one := range first {
		p.add(claimPart(one))
	}
	rest := part{Fold: fmt.Sprintf("%d more", len(more))}
	for _, one := range more {
		rest.add(claimPart(one))
	}
	p.add(rest)
	refused := part{Fold: fmt.Sprintf("Refused: %d", len(c.Refused)), Head: []string{"what", "why", "to do"}}
	for _, one := range c.Refused {
		refused.Rows = append(refused.Rows, []string{one.What, one.Reason, report.Dash(one.ToDo)})
	}
	answered := 0
	checklist := part{Head: []string{"question", "", "answer, or what is missing"}}
	for _, one := range c.Checklist {
		word := "open"
		if one.Answered {
			answered++
			word = "answered"
		}
		checklist.Rows = append(checklist.Rows, []string{one.Question, word, one.Answer})
	}
	checklist.Fold = fmt.Sprintf("Review checklist: %d of %d answered", answered, len(c.Checklist))
	p.add(refused, checklist)
	return p
}

// severityWords say what a severity means; colour alone would not.
var severityWords = map[finding.Severity]string{
	finding.Void: "VOID, forbids", finding.Caution: "CAUTION, goes with the claims it touches", finding.Note: "NOTE",
}

// severityTitle says what a finding does, and to what.
func severityTitle(g report.FindingGroup) string {
	if g.Severity != finding.Void {
		return severityWords[g.Severity]
	}
	return severityWords[g.Severity] + " " + g.Touched()
}

// findings are what needs eyes, the worst first.
func (x exhibit) findings() part {
	p := part{ID: "findings", Title: "Findings"}
	if len(x.Findings) == 0 {
		p.Lines = []string{"None: no check found anything. Which checks ran is in checks.json of the bundle."}
	}
	notes := part{Class: "notes"}
	for _, g := range x.GroupedFindings() {
		if one := groupPart(g); g.Severity == finding.Note {
			notes.add(one)
		} else {
			p.add(one)
		}
	}
	notes.Fold = fmt.Sprintf("Notes: %d", len(notes.Parts))
	p.add(notes)
	var weak part
	weak.Title = "Warnings of reading"
	for _, l := range x.Estimates.LeftOut {
		weak.Points = append(weak.Points, fmt.Sprintf("launch %d is left out of every estimate: %s", l.Launch+1, l.Reason))
	}
	weak.Points = append(weak.Points, x.Warnings...)
	p.add(weak)
	return p
}

func findingPart(g report.FindingGroup) part {
	f := g.Finding
	one := part{Class: "finding " + string(f.Severity), Title: severityTitle(g) + ": " + f.Check, Lines: []string{f.Message}}
	if f.Why != "" {
		one.Pairs = append(one.Pairs, [2]string{"why it matters", f.Why})
	}
	if f.Fix != "" {
		one.Pairs = append(one.Pairs, [2]string{"to do", f.Fix})
	}
	one.add(part{Fold: fmt.Sprintf("Evidence: %d", len(f.Evidence)), Points: f.Evidence})
	return one
}

// question is what was asked, in short and in full.
func (x exhibit) question() part {
	p := part{ID: "question", Title: "What was asked"}
	s := x.Plan.Decided()
	add := func(name, text string) { p.Pairs = append(p.Pairs, [2]string{name, text}) }
	add("class", s.Intent.BenchmarkClass+report.DeclaredOnly(s.Intent.BenchmarkClass))
	if s.Target != nil {
		for _, side := range s.Sides() {
			add(report.SideHead(side.Name), fmt.Sprintf("%s %s, model %s%s", side.Target.API, report.TargetURL(side.Target)+report.ConnectedBy(side.Target), side.Target.Model, x.StartedBy(side.Target)))
		}
	}
	if text := report.UnactedText(x.Unacted); text != "" {
		add("not acted on", text)
	}
	for _, one := range append(x.SystemLines(), x.RankQuestion()...) {
		add(one[0], one[1])
	}
	if x.Serves() {
		x.addAsked(add)
	}
	add("points", x.pointsText())
	if x.Serves() {
		add("objectives", objectivesText(s.SLO))
		add("tokenizer", report.TokenizerText(s.Workload.Tokenizer))
	}
	add("workload", x.Plan.WorkloadDigest)
	add("intervals", x.IntervalLine())
	if text := x.OutlierLine(); text != "" {
		add("outliers", text)
	}
	if text, err := spec.WriteYAML(x.Plan.Run); err == nil {
		p.add(part{Fold: "The whole spec, every default filled", Pre: string(text)})
	}
	return p
}

// addAsked says what the target was asked.
func (x exhibit) addAsked(add func(name, text string)) {
	s := x.Plan.Decided()
	add("load", x.LoadLine())
	if s.Workload.Session != nil {
		add("sessions", report.SessionText(s.Workload.Session))
	}
	for _, replay := range x.Replays {
		add("trace", report.ReplayText(replay, s.Workload.Session != nil))
	}
	if scenarios := x.scenarios(); len(scenarios) > 0 {
		add("scenarios", strings.Join(scenarios, ", "))
	} else if s.Load == nil || s.Load.TraceRef == "" {
		for _, text := range x.LengthLines() {
			add("lengths", text)
		}
	}
}

// scenarios are the shapes of a sweep over shapes.
func (x exhibit) scenarios() []string {
	var list []string
	for _, point := range x.Plan.Points {
		if point.Scenario != "" && !slices.Contains(list, point.Scenario) {
			list = append(list, point.Scenario)
		}
	}
	return list
}

func (x exhibit) pointsText() string {
	const few = 12
	var names []string
	for _, point := range x.Plan.Points {
		names = append(names, point.Name)
	}
	if len(names) > few {
		return fmt.Sprintf("%d: %s … %s", len(names), strings.Join(names[:few-1], ", "), names[len(names)-1])
	}
	return strings.Join(names, ", ")
}

func objectivesText(list []spec.Objective) string {
	var parts []string
	for _, o := range list {
		parts = append(parts, objectiveText(o))
	}
	if len(parts) == 0 {
		return "none declared (spec.slo): there is no goodput and no line to stay below"
	}
	return strings.Join(parts, "; ")
}

// objectiveText is an objective as a person says it: p99 of ttft at most 300ms.
func objectiveText(o spec.Objective) string {
	switch {
	case o.Max > 0:
		return fmt.Sprintf("p%g of %s at most %v", o.Percentile, o.Metric, o.Max)
	case o.MaxRatio > 0:
		return fmt.Sprintf("%s at most %g", o.Metric, o.MaxRatio)
	}
	return fmt.Sprintf("%s at least %g", o.Metric, o.Min)
}
