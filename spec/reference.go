package spec

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
)

// Reference is the page about a kind, as Markdown: every field, then every
// rule.
func Reference(kind string) ([]byte, error) {
	root, ok := roots[kind]
	if !ok {
		return nil, fmt.Errorf("got kind %q, want one of %s", kind, kindNames())
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<!-- Generated from package spec; run make generate. -->\n\n# %s\n\n%s\n\n", kind, docComments()[root.Name()])
	b.WriteString("A field marked **required** has no default. Durations carry their unit (`250ms`, `30s`, `10m`, `2h`, `1d`), " +
		"so do sizes (`64KiB`, `25MB`). The column *use* is empty where assay acts on the field; " +
		"otherwise it says what becomes of its value. Unknown and duplicate fields are errors; `assay validate` reports all of them at once.\n\n")
	writeTable(&b, root, "", "")
	writeSections(&b, root, "", "")
	writeRules(&b, kind)
	return []byte(b.String()), nil
}

// writeSections writes one section per struct, in the order of reading.
func writeSections(b io.Writer, t reflect.Type, path string, use Use) {
	for _, m := range membersOf(t) {
		inner := structOf(m.typ)
		if inner == nil {
			continue
		}
		childPath := joinPath(path, m.name)
		if m.typ.Kind() == reflect.Slice {
			childPath += "[]"
		}
		fmt.Fprintf(b, "## %s\n\n%s\n\n", childPath, docComments()[inner.Name()])
		writeTable(b, inner, childPath, m.useIn(use))
		writeSections(b, inner, childPath, m.useIn(use))
	}
}

func writeTable(b io.Writer, t reflect.Type, path string, use Use) {
	fmt.Fprintf(b, "| field | type | default | use | meaning |\n| --- | --- | --- | --- | --- |\n")
	for _, m := range membersOf(t) {
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", m.name, typeCell(m), defaultCell(m), useWords[m.useIn(use)], meaningCell(m, t, path))
	}
	fmt.Fprintln(b)
}

func typeCell(m member) string {
	words := map[reflect.Type]string{durationType: "duration", bytesType: "size", secretType: "value", freeType: "free mapping"}
	var name func(t reflect.Type) string
	name = func(t reflect.Type) string {
		if word, ok := words[t]; ok {
			return word
		}
		switch t.Kind() {
		case reflect.Pointer:
			return name(t.Elem())
		case reflect.Slice:
			return "list of " + name(t.Elem())
		case reflect.Map:
			return "mapping of " + name(t.Elem())
		case reflect.Struct:
			return "mapping"
		case reflect.Int, reflect.Int64:
			return "integer"
		case reflect.Float64:
			return "number"
		case reflect.Bool:
			return "boolean"
		default:
			return "string"
		}
	}
	return name(m.typ)
}

func defaultCell(m member) string {
	switch {
	case m.required:
		return "**required**"
	case m.def != "":
		return "`" + m.def + "`"
	default:
		return ""
	}
}

func meaningCell(m member, t reflect.Type, path string) string {
	meaning := docComments()[t.Name()+"."+m.goName]
	if m.enum != nil {
		meaning += " One of `" + strings.Join(m.enum, "`, `") + "`" + m.orForm() + "."
	}
	var bounds []string
	for _, b := range m.bounds() {
		bounds = append(bounds, b.words+" "+b.text)
	}
	if len(bounds) > 0 {
		meaning += " Must be " + strings.Join(bounds, " and ") + "."
	}
	if m.example != "" {
		meaning += " Example: `" + m.example + "`."
	}
	if structOf(m.typ) != nil {
		meaning += fmt.Sprintf(" See [%s](#%s).", joinPath(path, m.name), anchor(joinPath(path, m.name)))
	}
	return strings.ReplaceAll(meaning, "|", `\|`)
}

// anchor is the heading's anchor on the page: letters and digits only.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		if r == '.' || r == '[' || r == ']' {
			return -1
		}
		return r
	}, strings.ToLower(heading))
}

func writeRules(b io.Writer, kind string) {
	own := slices.Concat(contractRules, additionalRules)
	if kind != KindBenchmarkRun {
		reading := []string{"A1", ruleUnknown, ruleDuplicate, ruleWords, ruleTypes, ruleReadable, ruleRequired, ruleBounds, ruleUnits, ruleForm}
		own = slices.DeleteFunc(slices.Clone(additionalRules), func(r Rule) bool { return !slices.Contains(reading, r.ID) })
		own = append(own, map[string][]Rule{KindWorkloadSpec: workloadSpecRules, KindGatePolicy: gatePolicyRules, KindBenchmarkSchedule: scheduleRules}[kind]...)
	}
	fmt.Fprintf(b, "## Rules\n\n| rule | where | what |\n| --- | --- | --- |\n")
	for _, r := range own {
		fmt.Fprintf(b, "| %s | `%s` | %s |\n", r.ID, r.Path, r.Doc)
	}
}

func firstSentence(doc string) string {
	first, _, more := strings.Cut(doc, ". ")
	if more {
		first += "."
	}
	return first
}
