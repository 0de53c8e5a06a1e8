package spec

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Every field of every document type is described, named and guarded in a way
// the rest of the package understands.
func TestTypes(t *testing.T) {
	docs := docComments()
	for typ, members := range allMembers() {
		if !strings.HasSuffix(docs[typ.Name()], ".") {
			t.Errorf("type %s has no doc comment that ends in a full stop", typ.Name())
		}
		for _, m := range members {
			name := typ.Name() + "." + m.goName
			if !strings.HasSuffix(docs[name], ".") {
				t.Errorf("%s has no doc comment that ends in a full stop: list its file in docs.go", name)
			}
			if m.name == "" {
				t.Errorf("%s has no json name", name)
			}
			if tag := typ.Field(m.index).Tag.Get("enum"); tag != "" && m.enum == nil {
				t.Errorf("%s: enum %q is not in Vocabularies", name, tag)
			}
			checkKind(t, name, m.typ)
			checkBounds(t, name, m)
			checkDefault(t, name, m)
		}
	}
}

// The kinds the decoder reads.
func checkKind(t *testing.T, name string, typ reflect.Type) {
	t.Helper()
	known := []reflect.Kind{reflect.String, reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64, reflect.Struct}
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice || typ.Kind() == reflect.Map && typ != freeType {
		typ = typ.Elem()
	}
	if typ != freeType && !slices.Contains(known, typ.Kind()) {
		t.Errorf("%s: the decoder reads no %s", name, typ)
	}
}

func leaf(typ reflect.Type) reflect.Type {
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
		typ = typ.Elem()
	}
	return typ
}

func checkBounds(t *testing.T, name string, m member) {
	t.Helper()
	parse := parseNumber
	if l := leaf(m.typ); l == durationType || l == bytesType {
		parse = parseQuantity(l)
	}
	number := slices.Contains([]reflect.Kind{reflect.Int, reflect.Int64, reflect.Float64}, leaf(m.typ).Kind())
	if number && m.max == "" && m.below == "" && m.name != "observedGeneration" { // which the cluster writes
		t.Errorf("%s: a number without an upper bound: one with some digits too many must be refused, not tried", name)
	}
	for _, b := range m.bounds() {
		if _, err := parse(b.text); err != nil {
			t.Errorf("%s: bound %q: %v", name, b.text, err)
		}
	}
}

// A default must read without faults, and a zero that is written must not be
// mistaken for an absent field.
func checkDefault(t *testing.T, name string, m member) {
	t.Helper()
	if m.def == "" {
		return
	}
	v := reflect.New(m.typ).Elem()
	setDefault(v, m)
	if m.required {
		t.Errorf("%s is required and has a default", name)
	}
	zeros := map[reflect.Type]string{durationType: `"0s"`, bytesType: `"0B"`, reflect.TypeFor[string](): `""`}
	zero, ok := zeros[m.typ]
	switch {
	case slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Map}, v.Kind()):
		return // nil is absent, zero is not
	case v.Kind() == reflect.Bool:
		t.Errorf("%s: a bool with a default must be a *bool", name)
		return
	case !ok:
		zero = "0"
	}
	n, err := read([]byte(zero))
	if err != nil {
		t.Fatal(err)
	}
	var d decoder
	d.value(n, reflect.New(m.typ).Elem(), m, "x")
	if len(d.faults) == 0 {
		t.Errorf("%s: has default %s but accepts %s, which reads as absent", name, m.def, zero)
	}
}

func TestPaths(t *testing.T) {
	f := func(path string, want ...string) {
		t.Helper()
		if got := slices.Collect(pathParts(path)); !slices.Equal(got, want) {
			t.Errorf("pathParts(%q) = %q, want %q", path, got, want)
		}
	}
	f("spec.layers[0].name", "spec", "layers", "0", "name")
	f(joinPath("spec.target.headers", "X.Odd [key]\""), "spec", "target", "headers", "X.Odd [key]\"")
	f(joinPath("", ""), "")
}

func TestNearest(t *testing.T) {
	names := []string{"trials", "train", "target", "load"}
	f := func(text, want string) {
		t.Helper()
		if got := nearest(text, names); got != want {
			t.Errorf("nearest(%q) = %q, want %q", text, got, want)
		}
	}
	f("trails", "trials")
	f("Target", "target")
	f("lod", "load")
	f("bad", "")
	f(strings.Repeat("x", 1000), "")
}
