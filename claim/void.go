package claim

import (
	"fmt"
	"slices"
	"strings"

	"assay/bundle"
	"assay/finding"
	"assay/metric"
	"assay/plan"
)

// What is refused where a finding voids a run as a whole, or one of its subjects.
const (
	anyClaim = "any claim"
	anySpeed = "any speed"
	anyScore = "any score"
)

// OfRow names an estimate as findings do.
func OfRow(row metric.Row, p plan.Plan) finding.Result {
	r := finding.Result{Subject: finding.Speed, Metric: row.Metric, Statistic: row.Statistic, Side: row.Side}
	if point, ok := p.PointByIndex(row.Point); ok {
		r.Point = point.Name
	}
	return r
}

// Forbidden is why nothing at all may be said, whatever is asked; empty where something
// might.
func (c Claims) Forbidden() []Refusal { return c.broad(anyClaim) }

// ForbiddenSpeed is why no time and no rate may be said.
func (c Claims) ForbiddenSpeed() []Refusal { return append(c.Forbidden(), c.broad(anySpeed)...) }

func (c Claims) broad(what string) (list []Refusal) {
	for _, r := range c.Refused {
		if r.Void && r.What == what {
			list = append(list, r)
		}
	}
	return list
}

// Against is why a result may not be said, as far as findings and the state of the run
// forbid it. Every face that shows a result asks here.
func (c Claims) Against(result finding.Result) (list []Refusal) {
	for _, r := range c.Refused {
		if r.Void && r.Scope.Touches(result) {
			list = append(list, r)
		}
	}
	return list
}

// Reasons are those of Against.
func (c Claims) Reasons(result finding.Result) (why []string) {
	for _, r := range c.Against(result) {
		why = append(why, r.Reason)
	}
	return why
}

// voided lists what the findings and the state of the run forbid, the broadest first.
func voided(e Evidence) []Refusal {
	var list []Refusal
	add := func(scope finding.Scope, reason, todo string) {
		list = append(list, Refusal{What: ScopeText(scope), Reason: reason, ToDo: todo, Void: true, Scope: scope})
	}
	for _, f := range e.Audit.Findings {
		scope := f.Scope
		if scope.Broad() && scope.Subject == finding.Speed && e.Accuracy == nil {
			scope = finding.Scope{} // speed is all there is
		}
		if f.Severity == finding.Void {
			add(scope, fmt.Sprintf("%s: %s", f.Check, f.Message), f.Fix)
		}
	}
	if e.Status != bundle.Completed {
		add(finding.Scope{}, fmt.Sprintf("the run is %s: not every planned launch was made", e.Status), "run it to its end")
	}
	if n := len(e.Estimates.Launches); n == 0 {
		add(finding.Scope{}, "no launch was completed", "see the reasons in the ledger: launches.jsonl")
	}
	rank := func(r Refusal) int {
		if r.Scope.Broad() {
			return len(r.Scope.Subject)
		}
		return 1 << 8
	}
	slices.SortStableFunc(list, func(a, b Refusal) int { return rank(a) - rank(b) })
	return list
}

// ScopeText is what a scope touches, in words: "p50 TTFT at concurrency=8".
func ScopeText(s finding.Scope) string {
	text := map[finding.Subject]string{"": anyClaim, finding.Speed: anySpeed, finding.Accuracy: anyScore}[s.Subject]
	if len(s.Except) > 0 {
		text += " but " + few(namesOf(s.Except))
	}
	if names := namesOf(s.Metrics); len(names) > 0 {
		text = few(names)
		if len(s.Statistics) > 0 {
			text = strings.Join(s.Statistics, ", ") + " " + text
		}
	}
	if len(s.Statistics) > 0 && len(s.Metrics) == 0 {
		text = strings.Join(s.Statistics, ", ") + " of " + text
	}
	if s.Task != "" {
		text = "score of " + s.Task
	}
	if len(s.Points) > 0 {
		text += " at " + few(s.Points)
	}
	if s.Side != "" {
		text += " of " + s.Side
	}
	return text
}

// namesOf are the names of metrics by their ids.
func namesOf(ids []string) (names []string) {
	for _, id := range ids {
		name := id
		if m, ok := metric.ByID(id); ok {
			name = m.Name
		}
		names = append(names, name)
	}
	return names
}

// few shows the first of a list; who needs the others reads the scope.
func few(names []string) string {
	const most = 3
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}
