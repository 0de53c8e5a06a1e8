package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// matchesSchema checks a document that a command has printed against its schema.
func matchesSchema(t *testing.T, kind, printed string) {
	t.Helper()
	var document any
	if err := json.Unmarshal([]byte(printed), &document); err != nil {
		t.Errorf("%s: not one JSON document: %v\n%.400s", kind, err, printed)
		return
	}
	data, err := schemaText("jsonschema", kind)
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	faults := (&matcher{defs: schema["$defs"]}).match(schema, document, kind)
	for _, fault := range faults[:min(10, len(faults))] {
		t.Error(fault)
	}
}

// A matcher knows the words that our schemas use. It refuses any other, so that nothing
// is passed over in silence.
type matcher struct{ defs any }

func (m *matcher) match(schema map[string]any, v any, at string) (faults []string) {
	for _, word := range slices.Sorted(maps.Keys(schema)) {
		switch rule := schema[word]; word {
		case "$schema", "$id", "$defs", "title", "description", "format", "properties":
		case "$ref":
			def, ok := m.defs.(map[string]any)[strings.TrimPrefix(rule.(string), "#/$defs/")].(map[string]any)
			if !ok {
				return append(faults, fmt.Sprintf("%s: no definition %v", at, rule))
			}
			faults = append(faults, m.match(def, v, at)...)
		case "anyOf":
			faults = append(faults, m.anyOf(rule.([]any), v, at)...)
		case "type":
			if !isOfType(rule.(string), v) {
				faults = append(faults, fmt.Sprintf("%s: got %.80v, want %v", at, v, rule))
			}
		case "items":
			list, _ := v.([]any)
			for i, one := range list {
				faults = append(faults, m.match(rule.(map[string]any), one, fmt.Sprintf("%s[%d]", at, i))...)
			}
		case "minItems":
			if list, ok := v.([]any); ok && len(list) < int(rule.(float64)) {
				faults = append(faults, fmt.Sprintf("%s: %d items, want %v", at, len(list), rule))
			}
		case "maxItems":
			if list, ok := v.([]any); ok && len(list) > int(rule.(float64)) {
				faults = append(faults, fmt.Sprintf("%s: %d items, want %v", at, len(list), rule))
			}
		case "required":
			object, _ := v.(map[string]any)
			for _, name := range rule.([]any) {
				if _, ok := object[name.(string)]; object != nil && !ok {
					faults = append(faults, fmt.Sprintf("%s: no %s", at, name))
				}
			}
		case "additionalProperties":
			faults = append(faults, m.members(schema, v, at)...)
		default:
			faults = append(faults, fmt.Sprintf("%s: the test knows no %q", at, word))
		}
	}
	return faults
}

func (m *matcher) anyOf(choices []any, v any, at string) (faults []string) {
	for _, one := range choices {
		wrong := m.match(one.(map[string]any), v, at)
		if len(wrong) == 0 {
			return nil
		}
		faults = append(faults, wrong...)
	}
	return faults
}

// members checks those of an object, named and not.
func (m *matcher) members(schema map[string]any, v any, at string) (faults []string) {
	object, _ := v.(map[string]any)
	named, _ := schema["properties"].(map[string]any)
	for name, value := range object {
		rule, ok := named[name].(map[string]any)
		if !ok {
			if rule, ok = schema["additionalProperties"].(map[string]any); !ok {
				faults = append(faults, fmt.Sprintf("%s: %s is not in the schema", at, name))
				continue
			}
		}
		faults = append(faults, m.match(rule, value, at+"."+name)...)
	}
	return faults
}

func isOfType(name string, v any) bool {
	switch v := v.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case float64:
		return name == "number" || name == "integer" && v == float64(int64(v))
	case []any:
		return name == "array"
	case map[string]any:
		return name == "object"
	}
	return false
}

// The test finds what does not match: a member too many, one that is missing, a value of
// another type.
func TestMatcher(t *testing.T) {
	data, err := schemaText("jsonschema", "keygen")
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	f := func(document, want string) {
		t.Helper()
		var v any
		if err := json.Unmarshal([]byte(document), &v); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join((&matcher{schema["$defs"]}).match(schema, v, "keygen"), "; "); got != want {
			t.Errorf("%s: got %q, want %q", document, got, want)
		}
	}
	f(`{"keyID": "a", "private": "b", "public": "c"}`, "")
	f(`{"keyID": "a", "private": "b"}`, "keygen: no public")
	f(`{"keyID": "a", "private": "b", "public": "c", "new": 1}`, "keygen: new is not in the schema")
	f(`{"keyID": 7, "private": "b", "public": "c"}`, "keygen.keyID: got 7, want string")
	f(`[]`, "keygen: got [], want object")
}

// The validator that most people use agrees, and takes the schemas for schemas.
func pythonAgrees(t *testing.T, dir string) {
	t.Helper()
	python := os.Getenv("ASSAY_PYTHON")
	if python == "" {
		python = filepath.Join("..", "..", ".venv", "bin", "python")
	}
	if err := exec.Command(python, "-c", "import jsonschema").Run(); err != nil {
		t.Skipf("needs the Python environment that make test installs: %v", err)
	}
	out, err := exec.Command(python, "-c", `
import glob, json, os, sys
from jsonschema import Draft202012Validator
for file in sorted(glob.glob(os.path.join(sys.argv[1], "*.json"))):
    case = json.load(open(file))
    Draft202012Validator.check_schema(case["schema"])
    for fault in Draft202012Validator(case["schema"]).iter_errors(case["document"]):
        print(os.path.basename(file), fault.json_path, fault.message[:200])`, dir).CombinedOutput()
	if err != nil || len(bytes.TrimSpace(out)) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}
