package report

import (
	"maps"
	"slices"
	"strings"
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
