package spec

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"assay/unit"
)

// Resolving fills defaults, changes nothing that is written, leaves its
// argument alone, and does nothing the second time.
func TestResolve(t *testing.T) {
	for name := range examples(t) {
		if name == "workloadspec.yaml" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			run := parseExample(t, name)
			before := asJSON(t, run)
			resolved, defaults := Resolve(run)
			if got := asJSON(t, run); got != before {
				t.Errorf("Resolve changed its argument:\n%s\n%s", before, got)
			}
			again, none := Resolve(resolved)
			if asJSON(t, again) != asJSON(t, resolved) || len(none) > 0 {
				t.Errorf("resolving twice filled %v", none)
			}
			if !contains(t, resolved, run) {
				t.Errorf("a written value was changed")
			}
			for _, d := range defaults {
				if d.Doc == "" || d.Path == "" {
					t.Errorf("default %+v does not say where and why", d)
				}
			}
			if faults := Check(resolved); run.APIVersion == APIVersion && !Valid(faults) {
				t.Errorf("the resolved document is not valid:%s", lines(faults))
			}
		})
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// contains reports whether every value of small is in big, at the same place.
func contains(t *testing.T, big, small any) bool {
	t.Helper()
	return holds(plainJSON(t, big), plainJSON(t, small))
}

func plainJSON(t *testing.T, v any) (plain any) {
	t.Helper()
	if err := json.Unmarshal([]byte(asJSON(t, v)), &plain); err != nil {
		t.Fatal(err)
	}
	return plain
}

func holds(big, small any) bool {
	switch s := small.(type) {
	case map[string]any:
		b, ok := big.(map[string]any)
		for key, value := range s {
			ok = ok && holds(b[key], value)
		}
		return ok
	case []any:
		b, ok := big.([]any)
		ok = ok && len(b) == len(s)
		for i := range s {
			ok = ok && holds(b[i], s[i])
		}
		return ok
	default:
		return reflect.DeepEqual(big, small)
	}
}

// The minimal example resolves to the documented values.
func TestResolveMinimal(t *testing.T) {
	resolved, defaults := Resolve(parseExample(t, minimal))
	s := resolved.Spec
	for _, tt := range []struct {
		path      string
		got, want any
	}{
		{"spec.intent.benchmarkClass", s.Intent.BenchmarkClass, RealismGrade},
		{"spec.trials.minReplicates", s.Trials.MinReplicates, 3},
		{"spec.trials.confidenceLevel", s.Trials.ConfidenceLevel, 0.95},
		{"spec.target.model", s.Target.Model, "openai/gpt-oss-20b"},
		{"spec.target.api", s.Target.API, "openai-chat"},
		{"spec.target.timeout", s.Target.Timeout, unit.Duration(10 * time.Minute)},
		{"spec.load.ignoreEOS", *s.Load.IgnoreEOS, true},
		{"spec.seed", s.Seed, int64(20260313)},
		{"spec.comparison.controls.fixed.model", s.Comparison.Controls.Fixed.Model, "openai/gpt-oss-20b"},
		{"spec.automation.ci.canary", *s.Automation.CI.Canary, true},
		{"spec.automation.ci.nightly", *s.Automation.CI.Nightly, false},
		{"spec.provenance.signing.required", *s.Provenance.Signing.Required, false},
	} {
		if tt.got != tt.want {
			t.Errorf("%s = %v, want %v", tt.path, tt.got, tt.want)
		}
		if !slices.ContainsFunc(defaults, func(d Default) bool { return d.Path == tt.path }) {
			t.Errorf("%s is not among the reported defaults", tt.path)
		}
	}
	if slices.ContainsFunc(defaults, func(d Default) bool { return d.Path == "spec.load.concurrency" }) {
		t.Errorf("spec.load.concurrency was written and is reported as a default")
	}
}

// Defaults follow what the document does say.
func TestDerived(t *testing.T) {
	f := func(path string, edit func(*RunSpec), got func(RunSpec) any, want any) {
		t.Helper()
		run := parseExample(t, minimal)
		run.Spec.Load = nil
		edit(&run.Spec)
		resolved, _ := Resolve(run)
		if g := got(resolved.Spec); !reflect.DeepEqual(g, want) {
			t.Errorf("%s = %v, want %v", path, g, want)
		}
	}
	open := func(s *RunSpec) { s.Workload.ConcurrencyModel = OpenLoop }
	f("load.concurrency", func(*RunSpec) {}, func(s RunSpec) any { return s.Load.Concurrency }, []int{1, 4, 16})
	f("load.rate", open, func(s RunSpec) any { return s.Load.Rate }, []float64{1, 2, 4})
	f("load.arrival", open, func(s RunSpec) any { return s.Load.Arrival }, ArrivalPoisson)
	f("load.arrival with a trace", func(s *RunSpec) { open(s); s.Load = &Load{TraceRef: "t.jsonl"} },
		func(s RunSpec) any { return s.Load.Arrival }, ArrivalTrace)
	f("load of training", func(s *RunSpec) { s.Intent.WorkloadType = Training }, func(s RunSpec) any { return s.Load == nil }, true)
	f("train of training", func(s *RunSpec) { s.Intent.WorkloadType = Training }, func(s RunSpec) any { return s.Train.Ranks }, []int{1, 2})
	f("facts of mixed", func(s *RunSpec) { s.Intent.WorkloadType = Mixed },
		func(s RunSpec) any { return s.Sinks.CuratedWarehouse.Layout.Facts },
		[]string{"benchmark_run_fact", "telemetry_slice_fact", "serving_outcome_fact", "training_outcome_fact"})
	f("scheduler sources", func(s *RunSpec) { s.Intent.SchedulerPath = "slurm-slinky" },
		func(s RunSpec) any { return s.Observability.TelemetrySources.Scheduler }, []string{"kubernetes_events", "slinky"})
	f("micro layer with probes", func(s *RunSpec) { s.Probe = &Probe{} }, func(s RunSpec) any { return s.Layers[0].Enabled }, true)
	f("retention", func(s *RunSpec) { s.Sinks.CuratedWarehouse.Retention.HotDays = 200 },
		func(s RunSpec) any {
			return []int{s.Sinks.HotMetrics.RetentionDays, s.Sinks.CuratedWarehouse.Retention.WarmDays}
		}, []int{200, 200})
}
