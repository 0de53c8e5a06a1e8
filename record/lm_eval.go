package record

import (
	"fmt"
	"slices"
)

// filterFunctions are the functions of lm-eval's filters that are known.
var filterFunctions = []string{"regex", "take_first", "remove_whitespace", "lowercase", "uppercase"}

// defaultFilterPattern and defaultFallback are what lm-eval takes where a task does not say.
const (
	defaultFilterPattern = `#### (\-?[0-9\.\,]+)`
	defaultFallback      = "[invalid]"
)

// ReadFilter reads a filter as a task or a results file of lm-eval describes it: the fields
// of each of its steps.
func ReadFilter(name string, steps []map[string]any) (Filter, error) {
	filter := Filter{Name: name}
	for _, step := range steps {
		function, _ := step["function"].(string)
		if !slices.Contains(filterFunctions, function) {
			return filter, fmt.Errorf("filter %q is not supported: want regex, take_first, remove_whitespace, lowercase or uppercase", function)
		}
		s := FilterStep{Function: function, Fallback: defaultFallback}
		if s.Pattern, _ = step["regex_pattern"].(string); function == "regex" && s.Pattern == "" {
			s.Pattern = defaultFilterPattern
		}
		switch n := step["group_select"].(type) {
		case int:
			s.Select = n
		case float64: // of JSON
			s.Select = int(n)
		}
		if text, ok := step["fallback"].(string); ok {
			s.Fallback = text
		}
		filter.Steps = append(filter.Steps, s)
	}
	return filter, nil
}
