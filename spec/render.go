package spec

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A RenderField is one choice of the renderer.
type RenderField struct {
	Name    string   `json:"name"`
	Doc     string   `json:"doc"`
	Default string   `json:"default"`
	Choices []string `json:"choices,omitempty"` // nil means free text

	apply func(r *Run, value string)
}

// RenderFields lists the choices of the renderer in the order of help.
var RenderFields = []RenderField{
	{"name", "the run's name", "publication-inference-stack-b200", nil,
		func(r *Run, v string) { r.Metadata.Name = v }},
	{"benchmarkClass", "how strict the run is", PublicationGrade, Vocabularies["classes"],
		func(r *Run, v string) {
			r.Spec.Intent.BenchmarkClass = v
			r.Metadata.Labels = map[string]string{"assay.dev/benchmark-class": v}
		}},
	{"workloadType", "the kind of work", Inference, Vocabularies["workloadTypes"],
		func(r *Run, v string) { r.Spec.Intent.WorkloadType = v }},
	{"schedulerPath", "the path by which work is placed", "slinky-kueue", nil,
		func(r *Run, v string) { r.Spec.Intent.SchedulerPath = v }},
	{"cadence", "the schedule the run belongs to", "pre_release", Vocabularies["cadences"],
		func(r *Run, v string) { r.Spec.Intent.Cadence = v }},
	{"model", "the model", "openai/gpt-oss-20b", nil,
		func(r *Run, v string) { r.Spec.Workload.Model = v }},
	{"precision", "the numeric precision", "bf16", Vocabularies["precisions"],
		func(r *Run, v string) { r.Spec.Workload.Precision = v }},
	{"batchingPolicy", "how the server forms batches", "continuous", Vocabularies["batchingPolicies"],
		func(r *Run, v string) { r.Spec.Workload.BatchingPolicy = v }},
	{"concurrencyModel", "how load is offered", ClosedLoop, Vocabularies["concurrencyModels"],
		func(r *Run, v string) { r.Spec.Workload.ConcurrencyModel = v }},
	{"comparisonVariable", "the one variable that differs", "runtime_version", Vocabularies["variables"],
		func(r *Run, v string) { r.Spec.Comparison.VariableUnderTest = v }},
	{"url", "the base URL of the endpoint, for inference", "http://127.0.0.1:8000", nil,
		func(r *Run, v string) { r.Spec.Target = &Target{URL: v} }},
	{"api", "the API the endpoint speaks, for inference", "openai-chat", Vocabularies["apis"],
		func(r *Run, v string) {
			if r.Spec.Target != nil {
				r.Spec.Target.API = v
			}
		}},
}

// Rendering is a rendered document and the values it was rendered from.
type Rendering struct {
	SchemaVersion string            `json:"schema_version"`
	AppliedValues map[string]string `json:"applied_values"`
	RenderedYAML  string            `json:"rendered_yaml"`
}

// renderVersion names the set of render fields, as the contract dates it.
const renderVersion = "2026-03-13"

// Render writes a full BenchmarkRun from fields: every default is written out.
// An empty value keeps the default of its field. The result is valid, or there
// is an error.
func Render(fields map[string]string) (Rendering, error) {
	values, err := renderValues(fields)
	if err != nil {
		return Rendering{}, err
	}
	run := renderRun(values)
	return rendered(run, values)
}

// renderRun applies values, one for each field, to the template.
func renderRun(values map[string]string) Run {
	run := template()
	for _, f := range RenderFields {
		f.apply(&run, values[f.Name])
	}
	if run.Spec.Intent.WorkloadType == Training {
		run.Spec.Target = nil
		delete(values, "url")
		delete(values, "api")
	}
	run, _ = Resolve(run)
	return run
}

