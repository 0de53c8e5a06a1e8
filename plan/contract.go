package plan

import (
	"fmt"
	"slices"
	"strings"

	"assay/spec"
)

// A Breach is one thing that a frozen workload demands and a plan does not keep.
type Breach struct {
	Demand string // the field of the WorkloadSpec
	Want   string
	Field  string // that of the BenchmarkRun
	Got    string
}

func (b Breach) String() string {
	return fmt.Sprintf("%s: got %s, want %s (%s)", b.Field, b.Got, b.Want, b.Demand)
}

// Breaches holds the plan against a frozen workload, with the defaults of both. The
// order is that of the WorkloadSpec; an empty list says that the plan keeps it.
func (p Plan) Breaches(frozen spec.WorkloadSpec) []Breach {
	w, _ := spec.ResolveWorkload(frozen)
	var all []Breach
	for _, part := range []func(spec.RunSpec, spec.WorkloadSpec) []Breach{breachedIntent, breachedModel, breachedLengths, breachedLoad, breachedServing, breachedPolicy} {
		all = append(all, part(p.Run.Spec, w)...)
	}
	return all
}

// same is the breach of two words that differ; a demand for none is kept by any.
func same(demand, want, field, got string) []Breach {
	if want == "" || want == got {
		return nil
	}
	return []Breach{{demand, want, field, said(got)}}
}

func said(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}

func breachedIntent(s spec.RunSpec, w spec.WorkloadSpec) []Breach {
	return slices.Concat(
		same("run_metadata.benchmark_grade", w.RunMetadata.BenchmarkGrade+"_grade", "spec.intent.benchmarkClass", s.Intent.BenchmarkClass),
		same("comparison_axis.variable_under_test", w.ComparisonAxis.VariableUnderTest, "spec.comparison.variableUnderTest", s.Comparison.VariableUnderTest),
		same("workload.type", w.Workload.Type, "spec.intent.workloadType", s.Intent.WorkloadType),
		headlineKept(s, w.Metrics.Primary),
	)
}

// headlineKept wants the metric that a claim rests on among the primary ones.
func headlineKept(s spec.RunSpec, metric string) []Breach {
	primary := slices.Concat(s.Metrics.Training.Primary, s.Metrics.Inference.Primary)
	if slices.Contains(primary, metric) {
		return nil
	}
	return []Breach{{"metrics.primary", metric, "spec.metrics", strings.Join(primary, ", ")}}
}

func breachedModel(s spec.RunSpec, w spec.WorkloadSpec) []Breach {
	model := w.Workload.Model
	all := slices.Concat(
		same("workload.model.name", model.Name, "spec.workload.model", s.Workload.Model),
		same("workload.model.precision", model.Precision, "spec.workload.precision", s.Workload.Precision),
		same("workload.batching_policy.mode", w.Workload.BatchingPolicy.Mode, "spec.workload.batchingPolicy", s.Workload.BatchingPolicy),
	)
	if billions := model.ParameterCountB; billions > 0 && s.Bounds != nil && s.Bounds.Parameters != billions*1e9 {
		all = append(all, Breach{"workload.model.parameter_count_b", fmt.Sprintf("%g", billions*1e9), "spec.bounds.parameters", fmt.Sprintf("%g", s.Bounds.Parameters)})
	}
	if most := w.Workload.QualityConstraints.MaxAccuracyDeltaPct; most > 0 && s.Evaluation != nil && 100*s.Evaluation.Margin > most+1e-9 {
		all = append(all, Breach{"workload.quality_constraints.max_accuracy_delta_pct", fmt.Sprintf("at most %g", most/100), "spec.evaluation.margin", fmt.Sprintf("%g", s.Evaluation.Margin)})
	}
	for _, suite := range w.Workload.QualityConstraints.CorrectnessSuite {
		if !slices.Contains(s.Workload.Correctness.Suite, suite) {
			all = append(all, Breach{"workload.quality_constraints.correctness_suite", suite, "spec.workload.correctness.suite", said(strings.Join(s.Workload.Correctness.Suite, ", "))})
		}
	}
	return all
}

// breachedLengths holds the lengths of the mix against three points of their
// distribution each.
func breachedLengths(s spec.RunSpec, w spec.WorkloadSpec) []Breach {
	d := w.Workload.InputDistribution
	var all []Breach
	for _, of := range []struct {
		name   string
		want   *spec.Lengths
		length func(spec.SequenceLength) int
	}{
		{"sequence_length_mix", d.SequenceLengthMix, func(l spec.SequenceLength) int { return l.InputTokens + l.OutputTokens }},
		{"prompt_tokens", d.PromptTokens, func(l spec.SequenceLength) int { return l.InputTokens }},
		{"completion_tokens", d.CompletionTokens, func(l spec.SequenceLength) int { return l.OutputTokens }},
	} {
		if of.want == nil {
			continue
		}
		p50, p95, most := spread(s.Workload.SequenceLengthMix, of.length)
		if got := (spec.Lengths{P50: p50, P95: p95, Max: most}); got != *of.want {
			all = append(all, Breach{"workload.input_distribution." + of.name, lengthWords(*of.want), "spec.workload.sequenceLengthMix", lengthWords(got)})
		}
	}
	return all
}

