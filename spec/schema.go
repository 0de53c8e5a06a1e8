package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
)

// A schema is the part of JSON Schema that assay writes, in either of two
// dialects: draft 2020-12 for editors, and the OpenAPI of a Kubernetes
// CustomResourceDefinition.
type schema struct {
	Schema               string      `json:"$schema,omitempty"`
	ID                   string      `json:"$id,omitempty"`
	Title                string      `json:"title,omitempty"`
	Description          string      `json:"description,omitempty"`
	Type                 string      `json:"type,omitempty"`
	Format               string      `json:"format,omitempty"`
	Enum                 []string    `json:"enum,omitempty"`
	Default              any         `json:"default,omitempty"`
	Examples             []any       `json:"examples,omitempty"`
	Pattern              string      `json:"pattern,omitempty"`
	MinLength            int         `json:"minLength,omitempty"`
	Minimum              json.Number `json:"minimum,omitempty"`
	Maximum              json.Number `json:"maximum,omitempty"`
	ExclusiveMinimum     any         `json:"exclusiveMinimum,omitempty"`
	ExclusiveMaximum     any         `json:"exclusiveMaximum,omitempty"`
	MinItems             int         `json:"minItems,omitempty"`
	Items                *schema     `json:"items,omitempty"`
	Required             []string    `json:"required,omitempty"`
	Properties           properties  `json:"properties,omitempty"`
	AdditionalProperties any         `json:"additionalProperties,omitempty"`
	OneOf                []*schema   `json:"oneOf,omitempty"`

	PreserveUnknown bool      `json:"x-kubernetes-preserve-unknown-fields,omitempty"`
	ListType        string    `json:"x-kubernetes-list-type,omitempty"`
	ListMapKeys     []string  `json:"x-kubernetes-list-map-keys,omitempty"`
	Validations     []celRule `json:"x-kubernetes-validations,omitempty"`
}

// properties keep the order of the types, which is the order of reading.
type properties []property

type property struct {
	name   string
	schema *schema
}

