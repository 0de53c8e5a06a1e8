package claim

import (
	"regexp"
	"strings"

	"assay/finding"
)

// about are the findings that concern a result: those whose scope touches it and which,
// where the scope tells no points, name its point, name none or do not write all out.
func (m maker) about(findings []finding.Finding, result finding.Result) []finding.Finding {
	var list []finding.Finding
	for _, f := range findings {
		if !f.Scope.Touches(result) {
			continue
		}
		text := strings.Join(append([]string{f.Message}, f.Evidence...), "\n")
		others := false
		for _, p := range m.Plan.Points {
			others = others || p.Name != m.point.Name && names(text, p.Name)
		}
		if !others || names(text, m.point.Name) || cutList.MatchString(text) {
			list = append(list, f)
		}
	}
	return list
}

// cutList is how a finding ends a list that it does not write out.
var cutList = regexp.MustCompile(`and [0-9]+ more`)

// names reports whether text has the name of a point as a whole: concurrency=1 is not
// in concurrency=16, and rate=2 not in rate=2.5.
func names(text, name string) bool {
	return regexp.MustCompile(regexp.QuoteMeta(name) + `($|[^0-9.]|\.($|[^0-9]))`).MatchString(text)
}
