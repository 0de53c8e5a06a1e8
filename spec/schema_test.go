package spec

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"reflect"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"sigs.k8s.io/yaml"
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

func readCRD(t *testing.T) *apiextensions.CustomResourceDefinition {
	t.Helper()
	data, err := CRD()
	if err != nil {
		t.Fatal(err)
	}
	var external apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(data, &external); err != nil {
		t.Fatal(err)
	}
	apiextensionsv1.SetDefaults_CustomResourceDefinition(&external)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&external.Spec)
	var internal apiextensions.CustomResourceDefinition
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(&external, &internal, nil); err != nil {
		t.Fatal(err)
	}
	// The API server fills this in when it stores the object.
	internal.Status.StoredVersions = []string{"v1alpha1"}
	return &internal
}

func crdProps(t *testing.T) *apiextensions.JSONSchemaProps {
	t.Helper()
	crd := readCRD(t)
	// The conversion lifts the schema of the only version to the top.
	if crd.Spec.Validation == nil || crd.Spec.Validation.OpenAPIV3Schema == nil {
		t.Fatal("the CRD has no schema")
	}
	return crd.Spec.Validation.OpenAPIV3Schema
}

// An API server accepts the CRD.
func TestCRDIsAccepted(t *testing.T) {
	if errs := crdvalidation.ValidateCustomResourceDefinition(context.Background(), readCRD(t)); len(errs) > 0 {
		t.Errorf("the API server would refuse the CRD: %v", errs.ToAggregate())
	}
	structural, err := structuralschema.NewStructural(crdProps(t))
	if err != nil {
		t.Fatal(err)
	}
	if errs := structuralschema.ValidateStructural(nil, structural); len(errs) > 0 {
		t.Errorf("the schema is not structural: %v", errs.ToAggregate())
	}
}

// The API server accepts every example and prunes nothing from it.
func TestCRDTakesExamples(t *testing.T) {
	props := crdProps(t)
	validator, _, err := validation.NewSchemaValidator(props)
	if err != nil {
		t.Fatal(err)
	}
	structural, err := structuralschema.NewStructural(props)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for name, data := range examples(t) {
		if name == reference || name == "workloadspec.yaml" {
			continue // of another group, of another kind
		}
		n++
		t.Run(name, func(t *testing.T) {
			for form, document := range crdForms(t, name, data) {
				if errs := validation.ValidateCustomResource(nil, document, validator); len(errs) > 0 {
					t.Errorf("%s: refused: %v", form, errs.ToAggregate())
				}
				pruned := clonePlain(t, document)
				pruning.Prune(pruned, structural, true)
				if !reflect.DeepEqual(pruned, document) {
					t.Errorf("%s: pruning changed it:\n%v\n%v", form, document, pruned)
				}
			}
		})
	}
	if n < 6 {
		t.Errorf("tried %d examples, want 6", n)
	}
}

// crdForms are an example as written and with every default written.
func crdForms(t *testing.T, name string, data []byte) map[string]map[string]any {
	t.Helper()
	var written map[string]any
	if err := yaml.Unmarshal(data, &written); err != nil {
		t.Fatal(err)
	}
	resolved, _ := Resolve(parseExample(t, name))
	text, err := WriteYAML(resolved)
	if err != nil {
		t.Fatal(err)
	}
	var full map[string]any
	if err := yaml.Unmarshal(text, &full); err != nil {
		t.Fatal(err)
	}
	return map[string]map[string]any{"as written": written, "resolved": full}
}

func clonePlain(t *testing.T, v map[string]any) (clone map[string]any) {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &clone); err != nil {
		t.Fatal(err)
	}
	return clone
}

// The API server refuses what breaks a bound, and a status of its own making
// passes.
func TestCRDRefuses(t *testing.T) {
	validator, _, err := validation.NewSchemaValidator(crdProps(t))
	if err != nil {
		t.Fatal(err)
	}
	f := func(ok bool, p patch) {
		t.Helper()
		var document map[string]any
		if err := json.Unmarshal(patched(t, example(t, minimal), p), &document); err != nil {
			t.Fatal(err)
		}
		if errs := validation.ValidateCustomResource(nil, document, validator); (len(errs) == 0) != ok {
			t.Errorf("%s = %v: got %v, want accepted %v", p.path, p.value, errs, ok)
		}
	}
	f(false, patch{"spec.trials.minReplicates", 2})
	f(false, patch{"spec.trials.confidenceLevel", 0.9995})
	f(true, patch{"spec.trials.confidenceLevel", 0.999})
	f(false, patch{"spec.load.duration", "30"})
	f(false, patch{"spec.load.rate", []float64{0}})
	f(false, patch{"spec.intent.cadence", "weekly"})
	f(false, patch{"spec.workload.model", remove{}})
	f(true, patch{"spec.target.headers", map[string]any{"A": "x", "B": map[string]any{"env": "Y"}}})
	f(true, patch{"spec.layers", []any{map[string]any{"name": "micro", "enabled": false, "suites": []any{}}}})
	f(true, patch{"status", map[string]any{"phase": "Running", "provenanceRef": "x", "conditions": []any{
		map[string]any{"type": "Sealed", "status": "False", "reason": "Running", "lastTransitionTime": "2026-01-01T00:00:00Z"},
	}}})
	f(false, patch{"status.phase", "Happy"})
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
