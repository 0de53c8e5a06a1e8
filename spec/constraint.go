package spec

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// text checks the words and the form of a string.
func (d *decoder) text(n *node, m member, path string) {
	switch {
	case m.enum != nil && !slices.Contains(m.enum, n.text) && (m.or == nil || !m.or.MatchString(n.text)):
		d.note(m.ruleOr(ruleWords), path, n.line, n.column, n.got(), nearestWord(n.text, m.enum)+m.orForm())
	case m.pattern != nil && !m.pattern.MatchString(n.text):
		d.note(ruleForm, path, n.line, n.column, n.got(), m.form)
	case (m.required || m.def != "") && strings.TrimSpace(n.text) == "":
		d.note(ruleRequired, path, n.line, n.column, n.got(), "a non-empty string")
	case strings.ContainsFunc(n.text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }):
		d.note(ruleForm, path, n.line, n.column, n.got(), "text without control characters")
	}
}

// bounds checks value against the bounds of m. parse reads the bounds in the
// value's own unit.
func (d *decoder) bounds(n *node, m member, path string, value float64, parse func(string) (float64, error)) {
	for _, b := range m.bounds() {
		limit, err := parse(b.text)
		if err != nil {
			panic("spec: tag " + b.text + ": " + err.Error()) // a bug in our own table; TestTypes finds it
		}
		if !b.holds(value, limit) {
			d.note(m.ruleOr(ruleBounds), path, n.line, n.column, shorten(n.text), b.words+" "+b.text)
		}
	}
}

// A bound is one limit of a member.
type bound struct {
	text  string
	words string
	holds func(value, limit float64) bool
}

// bounds lists the limits of m that are set.
func (m member) bounds() []bound {
	all := []bound{
		{m.min, "at least", func(v, l float64) bool { return v >= l }},
		{m.max, "at most", func(v, l float64) bool { return v <= l }},
		{m.above, "more than", func(v, l float64) bool { return v > l }},
		{m.below, "less than", func(v, l float64) bool { return v < l }},
	}
	return slices.DeleteFunc(all, func(b bound) bool { return b.text == "" })
}

// orForm says what is accepted beside the words of m.
func (m member) orForm() string {
	if m.or == nil {
		return ""
	}
	return ", or " + m.form
}

// describe says what a member holds, for a fault.
func describe(m member) string {
	if m.enum != nil {
		return "one of " + strings.Join(m.enum, ", ")
	}
	return typeWords(m.typ)
}

func typeWords(t reflect.Type) string {
	switch t {
	case durationType:
		return "a duration such as 30s"
	case bytesType:
		return "a size such as 64KiB"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typeWords(t.Elem())
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Float64:
		return "a number"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Slice:
		return "a list"
	default:
		return "a mapping"
	}
}

// suggestion says which field an unknown one may have meant.
func suggestion(name string, members []member) string {
	var names []string
	for _, m := range members {
		names = append(names, m.name)
	}
	if near := nearest(name, names); near != "" {
		return "a known field; did you mean " + near + "?"
	}
	return "one of " + strings.Join(names, ", ")
}

func nearestWord(got string, words []string) string {
	want := "one of " + strings.Join(words, ", ")
	if near := nearest(got, words); near != "" {
		want += fmt.Sprintf(" (did you mean %s?)", near)
	}
	return want
}

// nearest is the candidate that takes the fewest edits to reach from text, or
// "" where even that one is a different word.
func nearest(text string, candidates []string) string {
	best, bestDistance := "", max(1, len(text)/3)+1
	if len(text) > 100 {
		return "" // no field name is that long; comparing would only cost
	}
	for _, c := range candidates {
		if d := editDistance(strings.ToLower(text), strings.ToLower(c)); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// editDistance counts the insertions, deletions, replacements and swaps of
// neighbours that turn a into b, in bytes (optimal string alignment).
func editDistance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
