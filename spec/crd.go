package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A resource is a kind of document that is an object of Kubernetes too.
type resource struct {
	kind, plural, short string
	columns             [][3]string // name, type and path of what kubectl get shows
	schema              func() *schema
}

// resources are those kinds.
var resources = []resource{
	{KindBenchmarkRun, "benchmarkruns", "brun", [][3]string{
		{"Class", "string", ".spec.intent.benchmarkClass"}, {"Workload", "string", ".spec.intent.workloadType"},
		{"Scheduler", "string", ".spec.intent.schedulerPath"}, {"Phase", "string", ".status.phase"},
	}, runSchema},
	{KindBenchmarkSchedule, "benchmarkschedules", "bsched", [][3]string{
		{"Purpose", "string", ".spec.purpose"}, {"Schedule", "string", ".spec.schedule"}, {"Zone", "string", ".spec.timeZone"},
		{"Suspend", "boolean", ".spec.suspend"}, {"Last", "date", ".status.lastScheduleTime"}, {"Next", "string", ".status.nextScheduleTime"},
	}, scheduleSchema},
}

// CRDKinds are the kinds that a cluster can hold.
func CRDKinds() (kinds []string) {
	for _, r := range resources {
		kinds = append(kinds, r.kind)
	}
	return kinds
}

// CRD is the CustomResourceDefinition of a kind as YAML. Every field is typed, so that an
// API server prunes nothing a valid document holds; unknown fields and the rules between
// fields are the admission check's business.
func CRD(kind string) ([]byte, error) {
	i := slices.IndexFunc(resources, func(r resource) bool { return r.kind == kind })
	if i < 0 {
		return nil, fmt.Errorf("a %s is no object of Kubernetes: want one of %s", kind, strings.Join(CRDKinds(), ", "))
	}
	r := resources[i]
	group, version, _ := strings.Cut(APIVersion, "/")
	definition := object{
		{"apiVersion", "apiextensions.k8s.io/v1"},
		{"kind", "CustomResourceDefinition"},
		{"metadata", object{{"name", r.plural + "." + group}}},
		{"spec", object{
			{"group", group},
			{"scope", "Namespaced"},
			{"names", object{
				{"kind", r.kind}, {"listKind", r.kind + "List"},
				{"plural", r.plural}, {"singular", strings.ToLower(r.kind)}, {"shortNames", []string{r.short}},
			}},
			{"versions", []object{{
				{"name", version}, {"served", true}, {"storage", true},
				{"subresources", object{{"status", object{}}}},
				{"additionalPrinterColumns", r.printed()},
				{"schema", object{{"openAPIV3Schema", r.schema()}}},
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

func (r resource) printed() []object {
	var columns []object
	for _, c := range r.columns {
		columns = append(columns, object{{"name", c[0]}, {"type", c[1]}, {"jsonPath", c[2]}})
	}
	return columns
}

// runSchema is the schema of a BenchmarkRun object.
func runSchema() *schema {
	question := questionSchema()
	question.Description = docComments()["Run.Spec"]
	question.Validations = frozenSpec
	return crdSchema(reflect.TypeFor[Run](), question, statusType)
}

// questionSchema is the schema of a RunSpec.
func questionSchema() *schema {
	question := kubernetesDialect.object(reflect.TypeFor[RunSpec]())
	question.Properties.find("kubernetes").Validations = placementRules
	return question
}

// scheduleSchema is the schema of a BenchmarkSchedule object. It may change: the next run
// is made from what stands there then.
func scheduleSchema() *schema {
	asked := kubernetesDialect.object(reflect.TypeFor[ScheduleSpec]())
	asked.Description = docComments()["BenchmarkSchedule.Spec"]
	template := asked.Properties.find("template")
	question := template.Properties.find("spec")
	question.Properties = questionSchema().Properties
	return crdSchema(reflect.TypeFor[BenchmarkSchedule](), asked, scheduleStatusType)
}

// crdSchema is the schema of the whole object. The API server owns apiVersion,
// kind and metadata.
func crdSchema(document reflect.Type, asked *schema, statusType reflect.Type) *schema {
	docs := docComments()
	status := kubernetesDialect.object(statusType)
	status.Description = docs[statusType.Name()]
	return &schema{
		Type: "object", Description: docs[document.Name()], Required: []string{"spec"},
		Properties: properties{
			{"apiVersion", &schema{Type: "string", Description: docs[document.Name()+".APIVersion"]}},
			{"kind", &schema{Type: "string", Description: docs[document.Name()+".Kind"]}},
			{"metadata", &schema{Type: "object"}},
			{"spec", asked},
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
