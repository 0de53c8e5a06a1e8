package spec

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"assay/unit"
)

// A decoder fills Go values from nodes and notes every fault on the way. It
// never stops early: a field that cannot be read keeps its zero value.
type decoder struct {
	faults []Fault
}

// note adds a fault at a place: of a value, or of the key it is about.
func (d *decoder) note(rule, path string, line, column int, got, want string) {
	d.faults = append(d.faults, Fault{
		Line: line, Column: column, Path: path, Got: got, Want: want,
		Rule: rule, Message: "want " + want, Severity: SeverityError,
	})
}

func (d *decoder) wrongType(n *node, m member, path, want string) {
	d.note(m.ruleOr(ruleTypes), path, n.line, n.column, n.got(), want)
}

// value fills v from n. m holds the tags that guard it: a list hands its own to
// each item.
func (d *decoder) value(n *node, v reflect.Value, m member, path string) {
	switch v.Type() {
	case durationType, bytesType:
		d.quantity(n, v, m, path)
		return
	case secretType:
		d.secret(n, v, path)
		return
	case freeType:
		d.free(n, v, m, path)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		p := reflect.New(v.Type().Elem())
		d.value(n, p.Elem(), m, path)
		v.Set(p)
	case reflect.Struct:
		d.object(n, v, m, path)
	case reflect.Slice:
		d.list(n, v, m, path)
	case reflect.Map:
		d.table(n, v, m, path)
	default:
		d.scalar(n, v, m, path)
	}
}

func (d *decoder) object(n *node, v reflect.Value, m member, path string) {
	if n.shape != mappingShape {
		d.wrongType(n, m, path, "a mapping")
		return
	}
	members := membersOf(v.Type())
	d.keys(n, members, path)
	for _, m := range members {
		value := n.field(m.name)
		if value != nil {
			d.value(value, v.Field(m.index), m, memberPath(path, m.name))
			continue
		}
		if m.required {
			d.note(ruleRequired, memberPath(path, m.name), n.line, n.column, "nothing", describe(m))
		}
	}
}

// keys reports unknown and duplicate keys.
func (d *decoder) keys(n *node, members []member, path string) {
	seen := map[string]int{}
	for _, f := range n.fields {
		if first := seen[f.name]; first > 0 {
			d.note(ruleDuplicate, joinPath(path, f.name), f.line, f.column,
				"the key a second time", fmt.Sprintf("each key once (first on line %d)", first))
			continue
		}
		seen[f.name] = f.line
		if n := memberNamed(members, f.name); n < 0 && members != nil {
			d.note(ruleUnknown, joinPath(path, f.name), f.line, f.column,
				"the unknown field "+quote(f.name), suggestion(f.name, members))
		}
	}
}

func memberNamed(members []member, name string) int {
	for i, m := range members {
		if m.name == name {
			return i
		}
	}
	return -1
}

func (d *decoder) list(n *node, v reflect.Value, m member, path string) {
	if n.shape != listShape {
		d.wrongType(n, m, path, "a list")
		return
	}
	if len(n.items) < m.items {
		d.note(ruleBounds, path, n.line, n.column, n.got(), fmt.Sprintf("at least %d", m.items))
	}
	items := reflect.MakeSlice(v.Type(), len(n.items), len(n.items))
	for i, item := range n.items {
		d.value(item, items.Index(i), m, itemPath(path, i))
	}
	v.Set(items)
}

// table reads a mapping with free keys, such as labels.
func (d *decoder) table(n *node, v reflect.Value, m member, path string) {
	if n.shape != mappingShape {
		d.wrongType(n, m, path, "a mapping")
		return
	}
	d.keys(n, nil, path)
	entries := reflect.MakeMap(v.Type())
	for _, f := range n.fields {
		entry := reflect.New(v.Type().Elem()).Elem()
		d.value(f.value, entry, m, joinPath(path, f.name))
		entries.SetMapIndex(reflect.ValueOf(f.name), entry)
	}
	v.Set(entries)
}

func (d *decoder) scalar(n *node, v reflect.Value, m member, path string) {
	switch v.Kind() {
	case reflect.String:
		if n.shape != stringShape {
			d.wrongType(n, m, path, describe(m))
			return
		}
		v.SetString(n.text)
		d.text(n, m, path)
	case reflect.Bool:
		value, ok := n.flag()
		if !ok || !value && !strings.EqualFold(n.text, "false") {
			d.wrongType(n, m, path, "true or false")
			return
		}
		v.SetBool(value)
	case reflect.Float64:
		value, ok := n.number()
		if !ok {
			d.wrongType(n, m, path, "a finite number")
			return
		}
		v.SetFloat(value)
		d.bounds(n, m, path, value, parseNumber)
	default: // int and int64: the types hold no other kind (see TestTypes)
		value, ok := n.integer()
		if !ok {
			d.wrongType(n, m, path, fmt.Sprintf("a whole number in decimal digits, at most %d", int64(maxInteger)))
			return
		}
		v.SetInt(value)
		d.bounds(n, m, path, float64(value), parseNumber)
	}
}

