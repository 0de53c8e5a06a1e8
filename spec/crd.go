package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// CRD is the CustomResourceDefinition of BenchmarkRun as YAML. Every field is
// typed, so that an API server prunes nothing a valid document holds; unknown
// fields and the rules between fields are the admission check's business.
func CRD() ([]byte, error) {
	group, version, _ := strings.Cut(APIVersion, "/")
	definition := object{
		{"apiVersion", "apiextensions.k8s.io/v1"},
		{"kind", "CustomResourceDefinition"},
		{"metadata", object{{"name", "benchmarkruns." + group}}},
		{"spec", object{
			{"group", group},
			{"scope", "Namespaced"},
			{"names", object{
				{"kind", KindBenchmarkRun}, {"listKind", KindBenchmarkRun + "List"},
				{"plural", "benchmarkruns"}, {"singular", "benchmarkrun"}, {"shortNames", []string{"brun"}},
			}},
			{"versions", []object{{
				{"name", version}, {"served", true}, {"storage", true},
				{"subresources", object{{"status", object{}}}},
				{"additionalPrinterColumns", printerColumns()},
				{"schema", object{{"openAPIV3Schema", crdSchema()}}},
			}}},
		}},
	}
	data, err := json.Marshal(definition)
	if err != nil {
		return nil, fmt.Errorf("encode CRD: %w", err)
	}
	root, failed := readJSON(data)
	if failed != nil {
		return nil, fmt.Errorf("encode CRD: %w", failed)
	}
	out := bytes.NewBufferString("# Generated from package spec; run make generate.\n")
	if err := encodeYAML(out, yamlNode(root)); err != nil {
		return nil, fmt.Errorf("encode CRD: %w", err)
	}
	return out.Bytes(), nil
}

func printerColumns() []object {
	var columns []object
	for _, c := range [][2]string{
		{"Class", ".spec.intent.benchmarkClass"}, {"Workload", ".spec.intent.workloadType"},
		{"Scheduler", ".spec.intent.schedulerPath"}, {"Phase", ".status.phase"},
	} {
		columns = append(columns, object{{"name", c[0]}, {"type", "string"}, {"jsonPath", c[1]}})
	}
	return columns
}

// crdSchema is the schema of the whole object. The API server owns apiVersion,
// kind and metadata.
func crdSchema() *schema {
	d, docs := kubernetesDialect, docComments()
	run := reflect.TypeFor[Run]()
	spec := d.object(reflect.TypeFor[RunSpec]())
	spec.Description = docs[run.Name()+".Spec"]
	status := d.object(statusType)
	status.Description = docs[statusType.Name()]
	return &schema{
		Type: "object", Description: docs[run.Name()], Required: []string{"spec"},
		Properties: properties{
			{"apiVersion", &schema{Type: "string", Description: docs[run.Name()+".APIVersion"]}},
			{"kind", &schema{Type: "string", Description: docs[run.Name()+".Kind"]}},
			{"metadata", &schema{Type: "object"}},
			{"spec", spec},
			{"status", status},
		},
	}
}

// An object is a JSON object with its fields in order.
type object []entry

type entry struct {
	name  string
	value any
}

// MarshalJSON writes the fields in order.
func (o object) MarshalJSON() ([]byte, error) {
	var out strings.Builder
	out.WriteByte('{')
	for i, e := range o {
		if i > 0 {
			out.WriteByte(',')
		}
		value, err := json.Marshal(e.value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "%q:%s", e.name, value)
	}
	out.WriteByte('}')
	return []byte(out.String()), nil
}
