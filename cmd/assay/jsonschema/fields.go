package jsonschema

import (
	"reflect"
	"slices"
	"strings"
)

// A field is one member of an object.
type field struct {
	name     string
	typ      reflect.Type
	optional bool // left out when empty
	quoted   bool // a number or a bool, written as a string
	perhaps  bool // inside an embedded pointer, and left out with it
	depth    int  // of embedding
}

// fields lists what encoding/json writes of a struct, in its order: of two members of one
// name the outer one counts. Two of one depth would both be lost in silence, and are a fault.
func (d *describer) fields(t reflect.Type) (list []field) {
	for _, f := range d.allFields(t, 0, false) {
		i := slices.IndexFunc(list, func(other field) bool { return other.name == f.name })
		switch {
		case i < 0:
			list = append(list, f)
		case list[i].depth == f.depth:
			d.fault("%v has two members called %s", t, f.name)
		case f.depth < list[i].depth:
			list[i] = f
		}
	}
	return list
}

func (d *describer) allFields(t reflect.Type, depth int, perhaps bool) (list []field) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" && options == "" {
			continue
		}
		if f.Anonymous && name == "" && structUnder(f.Type) != nil {
			list = append(list, d.allFields(structUnder(f.Type), depth+1, perhaps || f.Type.Kind() == reflect.Pointer)...)
			continue
		}
		if !f.IsExported() {
			continue
		}
		if name == "" {
			name = f.Name
		}
		has := func(option string) bool { return slices.Contains(strings.Split(options, ","), option) }
		list = append(list, field{name: name, typ: f.Type, optional: has("omitempty") || has("omitzero"), quoted: has("string"), perhaps: perhaps, depth: depth})
	}
	return list
}

// structUnder is the struct that t is or points to; nil for anything else.
func structUnder(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	return t
}
