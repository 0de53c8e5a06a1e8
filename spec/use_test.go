package spec

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A switch that is only checked is refused when it is off, in the document that
// declares everything: nobody may believe that it did something.
func TestUses(t *testing.T) {
	for kind, file := range map[string]string{KindBenchmarkRun: serving, KindWorkloadSpec: "workloadspec.yaml"} {
		for _, field := range documentFields(kind) {
			if field.Use == "" || useWords[field.Use] == "" {
				continue
			}
			if field.Use == Checked && field.Bool {
				_, faults := Parse("f", patched(t, example(t, file), patch{field.Path, false}))
				if !slices.ContainsFunc(faults, func(f Fault) bool { return f.Path == field.Path && f.Severity == SeverityError }) {
					t.Errorf("%s: false is accepted, and its use is %s", field.Path, field.Use)
				}
			}
		}
	}
}

// What a person wrote and nothing acts on is named, by its section where that has the
// tag; what is only a default is not.
func TestUnacted(t *testing.T) {
	f := func(text string, want Unacted) {
		t.Helper()
		doc, faults := Parse("f", []byte(text))
		if !Valid(faults) {
			t.Fatal(lines(faults))
		}
		got := doc.Unacted()
		if !slices.Equal(got.Recorded, want.Recorded) || !slices.Equal(got.Refused, want.Refused) {
			t.Errorf("%s\nstates %+v, want %+v", text, got, want)
		}
		if doc.Run == nil {
			return
		}
		resolved, defaults := Resolve(*doc.Run)
		if again := UnactedIn(resolved, defaults); !slices.Equal(again.Recorded, want.Recorded) || !slices.Equal(again.Refused, want.Refused) {
			t.Errorf("%s\nresolved, states %+v, want %+v", text, again, want)
		}
	}
	run := func(spec string) string {
		return "apiVersion: assay.dev/v1alpha1\nkind: BenchmarkRun\nmetadata: {name: x}\nspec: {workload: {model: m}, target: {url: \"http://127.0.0.1:1\"}" + spec + "}\n"
	}
	f(run(""), Unacted{})
	f(run(", sinks: {hotMetrics: {store: prometheus}, rawArtifacts: {retentionClass: warm}}, automation: {ci: {canary: true}}"),
		Unacted{Recorded: []string{"spec.sinks.rawArtifacts.retentionClass", "spec.sinks.hotMetrics.store", "spec.automation"}})
	f(strings.Replace(run(""), "{name: x}", "{name: x, namespace: y}", 1), Unacted{Recorded: []string{"metadata.namespace"}})
	f("apiVersion: assay.dev/v1alpha1\nkind: GatePolicy\nmetadata: {name: x, annotations: {a: b}}\nspec: {metrics: [{metric: ttft.v2, statistic: p99, margin: 0.1}]}\n",
		Unacted{Recorded: []string{"metadata.annotations"}})
}

// The reference says what becomes of each field, also under a section with a tag.
func TestReferenceNamesUses(t *testing.T) {
	page, err := Reference(KindBenchmarkRun)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| `objective` | string |  | recorded, not acted on |", "| `nightly` | boolean |  | recorded, not acted on |",
		"| `seed` | integer | `20260313` |  |",
		"| `heads` | integer | `4` | read by workers |",
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the reference has no line with %q", want)
		}
	}
}

// A documentField is one field of a kind of document.
type documentField struct {
	Path string // with [] after a list
	Use  Use    // its own or that of its section; "" is acted on
	Bool bool   // it is a switch
}

// documentFields lists the fields of a kind of document in reading order.
func documentFields(kind string) []documentField {
	var all []documentField
	var walk func(t reflect.Type, path string, use Use)
	walk = func(t reflect.Type, path string, use Use) {
		for _, m := range membersOf(t) {
			f := documentField{Path: memberPath(path, m.name), Use: m.useIn(use), Bool: m.typ.Kind() == reflect.Bool || m.typ == reflect.TypeFor[*bool]()}
			if m.typ.Kind() == reflect.Slice {
				f.Path += "[]"
			}
			all = append(all, f)
			if inner := structOf(m.typ); inner != nil {
				walk(inner, f.Path, f.Use)
			}
		}
	}
	walk(roots[kind], "", "")
	return all
}
