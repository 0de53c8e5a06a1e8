package report

import (
	"maps"
	"slices"
	"strings"

	"assay/spec"
)

// declared lists the labels of a run and says that nothing checked them; nothing
// without any.
func declared(labels map[string]string) string {
	if len(labels) == 0 {
		return ""
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		list = append(list, name+" "+labels[name])
	}
	return strings.Join(list, ", ") + " (declared, not measured)"
}

// SystemLines say where a launcher has put the run, and what is declared about the
// systems behind the targets, one line for each side that declares something.
func (r Report) SystemLines() (list [][2]string) {
	if text := r.placed(); text != "" {
		list = append(list, [2]string{"started", text})
	}
	for _, side := range r.Plan.Sides() {
		if side.Target == nil {
			continue
		}
		if text := side.Target.System.String(); text != "" {
			name := "system"
			if side.Name != "" {
				name += " of " + side.Name
			}
			list = append(list, [2]string{name, text + " (declared, not measured)"})
		}
	}
	return list
}

// UnactedText names what the document states and the run only recorded; nothing for
// nothing.
func UnactedText(u spec.Unacted) string {
	if len(u.Recorded) == 0 {
		return ""
	}
	return "recorded only: " + strings.Join(u.Recorded, ", ")
}
