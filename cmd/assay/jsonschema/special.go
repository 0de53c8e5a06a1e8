package jsonschema

import (
	"encoding"
	"encoding/json"
	"reflect"
	"time"

	"assay/spec"
	"assay/stats"
	"assay/unit"
)

var (
	marshaler     = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

// special are the types that write themselves.
var special = map[reflect.Type]func() *node{
	reflect.TypeFor[time.Time]():       func() *node { return &node{Type: "string", Format: "date-time"} },
	reflect.TypeFor[json.RawMessage](): func() *node { return &node{} },
	reflect.TypeFor[unit.Duration]():   func() *node { return &node{Type: "string", Description: "with its unit, such as 30s"} },
	reflect.TypeFor[unit.Bytes]():      func() *node { return &node{Type: "string", Description: "with its unit, such as 1GiB"} },
	reflect.TypeFor[stats.Interval]():  interval,
	reflect.TypeFor[spec.Secret]():     secret,
}

func interval() *node {
	two := 2
	return &node{
		Type: "array", Items: nullUnless(mayBeNull, &node{Type: "number"}), MinItems: &two, MaxItems: &two,
		Description: "the two ends; null for one that cannot be bounded",
	}
}

// secret is where the value is, or that it was taken out.
func secret() *node {
	named := func(name string) *node {
		return &node{Type: "object", Properties: map[string]*node{name: {Type: "string"}}, Required: []string{name}, AdditionalProperties: false}
	}
	return &node{AnyOf: []*node{{Type: "string"}, named("env"), named("file")}}
}
