package claim

import (
	"regexp"
	"strings"

	"assay/finding"
)

// about are the findings that concern the point of a claim: those that name it, and
// those that name no point or do not write all of them out.
func (m maker) about(findings []finding.Finding) []finding.Finding {
	var list []finding.Finding
	for _, f := range findings {
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
