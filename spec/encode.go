package spec

import (
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"

	"assay/unit"
)

// toNode turns a document value into nodes, with fields in the order of the
// types; places mean nothing. It is what encoding and reading again would give,
// without the detour: the rules look at every resolved document this way.
func toNode(v any) *node { return encode(reflect.ValueOf(v)) }

func encode(v reflect.Value) *node {
	switch x := v.Interface().(type) {
	case unit.Duration:
		return textNode(x.String())
	case unit.Bytes:
		return textNode(x.String())
	case Secret:
		return encodeSecret(x)
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return &node{shape: nullShape, text: "null"}
		}
		return encode(v.Elem())
	case reflect.Struct:
		return encodeStruct(v)
	case reflect.Slice:
		n := &node{shape: listShape}
		for i := range v.Len() {
			n.items = append(n.items, encode(v.Index(i)))
		}
		return n
	case reflect.Map:
		return encodeMap(v)
	case reflect.String:
		return textNode(v.String())
	case reflect.Bool:
		return &node{shape: boolShape, text: strconv.FormatBool(v.Bool())}
	case reflect.Float64:
		return encodeFloat(v.Float())
	default: // int and int64: the types hold no other kind (see TestTypes)
		return &node{shape: integerShape, text: strconv.FormatInt(v.Int(), 10)}
	}
}

func textNode(text string) *node { return &node{shape: stringShape, text: text} }

func encodeStruct(v reflect.Value) *node {
	n := &node{shape: mappingShape}
	for _, m := range membersOf(v.Type()) {
		if f := v.Field(m.index); m.required || !f.IsZero() {
			n.fields = append(n.fields, field{name: m.name, value: encode(f)})
		}
	}
	return n
}

func encodeMap(v reflect.Value) *node {
	n := &node{shape: mappingShape}
	entries := map[string]reflect.Value{}
	for _, key := range v.MapKeys() {
		entries[key.String()] = v.MapIndex(key)
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		n.fields = append(n.fields, field{name: name, value: encode(entries[name])})
	}
	return n
}

func encodeSecret(s Secret) *node {
	switch {
	case s.Env != "":
		return &node{shape: mappingShape, fields: []field{{name: "env", value: textNode(s.Env)}}}
	case s.File != "":
		return &node{shape: mappingShape, fields: []field{{name: "file", value: textNode(s.File)}}}
	default:
		return textNode(Redacted)
	}
}

// encodeFloat writes whole numbers as such, as JSON does.
func encodeFloat(v float64) *node {
	if v == math.Trunc(v) && math.Abs(v) <= maxInteger {
		return &node{shape: integerShape, text: strconv.FormatFloat(v, 'f', -1, 64)}
	}
	return &node{shape: numberShape, text: strconv.FormatFloat(v, 'g', -1, 64)}
}
