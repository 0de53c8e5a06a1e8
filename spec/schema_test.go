package spec

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"testing"
)

// The files in the tree are the ones the types give.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	files, err := Generated()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		got, err := os.ReadFile("../" + f.Path)
		if err != nil || !bytes.Equal(got, f.Data) {
			t.Errorf("%s is not what the types give (%v): run make generate", f.Path, err)
		}
	}
}

// The schema of editors names every field and shows every default.
func TestJSONSchema(t *testing.T) {
	for kind, root := range roots {
		data, err := JSONSchema(kind)
		if err != nil {
			t.Fatal(err)
		}
		var schema map[string]any
		if err := json.Unmarshal(data, &schema); err != nil {
			t.Fatal(err)
		}
		if schema["$schema"] != "https://json-schema.org/draft/2020-12/schema" {
			t.Errorf("%s: $schema = %v", kind, schema["$schema"])
		}
		wantSchema(t, kind, schema, root)
	}
	if _, err := JSONSchema("Pod"); err == nil {
		t.Error("a schema of kind Pod was made")
	}
	if _, err := Reference("Pod"); err == nil {
		t.Error("a reference of kind Pod was made")
	}
}

func wantSchema(t *testing.T, path string, schema map[string]any, typ reflect.Type) {
	t.Helper()
	fields, _ := schema["properties"].(map[string]any)
	if len(fields) != len(membersOf(typ)) || schema["additionalProperties"] != false {
		t.Errorf("%s: %d properties, additionalProperties %v; want %d, false", path, len(fields), schema["additionalProperties"], len(membersOf(typ)))
	}
	for _, m := range membersOf(typ) {
		field, _ := fields[m.name].(map[string]any)
		if field["description"] == "" || (m.def != "") != (field["default"] != nil) {
			t.Errorf("%s.%s: description %v, default %v; want one, %q", path, m.name, field["description"], field["default"], m.def)
		}
		inner := field
		if items, ok := field["items"].(map[string]any); ok {
			inner = items
		}
		if s := structOf(m.typ); s != nil {
			wantSchema(t, path+"."+m.name, inner, s)
		}
	}
}