func lengthWords(l spec.Lengths) string {
	return fmt.Sprintf("p50 %d, p95 %d, max %d", l.P50, l.P95, l.Max)
}

// spread is the median, the 95th percentile and the largest length of a mix.
func spread(mix []spec.SequenceLength, length func(spec.SequenceLength) int) (p50, p95, most int) {
	sorted := slices.SortedFunc(slices.Values(mix), func(a, b spec.SequenceLength) int { return length(a) - length(b) })
	at := func(share float64) int {
		sum := 0.0
		for _, shape := range sorted {
			if sum += shape.Weight; sum >= share-1e-9 {
				return length(shape)
			}
		}
		return 0
	}
	return at(.5), at(.95), at(1)
}

func breachedLoad(s spec.RunSpec, w spec.WorkloadSpec) []Breach {
	model := w.Workload.ConcurrencyModel
	all := same("workload.concurrency_model.mode", model.Mode, "spec.workload.concurrencyModel", s.Workload.ConcurrencyModel)
	if len(model.Values) > 0 && s.Load != nil {
		field, got := "spec.load.rate", s.Load.Rate
		if s.Workload.ConcurrencyModel == spec.ClosedLoop {
			field, got = "spec.load.concurrency", nil
			for _, users := range s.Load.Concurrency {
				got = append(got, float64(users))
			}
		}
		if !slices.Equal(got, model.Values) {
			all = append(all, Breach{"workload.concurrency_model.values", fmt.Sprint(model.Values), field, fmt.Sprint(got)})
		}
	}
	return all
}

// breachedServing holds the target against what is to serve the model. What the document
// does not declare of its target cannot be held against anything.
func breachedServing(s spec.RunSpec, w spec.WorkloadSpec) []Breach {
	c := w.Workload.ServingContract
	if c == nil || s.Target == nil {
		return nil
	}
	var all []Breach
	if !speaks(s.Target.API, c.Protocol) {
		all = append(all, Breach{"workload.serving_contract.protocol", c.Protocol, "spec.target.api", s.Target.API})
	}
	engine := strings.ToLower(s.Target.System.Engine)
	if stack := c.StackUnderTest; engine != "" && slices.Contains([]string{"vllm", "triton"}, stack) { // the others are platforms above an engine
		all = append(all, same("workload.serving_contract.stack_under_test", stack, "spec.target.system.engine", engine)...)
	}
	if model := s.Target.System.DeploymentModel; model != "" && c.DeploymentModel != "custom" {
		all = append(all, same("workload.serving_contract.deployment_model", c.DeploymentModel, "spec.target.system.deploymentModel", model)...)
	}
	return all
}

// speaks reports whether an API is of a protocol; custom is any.
func speaks(api, protocol string) bool {
	switch protocol {
	case "openai_compatible_http":
		return strings.HasPrefix(api, "openai-")
	case "grpc":
		return api == "kserve-grpc"
	case "triton_http":
		return api == "triton"
	default:
		return true
	}
}

func breachedPolicy(s spec.RunSpec, w spec.WorkloadSpec) []Breach {
	policy := w.MeasurementPolicy
	all := same("measurement_policy.outlier_policy.method", policy.OutlierPolicy.Method, "spec.trials.outlierPolicy.method", s.Trials.OutlierPolicy.Method)
	if got := s.Trials.Launches(); got < policy.Trials {
		all = append(all, Breach{"measurement_policy.trials", fmt.Sprintf("at least %d", policy.Trials), "spec.trials.minReplicates", fmt.Sprint(got)})
	}
	interval, _, _ := strings.Cut(policy.ConfidencePolicy.Method, "_95")
	made := s.Trials.Interval
	if made == "" {
		made = spec.IntervalStudent
	}
	all = append(all, same("measurement_policy.confidence_policy.method", interval, "spec.trials.interval", made)...)
	if s.Trials.ConfidenceLevel != .95 { // every method is one of 95 %
		all = append(all, Breach{"measurement_policy.confidence_policy.method", "0.95", "spec.trials.confidenceLevel", fmt.Sprint(s.Trials.ConfidenceLevel)})
	}
	if margin := policy.ConfidencePolicy.MinEffectSizePct / 100; s.Comparison.Margin > 0 && s.Comparison.Margin != margin {
		all = append(all, Breach{"measurement_policy.confidence_policy.min_effect_size_pct", fmt.Sprintf("%g", margin), "spec.comparison.margin", fmt.Sprintf("%g", s.Comparison.Margin)})
	}
	if required := w.Artifacts.ProvenanceSigning.Required; required != nil && *required && (s.Provenance.Signing.Required == nil || !*s.Provenance.Signing.Required) {
		all = append(all, Breach{"artifacts.provenance_signing.required", "true", "spec.provenance.signing.required", "false"})
	}
	return all
}
