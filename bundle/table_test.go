package bundle

import (
	"reflect"
	"strings"
	"testing"

	"assay/record"
)

// A package that knows a Launch compiles what the types of its tables reach. The encoders are
// not among that: with them each of fifty packages took three seconds longer.
func TestTablesReachNoEncoder(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var visit func(reflect.Type)
	visit = func(typ reflect.Type) {
		if seen[typ] {
			return
		}
		seen[typ] = true
		if strings.Contains(typ.PkgPath(), "parquet") {
			t.Errorf("a Table reaches %s", typ)
		}
		switch typ.Kind() {
		case reflect.Struct:
			for field := range typ.Fields() {
				visit(field.Type)
			}
		case reflect.Pointer, reflect.Slice, reflect.Chan:
			visit(typ.Elem())
		}
	}
	visit(reflect.TypeFor[Table[record.Event]]())
	if encoder := reflect.TypeFor[segmentWriter[record.Event]](); seen[encoder] {
		t.Errorf("a Table reaches %s", encoder)
	}
}