// MarshalJSON writes an object in order.
func (p properties) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, entry := range p {
		if i > 0 {
			out.WriteByte(',')
		}
		name, err := json.Marshal(entry.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(entry.schema)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "%s:%s", name, value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// A dialect says how the schemas of editors and of Kubernetes differ.
type dialect struct {
	// closed objects refuse unknown fields; an API server prunes instead and
	// refuses additionalProperties beside properties.
	closed bool

	// defaults are shown. An API server would write them into the object, and a
	// publication-grade document must stay as its author declared it.
	defaults bool

	// openAPI writes an exclusive bound as a flag, and a union as free.
	openAPI bool
}

var (
	editorDialect     = dialect{closed: true, defaults: true}
	kubernetesDialect = dialect{openAPI: true}
)

// schemaFile is the file name of a kind's JSON Schema.
func schemaFile(kind string) string { return strings.ToLower(kind) + ".schema.json" }

// JSONSchema is the JSON Schema (draft 2020-12) of a kind, for editors: it
// describes every field, with its words, bounds and default.
func JSONSchema(kind string) ([]byte, error) {
	root, ok := roots[kind]
	if !ok {
		return nil, fmt.Errorf("got kind %q, want one of %s", kind, kindNames())
	}
	s := editorDialect.object(root)
	s.Schema, s.ID, s.Title = "https://json-schema.org/draft/2020-12/schema", schemaURL(kind), kind
	s.Description = docComments()[root.Name()]
	out, err := json.MarshalIndent(s, "", "  ")
	return append(out, '\n'), err
}

func (d dialect) object(t reflect.Type) *schema {
	s := &schema{Type: "object"}
	for _, m := range membersOf(t) {
		child := d.field(m)
		child.Description = docComments()[t.Name()+"."+m.goName]
		s.Properties = append(s.Properties, property{m.name, child})
		if m.required {
			s.Required = append(s.Required, m.name)
		}
	}
	if d.closed {
		s.AdditionalProperties = false
	}
	return s
}

// field is the schema of one member; its tags guard the items of a list.
func (d dialect) field(m member) *schema {
	s := d.typed(m.typ, m)
	if d.defaults && m.def != "" {
		s.Default = exampleValue(m.def)
	}
	if d.defaults && m.example != "" {
		s.Examples = []any{m.example}
	}
	return s
}

const (
	durationPattern = `^ *\+?([0-9]+(\.[0-9]*)?|\.[0-9]+) *(ns|us|µs|ms|s|m|h|d) *$`
	bytesPattern    = `^ *\+?([0-9]+(\.[0-9]*)?|\.[0-9]+) *(B|kB|MB|GB|TB|KiB|MiB|GiB|TiB) *$`
)

func (d dialect) typed(t reflect.Type, m member) *schema {
	switch t {
	case durationType:
		return &schema{Type: "string", Pattern: durationPattern}
	case bytesType:
		return &schema{Type: "string", Pattern: bytesPattern}
	case secretType:
		return d.secret()
	case freeType:
		return &schema{Type: "object", PreserveUnknown: d.openAPI}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return d.typed(t.Elem(), m)
	case reflect.Struct:
		return d.object(t)
	case reflect.Slice:
		return d.list(t, m)
	case reflect.Map:
		return &schema{Type: "object", AdditionalProperties: d.typed(t.Elem(), member{})}
	case reflect.Bool:
		return &schema{Type: "boolean"}
	case reflect.String:
		s := &schema{Type: "string", Enum: m.enum}
		if m.or != nil {
			s.Enum, s.Pattern = nil, "^("+strings.Join(quoted(m.enum), "|")+")$|"+m.or.String()
		}
		if m.pattern != nil {
			s.Pattern = m.pattern.String()
		}
		if m.required && m.enum == nil {
			s.MinLength = 1
		}
		return s
	default:
		return d.number(t, m)
	}
}

// quoted are words as parts of a regular expression.
func quoted(words []string) []string {
	var list []string
	for _, word := range words {
		list = append(list, regexp.QuoteMeta(word))
	}
	return list
}

func (d dialect) list(t reflect.Type, m member) *schema {
	s := &schema{Type: "array", MinItems: m.items, Items: d.typed(t.Elem(), m)}
	if d.openAPI && t.Elem() == reflect.TypeFor[Condition]() {
		s.ListType, s.ListMapKeys = "map", []string{"type"}
	}
	return s
}

func (d dialect) number(t reflect.Type, m member) *schema {
	s := &schema{Type: "integer", Minimum: json.Number(m.min), Maximum: json.Number(m.max)}
	if t.Kind() == reflect.Float64 {
		s.Type = "number"
	} else if d.openAPI {
		s.Format = "int64"
	}
	switch {
	case m.above != "" && d.openAPI:
		s.Minimum, s.ExclusiveMinimum = json.Number(m.above), true
	case m.above != "":
		s.ExclusiveMinimum = json.Number(m.above)
	}
	switch {
	case m.below != "" && d.openAPI:
		s.Maximum, s.ExclusiveMaximum = json.Number(m.below), true
	case m.below != "":
		s.ExclusiveMaximum = json.Number(m.below)
	}
	return s
}

// secret is text or a reference. A structural schema cannot say "string or
// object", so an API server takes the value as it is, and admission checks it.
func (d dialect) secret() *schema {
	if d.openAPI {
		return &schema{PreserveUnknown: true}
	}
	ref := func(name, doc string) *schema {
		return &schema{
			Type: "object", Required: []string{name}, AdditionalProperties: false,
			Properties: properties{{name, &schema{Type: "string", MinLength: 1, Description: doc}}},
		}
	}
	return &schema{OneOf: []*schema{
		{Type: "string", Description: "The value itself; not for secrets."},
		ref("env", "The environment variable that holds the value."),
		ref("file", "The file that holds the value."),
	}}
}

// exampleValue is a default, written as YAML in its tag, as a JSON value.
func exampleValue(text string) any {
	n, err := read([]byte(text))
	if err != nil {
		panic("spec: tag " + text + ": " + err.Error()) // a bug in our own tags; TestTypes finds it
	}
	return new(decoder).plain(n, "")
}
