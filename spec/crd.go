package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
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
	spec.Validations = frozenSpec
	placement := spec.Properties.find("kubernetes")
	placement.Validations = placementRules
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

// A celRule is a rule between fields that an API server checks by itself.
type celRule struct {
	Rule    string `json:"rule"`
	Message string `json:"message"`
}

// frozenSpec: what a run asks does not change while it is carried out.
var frozenSpec = []celRule{{"self == oldSelf", "the spec of a run does not change: make another BenchmarkRun"}}

// placementRules are those of kubernetesAgrees, with its words, where an author sees them
// at kubectl apply.
var placementRules = []celRule{
	{"!has(self.requiredTopology) || !has(self.preferredTopology)", "preferredTopology: requiredTopology is there too: want one of them"},
	{"has(self.queue) || !has(self.priorityClass) && !has(self.requiredTopology) && !has(self.preferredTopology)",
		"priorityClass, requiredTopology and preferredTopology are for Kueue: want spec.kubernetes.queue beside them"},
}

// find is the schema of a property.
func (p properties) find(name string) *schema {
	i := slices.IndexFunc(p, func(one property) bool { return one.name == name })
	return p[i].schema
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
