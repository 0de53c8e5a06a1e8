package lint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"assay/stats"
)

// StatementsVersion is the version of the format of a file of statements.
const StatementsVersion = "1.0"

// A StatementFile is what a reviewer writes down for assay lint --statements:
// YAML or JSON.
type StatementFile struct {
	Version    string      `json:"version"`
	Statements []Statement `json:"statements"`
	Tuning     []Tuning    `json:"tuning,omitempty"`
	Omitted    []Omission  `json:"omitted,omitempty"`
}

// ParseStatements reads a file of statements called name. Unknown fields are
// faults, and all faults are reported at once.
func ParseStatements(name string, data []byte) (StatementFile, error) {
	var file StatementFile
	var root yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	switch err := decoder.Decode(&root); {
	case errors.Is(err, io.EOF):
		return file, fmt.Errorf("%s is empty: want version and statements", name)
	case err != nil:
		return file, fmt.Errorf("%s: %w", name, err)
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return file, fmt.Errorf("%s holds more than one document: want one", name)
	}
	r := statementReader{file: name}
	r.read(root.Content[0], reflect.ValueOf(&file).Elem(), "")
	r.words(&file)
	return file, errors.Join(r.faults...)
}

// A statementReader fills values from nodes and gathers faults; what cannot be
// read keeps its zero value.
type statementReader struct {
	file   string
	faults []error
}

func (r *statementReader) fault(line int, path, got, want string) {
	place := r.file
	if line > 0 {
		place = fmt.Sprintf("%s:%d", r.file, line)
	}
	r.faults = append(r.faults, fmt.Errorf("%s: %s: got %s, want %s", place, path, got, want))
}

var intervalType = reflect.TypeFor[stats.Interval]()

func (r *statementReader) read(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind == yaml.AliasNode {
		r.fault(n.Line, path, "an alias", "the value itself")
		return
	}
	switch {
	case v.Type() == intervalType:
		r.interval(n, v, path)
	case v.Kind() == reflect.Pointer:
		p := reflect.New(v.Type().Elem())
		r.read(n, p.Elem(), path)
		v.Set(p)
	case v.Kind() == reflect.Struct:
		r.object(n, v, path)
	case v.Kind() == reflect.Slice:
		r.list(n, v, path)
	default:
		r.scalar(n, v, path)
	}
}

func (r *statementReader) object(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.MappingNode {
		r.fault(n.Line, orFile(path), shape(n), "a mapping")
		return
	}
	fields := map[string]int{}
	var names []string
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		fields[name], names = i, append(names, name)
	}
	var seen []string
	for i := 0; i < len(n.Content); i += 2 {
		key, at := n.Content[i].Value, join(path, n.Content[i].Value)
		field, known := fields[key]
		switch {
		case !known:
			r.fault(n.Content[i].Line, at, "an unknown field", "one of "+strings.Join(names, ", "))
		case slices.Contains(seen, key):
			r.fault(n.Content[i].Line, at, "the field a second time", "it once")
		default:
			r.read(n.Content[i+1], v.Field(field), at)
		}
		seen = append(seen, key)
	}
	for name, i := range fields {
		if !strings.Contains(v.Type().Field(i).Tag.Get("json"), ",omitempty") && !slices.Contains(seen, name) {
			r.fault(n.Line, join(path, name), "nothing", "a value")
		}
	}
}

func (r *statementReader) list(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.SequenceNode {
		r.fault(n.Line, path, shape(n), "a list")
		return
	}
	items := reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content))
	for i, item := range n.Content {
		r.read(item, items.Index(i), fmt.Sprintf("%s[%d]", path, i))
	}
	v.Set(items)
}

func (r *statementReader) scalar(n *yaml.Node, v reflect.Value, path string) {
	want := map[reflect.Kind]string{
		reflect.String: "text", reflect.Bool: "true or false", reflect.Int: "a whole number", reflect.Float64: "a number",
	}[v.Kind()]
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		r.fault(n.Line, path, shape(n), want)
		return
	}
	if v.Kind() == reflect.String { // a version or a seed may look like a number
		v.SetString(n.Value)
		return
	}
	if err := n.Decode(v.Addr().Interface()); err != nil {
		r.fault(n.Line, path, shape(n), want)
	}
}

// interval reads [lo, hi], with null for an end that is not bounded.
func (r *statementReader) interval(n *yaml.Node, v reflect.Value, path string) {
	var ends []any
	if err := n.Decode(&ends); err != nil || len(ends) != 2 {
		r.fault(n.Line, path, shape(n), "two numbers, or null for an end that is not bounded")
		return
	}
	text, err := json.Marshal(ends)
	if err == nil {
		err = json.Unmarshal(text, v.Addr().Interface())
	}
	if i, _ := v.Interface().(stats.Interval); err != nil || i.Lo > i.Hi {
		r.fault(n.Line, path, string(text), "two numbers, the smaller first")
	}
}

// words checks what reading cannot.
func (r *statementReader) words(file *StatementFile) {
	if major, _, _ := strings.Cut(file.Version, "."); file.Version != "" && major != "1" {
		r.fault(0, "version", file.Version, StatementsVersion)
	}
	one := func(path, got string, words ...string) {
		if got != "" && !slices.Contains(words, got) {
			r.fault(0, path, got, "one of "+strings.Join(words, ", "))
		}
	}
	for i, s := range file.Statements {
		path := fmt.Sprintf("statements[%d].", i)
		one(path+"aggregation", string(s.Aggregation), texts(Aggregations)...)
		if s.Scaling != nil {
			one(path+"scaling.kind", s.Scaling.Kind, "strong", "weak")
			for j, p := range s.Scaling.Points {
				if p.Workers < 1 {
					r.fault(0, fmt.Sprintf("%sscaling.points[%d].workers", path, j), fmt.Sprint(p.Workers), "at least 1")
				}
			}
		}
		if s.Base != nil {
			one(path+"base.kind", s.Base.Kind, BaseOneProcess, BaseBestSerial, BaseOther)
		}
		if s.Chart != nil {
			one(path+"chart.x", s.Chart.X, AxisOrdered, AxisCategories)
		}
	}
	for i, t := range file.Tuning {
		one(fmt.Sprintf("tuning[%d].better", i), t.Better, "lower", "higher")
	}
}

func texts[T ~string](words []T) []string {
	var list []string
	for _, w := range words {
		list = append(list, string(w))
	}
	return list
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func orFile(path string) string {
	if path == "" {
		return "the document"
	}
	return path
}

func shape(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	if n.Tag == "!!null" {
		return "nothing"
	}
	return fmt.Sprintf("%.40q", n.Value)
}
