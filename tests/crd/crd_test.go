// Package crd holds the CRD against the API server's own code. It is a module of its
// own, because that code brings some seventy modules that nothing else here needs.
package crd

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"sigs.k8s.io/yaml"

	"assay/spec"
)

// examples names every shipped example.
func examples(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../examples/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range files {
		files[i] = filepath.Base(file)
	}
	return files
}

func example(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("../../examples/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// patched is a document with one value changed; nil takes it out.
func patched(t *testing.T, data []byte, path []string, value any) map[string]any {
	t.Helper()
	var document map[string]any
	if err := yaml.Unmarshal(data, &document); err != nil {
		t.Fatal(err)
	}
	at := document
	for _, name := range path[:len(path)-1] {
		inner, ok := at[name].(map[string]any)
		if !ok {
			inner = map[string]any{}
			at[name] = inner
		}
		at = inner
	}
	if last := path[len(path)-1]; value == nil {
		delete(at, last)
	} else {
		at[last] = value
	}
	return clonePlain(t, document)
}

func readCRD(t *testing.T, kind string) *apiextensions.CustomResourceDefinition {
	t.Helper()
	data, err := spec.CRD(kind)
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

func crdProps(t *testing.T, kind string) *apiextensions.JSONSchemaProps {
	t.Helper()
	crd := readCRD(t, kind)
	// The conversion lifts the schema of the only version to the top.
	if crd.Spec.Validation == nil || crd.Spec.Validation.OpenAPIV3Schema == nil {
		t.Fatal("the CRD has no schema")
	}
	return crd.Spec.Validation.OpenAPIV3Schema
}

// An API server accepts every CRD.
func TestCRDIsAccepted(t *testing.T) {
	for _, kind := range spec.CRDKinds() {
		if errs := crdvalidation.ValidateCustomResourceDefinition(context.Background(), readCRD(t, kind)); len(errs) > 0 {
			t.Errorf("the API server would refuse the CRD of %s: %v", kind, errs.ToAggregate())
		}
		structural, err := structuralschema.NewStructural(crdProps(t, kind))
		if err != nil {
			t.Fatal(err)
		}
		if errs := structuralschema.ValidateStructural(nil, structural); len(errs) > 0 {
			t.Errorf("the schema of %s is not structural: %v", kind, errs.ToAggregate())
		}
	}
}

// The API server accepts every example and prunes nothing from it.
func TestCRDTakesExamples(t *testing.T) {
	props := crdProps(t, spec.KindBenchmarkRun)
	validator, _, err := validation.NewSchemaValidator(props)
	if err != nil {
		t.Fatal(err)
	}
	structural, err := structuralschema.NewStructural(props)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, name := range examples(t) {
		if name == "reference-template.yaml" || name == "workloadspec.yaml" {
			continue // of another group, of another kind
		}
		n++
		t.Run(name, func(t *testing.T) {
			for form, document := range crdForms(t, name) {
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
func crdForms(t *testing.T, name string) map[string]map[string]any {
	t.Helper()
	data := example(t, name)
	var written map[string]any
	if err := yaml.Unmarshal(data, &written); err != nil {
		t.Fatal(err)
	}
	document, faults := spec.Parse(name, data)
	if !spec.Valid(faults) {
		t.Fatalf("%s is not valid: %v", name, faults)
	}
	resolved, _ := spec.Resolve(*document.Run)
	text, err := spec.WriteYAML(resolved)
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
	validator, _, err := validation.NewSchemaValidator(crdProps(t, spec.KindBenchmarkRun))
	if err != nil {
		t.Fatal(err)
	}
	f := func(ok bool, path string, value any) {
		t.Helper()
		document := patched(t, example(t, "minimal.yaml"), strings.Split(path, "."), value)
		if errs := validation.ValidateCustomResource(nil, document, validator); (len(errs) == 0) != ok {
			t.Errorf("%s = %v: got %v, want accepted %v", path, value, errs, ok)
		}
	}
	f(false, "spec.trials.minReplicates", 2)
	f(false, "spec.trials.confidenceLevel", 0.9995)
	f(true, "spec.trials.confidenceLevel", 0.999)
	f(false, "spec.load.duration", "30")
	f(false, "spec.load.rate", []float64{0})
	f(false, "spec.intent.cadence", "weekly")
	f(false, "spec.workload.model", nil)
	f(true, "spec.target.headers", map[string]any{"A": "x", "B": map[string]any{"env": "Y"}})
	f(true, "spec.layers", []any{map[string]any{"name": "micro", "enabled": false, "suites": []any{}}})
	f(true, "status", map[string]any{"phase": "Running", "provenanceRef": "x", "conditions": []any{
		map[string]any{"type": "Sealed", "status": "False", "reason": "Running", "lastTransitionTime": "2026-01-01T00:00:00Z"},
	}})
	f(false, "status.phase", "Happy")
}