// quantity reads a duration or a size: a number with its unit.
func (d *decoder) quantity(n *node, v reflect.Value, m member, path string) {
	parse := parseQuantity(v.Type())
	if n.shape != stringShape {
		_, err := parse("")
		_, want, _ := strings.Cut(err.Error(), "want ")
		d.wrongType(n, m, path, want)
		return
	}
	value, err := parse(n.text)
	if err != nil {
		_, want, _ := strings.Cut(err.Error(), "want ")
		d.note(ruleUnits, path, n.line, n.column, n.got(), want)
		return
	}
	v.SetInt(int64(value))
	d.bounds(n, m, path, value, parse)
}

// parseQuantity is the reader of a quantity's text form, as a plain number.
func parseQuantity(t reflect.Type) func(string) (float64, error) {
	if t == durationType {
		return func(text string) (float64, error) {
			q, err := unit.ParseDuration(text)
			return float64(q), err
		}
	}
	return func(text string) (float64, error) {
		q, err := unit.ParseBytes(text)
		return float64(q), err
	}
}

// secret reads literal text, {env: NAME} or {file: PATH}.
func (d *decoder) secret(n *node, v reflect.Value, path string) {
	const got, want = "a value of another form", "text, {env: NAME} or {file: PATH}" // never the value: it may be the secret
	if n.shape == stringShape {
		v.Set(reflect.ValueOf(LiteralSecret(n.text)))
		return
	}
	if n.shape != mappingShape || len(n.fields) != 1 {
		d.note(ruleTypes, path, n.line, n.column, got, want)
		return
	}
	value := n.fields[0].value
	switch {
	case value.str() == "":
		d.note(ruleTypes, joinPath(path, n.fields[0].name), value.line, value.column, value.got(), "a non-empty string")
	case n.fields[0].name == "env":
		v.Set(reflect.ValueOf(Secret{Env: value.text}))
	case n.fields[0].name == "file":
		v.Set(reflect.ValueOf(Secret{File: value.text}))
	default:
		d.note(ruleTypes, path, n.line, n.column, got, want)
	}
}

// free reads a mapping whose meaning is another program's.
func (d *decoder) free(n *node, v reflect.Value, m member, path string) {
	if n.shape != mappingShape {
		d.wrongType(n, m, path, "a mapping")
		return
	}
	v.Set(reflect.ValueOf(d.plain(n, path)))
}

// plain turns a node into the value encoding/json would give.
func (d *decoder) plain(n *node, path string) any {
	switch n.shape {
	case mappingShape:
		d.keys(n, nil, path)
		object := map[string]any{}
		for _, f := range n.fields {
			object[f.name] = d.plain(f.value, joinPath(path, f.name))
		}
		return object
	case listShape:
		items := []any{}
		for i, item := range n.items {
			items = append(items, d.plain(item, itemPath(path, i)))
		}
		return items
	case integerShape, numberShape:
		value, ok := n.number()
		if !ok || n.shape == integerShape && (value > maxInteger || value < -maxInteger) {
			d.wrongType(n, member{}, path, fmt.Sprintf("a finite number; a whole one at most %d", int64(maxInteger)))
		}
		return value
	case boolShape:
		value, _ := n.flag() // the shape says it is one
		return value
	case nullShape:
		return nil
	default:
		return n.text
	}
}

// maxInteger is the largest integer that JSON readers agree on (RFC 8785 counts
// in doubles): 2^53 - 1.
const maxInteger = 1<<53 - 1

// parseInteger reads decimal digits. Other bases are refused: 010 is eight to
// YAML 1.1 and ten to YAML 1.2.
func parseInteger(text string) (int64, error) {
	digits := strings.TrimLeft(text, "+-")
	if len(digits) > 1 && digits[0] == '0' {
		return 0, fmt.Errorf("got %s, want decimal digits without a leading zero", text)
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err == nil && (v > maxInteger || v < -maxInteger) {
		return 0, fmt.Errorf("got %s, want at most %d", text, int64(maxInteger))
	}
	return v, err
}

// parseNumber reads a finite decimal number.
func parseNumber(text string) (float64, error) {
	if strings.Trim(text, "0123456789+-.eE") != "" {
		return 0, fmt.Errorf("got %s, want a decimal number", text)
	}
	return strconv.ParseFloat(text, 64) // too large a number is an error
}
