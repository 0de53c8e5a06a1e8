package report

import (
	"fmt"
	"slices"
	"strings"

	"assay/claim"
	"assay/finding"
)

// A FindingGroup is what one check found, wherever it found it.
type FindingGroup struct {
	finding.Finding // the first of them; its message without the point where there are several
	All             []finding.Finding
	Points          []string // names of the points, where findings name them
	Where           string   // such as "at all 3 points"; empty where one finding says it itself
}

// GroupedFindings are the findings by check and severity, the worst first.
func (r Report) GroupedFindings() (list []FindingGroup) {
	for _, severity := range finding.All {
		for _, f := range r.Findings {
			if f.Severity != severity {
				continue
			}
			i := slices.IndexFunc(list, func(g FindingGroup) bool { return g.Check == f.Check && g.Severity == f.Severity })
			if i < 0 {
				list, i = append(list, FindingGroup{Finding: f}), len(list)
			}
			list[i].All = append(list[i].All, f)
			list[i].Scope = list[i].Scope.With(f.Scope)
			if name, _ := r.pointIn(f.Message); name != "" && !slices.Contains(list[i].Points, name) {
				list[i].Points = append(list[i].Points, name)
			}
		}
	}
	for i := range list {
		r.place(&list[i])
	}
	return list
}

// Touched is what the findings of the group forbid, in words: "TTFT p50", or "any claim"
// where that is the run as a whole. The points are in the message.
func (g FindingGroup) Touched() string {
	scope := g.Scope
	scope.Points = nil
	return claim.ScopeText(scope)
}

// narrow is what the group touches, before the name of its check, where that is less than
// the whole run and the finding forbids it.
func (g FindingGroup) narrow() string {
	if g.Severity != finding.Void || g.Scope.Broad() {
		return ""
	}
	return g.Touched() + ": "
}

// place says where a group was found, and takes that out of its message.
func (r Report) place(g *FindingGroup) {
	if len(g.All) < 2 {
		return
	}
	_, g.Message = r.pointIn(g.Message)
	switch n := len(r.Plan.Points); len(g.Points) {
	case 0, 1:
		g.Where = fmt.Sprintf("%d times", len(g.All))
	case n:
		g.Where = fmt.Sprintf("at all %d points", n)
	default:
		g.Where = fmt.Sprintf("at %d of %d points", len(g.Points), n)
	}
}

// pointIn is the point that a message begins with, and the rest of it.
func (r Report) pointIn(message string) (name, rest string) {
	for _, p := range r.Plan.Points {
		after, ok := strings.CutPrefix(message, p.Name)
		if ok && (strings.HasPrefix(after, ": ") || strings.HasPrefix(after, ", ")) {
			return p.Name, after[2:]
		}
	}
	return "", message
}
