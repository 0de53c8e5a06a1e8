package main

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"assay/cmd/assay/bench"
	"assay/spec"
	"assay/unit"
)

// A fieldFlag is a flag that fills one field of a spec. What may be said, and what
// holds where nothing is, stands at the field: help repeats it, and the parser of
// specs judges it.
type fieldFlag struct {
	name  string
	path  string // below spec, such as train.shape.layers
	usage string // the words that the field takes are added, unless a colon says that they are there
	own   string // default of the flag, where it is not the field's
}

// fieldFlags fill spec from flags of their tables.
type fieldFlags struct {
	spec  spec.RunSpec
	paths []bench.FlagPath // which flag a field was filled by, for faults
}

// register adds the flags of a table. A path that leads nowhere is a bug in the table.
func (f *fieldFlags) register(flags *pflag.FlagSet, table []fieldFlag) {
	for _, row := range table {
		field, ok := fieldAt(reflect.TypeOf(f.spec), row.path)
		if !ok {
			panic("no field spec." + row.path)
		}
		value := &fieldValue{root: &f.spec, path: row.path, of: field}
		flag := flags.VarPF(value, row.name, "", row.help(field))
		flag.DefValue = strings.Trim(field.Tag.Get("default"), "[]")
		if row.own != "" {
			flag.DefValue = row.own
			if err := value.Set(row.own); err != nil {
				panic(err) // as above
			}
			value.given = false
		}
		if field.Type.Kind() == reflect.Bool {
			flag.NoOptDefVal = "true"
		}
		f.paths = append(f.paths, bench.FlagPath{Path: "spec." + row.path, Flag: "--" + row.name})
	}
}

// help is the flag in a line, with what its field may be.
func (row fieldFlag) help(field reflect.StructField) string {
	words := spec.Vocabularies[field.Tag.Get("enum")]
	if n := len(words); n > 1 && !strings.Contains(row.usage, ":") {
		return row.usage + ": " + strings.Join(words[:n-1], ", ") + " or " + words[n-1]
	}
	return row.usage
}

// fieldAt finds the field that a path of JSON names leads to.
func fieldAt(t reflect.Type, path string) (field reflect.StructField, ok bool) {
	for _, name := range strings.Split(path, ".") {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if field, ok = fieldNamed(t, name); !ok {
			return field, false
		}
		t = field.Type
	}
	return field, true
}

func fieldNamed(t reflect.Type, name string) (reflect.StructField, bool) {
	for i := range t.NumField() {
		own, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if own == name {
			return t.Field(i), true
		}
	}
	return reflect.StructField{}, false
}

// A fieldValue is the field as a flag sees it. Structures on the way to it are made
// when the flag is given, so that a spec has no empty ones.
type fieldValue struct {
	root  *spec.RunSpec
	path  string
	of    reflect.StructField
	given bool
}

var _ pflag.Value = (*fieldValue)(nil)

// String is the default, which help takes from the table.
func (v *fieldValue) String() string { return "" }

// typeNames are what help calls the values of a flag.
var typeNames = map[reflect.Type]string{
	reflect.TypeFor[string](): "string", reflect.TypeFor[bool](): "bool", reflect.TypeFor[int](): "int", reflect.TypeFor[int64](): "count",
	reflect.TypeFor[float64](): "float", reflect.TypeFor[[]int](): "ints", reflect.TypeFor[[]string](): "strings",
	reflect.TypeFor[unit.Bytes](): "size", reflect.TypeFor[unit.Duration](): "duration",
}

// Type is the name of the field's type.
func (v *fieldValue) Type() string { return typeNames[v.of.Type] }

// Set fills the field. A list that is given again grows. Nothing, where the field has a
// default, would be taken for not given.
func (v *fieldValue) Set(text string) error {
	field := reflect.ValueOf(v.root).Elem()
	for _, name := range strings.Split(v.path, ".") {
		if field.Kind() == reflect.Pointer {
			if field.IsNil() {
				field.Set(reflect.New(field.Type().Elem()))
			}
			field = field.Elem()
		}
		own, _ := fieldNamed(field.Type(), name)
		field = field.FieldByIndex(own.Index)
	}
	if field.Kind() == reflect.Slice && !v.given {
		field.SetZero()
	}
	v.given = true
	if err := setField(field.Addr().Interface(), text); err != nil {
		return err
	}
	if fallback := v.of.Tag.Get("default"); field.IsZero() && fallback != "" {
		return fmt.Errorf("want something else than nothing, or no flag for %s", fallback)
	}
	return nil
}

// setField reads text as the type of the field that into points to.
func setField(into any, text string) (err error) {
	switch into := into.(type) {
	case *string:
		*into = text
	case *bool:
		*into, err = strconv.ParseBool(text)
	case *int:
		*into, err = strconv.Atoi(text)
	case *int64:
		*into, err = count(text)
	case *float64:
		*into, err = strconv.ParseFloat(text, 64)
	case *unit.Bytes:
		*into, err = unit.ParseBytes(text)
	case *unit.Duration:
		*into, err = unit.ParseDuration(text)
	case *[]string:
		*into = append(*into, strings.Split(text, ",")...)
	case *[]int:
		for _, one := range strings.Split(text, ",") {
			n, bad := strconv.Atoi(strings.TrimSpace(one))
			if bad != nil {
				return fmt.Errorf("got %q, want whole numbers", one)
			}
			*into = append(*into, n)
		}
	default:
		return fmt.Errorf("no flag can fill a %T", into) // a bug in a table
	}
	return err
}

// count reads a number such as 100M.
func count(text string) (int64, error) {
	n, err := unit.ParseBytes(text + "B") // written as a size is
	if err != nil {
		return 0, fmt.Errorf("got %q, want a count such as 100M or 1G", text)
	}
	return int64(n), nil
}
