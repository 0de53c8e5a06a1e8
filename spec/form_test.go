package spec

import (
	"reflect"
	"testing"
)

// Whoever gets a form wrong is told it in words, never as a regular expression.
func TestFormsInWords(t *testing.T) {
	var walk func(typ reflect.Type, seen map[reflect.Type]bool)
	walk = func(typ reflect.Type, seen map[reflect.Type]bool) {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice || typ.Kind() == reflect.Map {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || seen[typ] {
			return
		}
		seen[typ] = true
		for i := range typ.NumField() {
			f := typ.Field(i)
			if f.Tag.Get("pattern") != "" && f.Tag.Get("form") == "" {
				t.Errorf("%s.%s has a pattern and no form", typ.Name(), f.Name)
			}
			walk(f.Type, seen)
		}
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[Run](), reflect.TypeFor[GatePolicy]()} {
		walk(typ, map[reflect.Type]bool{})
	}
}