// RenderMinimal writes a short BenchmarkRun from fields: what is not chosen is
// left to the documented defaults.
func RenderMinimal(fields map[string]string) (Rendering, error) {
	all, err := renderValues(fields)
	if err != nil {
		return Rendering{}, err
	}
	if fields["benchmarkClass"] == PublicationGrade {
		return Rendering{}, errors.New("a publication_grade document declares everything: leave minimal out, or choose realism_grade")
	}
	run := Run{APIVersion: APIVersion, Kind: KindBenchmarkRun}
	run.Metadata.Name = "my-run"
	run.Spec.Workload = Workload{Model: all["model"], SequenceLengthMix: templateWorkload().SequenceLengthMix}
	if fields["workloadType"] != Training {
		run.Spec.Target = &Target{URL: all["url"]}
	}
	values := map[string]string{}
	for _, f := range RenderFields {
		if fields[f.Name] != "" {
			values[f.Name] = fields[f.Name]
			f.apply(&run, fields[f.Name])
		}
	}
	return rendered(run, values)
}

// RenderWorkload writes a WorkloadSpec from the fields that concern one.
func RenderWorkload(fields map[string]string) (Rendering, error) {
	values, err := renderValues(fields)
	if err != nil {
		return Rendering{}, err
	}
	if err := oneOfChoices("workloadType", values["workloadType"], Vocabularies["frozenTypes"]); err != nil {
		return Rendering{}, err
	}
	w := workloadTemplate()
	w.Workload.Type = values["workloadType"]
	if fields["name"] != "" {
		w.Workload.Name = fields["name"]
	}
	if values["benchmarkClass"] == RealismGrade {
		w.RunMetadata.BenchmarkGrade = "realism"
	}
	if w.Workload.Type == Training {
		w.Workload.ServingContract = nil
		w.Metrics = FrozenMetrics{Primary: "mfu_pct", Secondary: []string{"tokens_per_second", "scaling_efficiency_pct"}}
	}
	w.Workload.Model.Name, w.Workload.Model.Precision = values["model"], values["precision"]
	w.Workload.BatchingPolicy.Mode = values["batchingPolicy"]
	w.Workload.ConcurrencyModel.Mode = values["concurrencyModel"]
	w.ComparisonAxis.VariableUnderTest = values["comparisonVariable"]
	w.Execution.SchedulerPath.QueueOrScheduler = values["schedulerPath"]
	w, _ = ResolveWorkload(w)
	for _, name := range []string{"cadence", "url", "api"} {
		delete(values, name) // a WorkloadSpec has no such thing
	}
	return rendered(w, values)
}

// renderValues fills defaults and refuses unknown fields and words.
func renderValues(fields map[string]string) (map[string]string, error) {
	values := map[string]string{}
	for _, f := range RenderFields {
		values[f.Name] = f.Default
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		at := slices.IndexFunc(RenderFields, func(f RenderField) bool { return f.Name == name })
		if at < 0 {
			//lint:ignore ST1005 the contract's own words
			return nil, fmt.Errorf("Unknown BenchmarkRun generator field: %s", name)
		}
		if fields[name] == "" {
			continue
		}
		if err := oneOfChoices(name, fields[name], RenderFields[at].Choices); err != nil {
			return nil, err
		}
		values[name] = fields[name]
	}
	return values, nil
}

func oneOfChoices(name, value string, choices []string) error {
	if choices == nil || slices.Contains(choices, value) {
		return nil
	}
	return fmt.Errorf("%s must be one of: %s", name, strings.Join(choices, ", "))
}

// rendered writes a document and refuses to hand out an invalid one: a free
// text choice can spoil it.
func rendered(document any, values map[string]string) (Rendering, error) {
	data, err := WriteYAML(document)
	if err != nil {
		return Rendering{}, err
	}
	_, faults := Parse("rendered document", data)
	for _, f := range faults {
		if f.Severity == SeverityError {
			return Rendering{}, fmt.Errorf("these choices make no valid document: %s: got %s, %s", f.Path, f.Got, f.Message)
		}
	}
	return Rendering{SchemaVersion: renderVersion, AppliedValues: values, RenderedYAML: string(data)}, nil
}
