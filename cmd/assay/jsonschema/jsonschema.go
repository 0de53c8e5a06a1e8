// Package jsonschema describes what commands print with --json: the JSON Schema of a Go
// type, as encoding/json writes it. Objects are closed, so that a field nobody described
// is a fault.
//
// Documents that people write have their schemas in package spec, which knows their
// bounds, defaults and words. To describe a type that writes itself, add it to special.
package jsonschema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"assay/spec"
)

// A node is the part of JSON Schema that outputs need.
type node struct {
	Schema               string           `json:"$schema,omitempty"`
	ID                   string           `json:"$id,omitempty"`
	Title                string           `json:"title,omitempty"`
	Description          string           `json:"description,omitempty"`
	Ref                  string           `json:"$ref,omitempty"`
	Type                 string           `json:"type,omitempty"`
	Format               string           `json:"format,omitempty"`
	AnyOf                []*node          `json:"anyOf,omitempty"`
	Items                *node            `json:"items,omitempty"`
	MinItems             *int             `json:"minItems,omitempty"`
	MaxItems             *int             `json:"maxItems,omitempty"`
	Required             []string         `json:"required,omitempty"`
	Properties           map[string]*node `json:"properties,omitempty"`
	AdditionalProperties any              `json:"additionalProperties,omitempty"`
	Defs                 map[string]*node `json:"$defs,omitempty"`
}

// Of is the JSON Schema (draft 2020-12) of what encoding/json makes of a t. A list at the
// top is never null.
func Of(kind, description string, t reflect.Type) ([]byte, error) {
	d := describer{defs: map[string]*node{}, types: map[string]reflect.Type{}}
	root := *d.typed(t, neverNull)
	root.Schema, root.ID = "https://json-schema.org/draft/2020-12/schema", "https://assay.dev/schema/output/"+kind+".schema.json"
	root.Title, root.Description, root.Defs = "assay "+kind, description, d.defs
	if len(d.faults) > 0 {
		return nil, fmt.Errorf("schema of %s: %s", kind, strings.Join(d.faults, "; "))
	}
	out, err := json.MarshalIndent(root, "", "  ")
	return append(out, '\n'), err
}

// A describer gathers the named types of one schema, each once.
type describer struct {
	defs   map[string]*node
	types  map[string]reflect.Type // behind defs, to notice two of one name
	faults []string
}

func (d *describer) fault(format string, args ...any) *node {
	d.faults = append(d.faults, fmt.Sprintf(format, args...))
	return &node{}
}

// Whether a pointer, list or map may be null: one that is left out when empty is not.
const (
	mayBeNull = false
	neverNull = true
)

func (d *describer) typed(t reflect.Type, filled bool) *node {
	if written, ok := special[t]; ok {
		return written()
	}
	if t.Kind() == reflect.Pointer {
		return nullUnless(filled, d.typed(t.Elem(), neverNull))
	}
	if t == reflect.TypeFor[spec.Server]() {
		return d.named(t) // its secrets alone are written otherwise
	}
	if t.Implements(marshaler) || reflect.PointerTo(t).Implements(marshaler) {
		return d.fault("%v writes itself: say how in special", t)
	}
	if t.Implements(textMarshaler) || reflect.PointerTo(t).Implements(textMarshaler) {
		return &node{Type: "string"}
	}
	switch t.Kind() {
	case reflect.Interface:
		return &node{} // anything
	case reflect.Struct:
		return d.named(t)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return nullUnless(filled, &node{Type: "string"}) // base64
		}
		return nullUnless(filled, &node{Type: "array", Items: d.typed(t.Elem(), mayBeNull)})
	case reflect.Array:
		n := t.Len()
		return &node{Type: "array", Items: d.typed(t.Elem(), mayBeNull), MinItems: &n, MaxItems: &n}
	case reflect.Map:
		return nullUnless(filled, &node{Type: "object", AdditionalProperties: d.typed(t.Elem(), mayBeNull)})
	}
	return d.plain(t)
}

func (d *describer) plain(t reflect.Type) *node {
	switch {
	case t.Kind() == reflect.String:
		return &node{Type: "string"}
	case t.Kind() == reflect.Bool:
		return &node{Type: "boolean"}
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Uintptr:
		return &node{Type: "integer"}
	case t.Kind() == reflect.Float32, t.Kind() == reflect.Float64:
		return &node{Type: "number"}
	}
	return d.fault("%v has no form in JSON", t)
}

func nullUnless(filled bool, n *node) *node {
	if filled {
		return n
	}
	return &node{AnyOf: []*node{n, {Type: "null"}}}
}

// unsafe are the letters that a reference would have to escape.
var unsafe = regexp.MustCompile(`[^A-Za-z0-9._]+`)

// named is a reference to a type, or the type itself where it has no name.
func (d *describer) named(t reflect.Type) *node {
	if t.Name() == "" {
		return d.object(t)
	}
	name := unsafe.ReplaceAllString(t.String(), "_")
	if known, ok := d.types[name]; !ok {
		d.types[name], d.defs[name] = t, nil // before its fields, which may hold it again
		d.defs[name] = d.object(t)
	} else if known != t {
		return d.fault("two types are called %s: %s and %s", name, known.PkgPath(), t.PkgPath())
	}
	return &node{Ref: "#/$defs/" + name}
}

func (d *describer) object(t reflect.Type) *node {
	n := &node{Type: "object", Properties: map[string]*node{}, AdditionalProperties: false}
	for _, f := range d.fields(t) {
		n.Properties[f.name] = d.typed(f.typ, f.optional)
		if f.quoted {
			n.Properties[f.name] = &node{Type: "string"}
		}
		if !f.optional && !f.perhaps {
			n.Required = append(n.Required, f.name)
		}
	}
	return n
}
