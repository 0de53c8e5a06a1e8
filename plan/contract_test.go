package plan

import (
	"slices"
	"testing"

	"assay/spec"
)

// A plan that keeps a frozen workload has no breach, and each thing that it does
// differently is named by both fields.
func TestBreaches(t *testing.T) {
	const frozen = `apiVersion: assay.dev/v1alpha1
kind: WorkloadSpec
run_metadata: {benchmark_grade: realism}
workload:
  type: inference
  name: chat
  model: {name: m, precision: as_served, parameter_count_b: 7}
  input_distribution: {prompt_tokens: {p50: 100, p95: 400, max: 400}, completion_tokens: {p50: 10, p95: 20, max: 20}}
  batching_policy: {mode: as_served}
  concurrency_model: {mode: closed_loop, values: [1, 8]}
  serving_contract: {stack_under_test: vllm, deployment_model: deployment_per_gpu}
  quality_constraints: {correctness_suite: [gsm8k]}
measurement_policy: {trials: 3, outlier_policy: {method: mad}, confidence_policy: {method: student_t_95_ci, min_effect_size_pct: 2}}
metrics: {primary: ttft_ms}
artifacts: {provenance_signing: {required: false}}
`
	const kept = `workload: {model: m, correctness: {suite: [gsm8k]}, sequenceLengthMix: [{inputTokens: 100, outputTokens: 10, weight: 0.6}, {inputTokens: 400, outputTokens: 20, weight: 0.4}]},
		target: {url: "http://127.0.0.1:1"}, load: {concurrency: [1, 8]}, cost: {gpuCount: 1}, bounds: {parameters: 7e9}, comparison: {margin: 0.02}`
	const other = `workload: {model: n, precision: fp8, batchingPolicy: static, concurrencyModel: open_loop},
		target: {url: "http://127.0.0.1:1", api: tgi, system: {engine: SGLang, deploymentModel: multinode_service}}, load: {rate: [1, 8]}, cost: {gpuCount: 1}, bounds: {parameters: 8e9},
		comparison: {margin: 0.05, variableUnderTest: driver_stack}, trials: {quick: true, confidenceLevel: 0.9, outlierPolicy: {method: tukey_iqr}}`
	workload := parsed(t, frozen).Workload
	if got := planned(t, kept).Breaches(*workload); len(got) > 0 {
		t.Errorf("breaches %v, want none", got)
	}
	want := []string{
		"comparison_axis.variable_under_test", "workload.model.name", "workload.model.precision", "workload.batching_policy.mode",
		"workload.model.parameter_count_b", "workload.quality_constraints.correctness_suite",
		"workload.input_distribution.prompt_tokens", "workload.input_distribution.completion_tokens",
		"workload.concurrency_model.mode", "workload.serving_contract.protocol",
		"workload.serving_contract.stack_under_test", "workload.serving_contract.deployment_model",
		"measurement_policy.outlier_policy.method", "measurement_policy.trials", "measurement_policy.confidence_policy.method",
		"measurement_policy.confidence_policy.min_effect_size_pct",
	}
	var got []string
	for _, b := range planned(t, other).Breaches(*workload) {
		got = append(got, b.Demand)
	}
	if !slices.Equal(got, want) {
		t.Errorf("breaches of\n%q, want\n%q", got, want)
	}
	more := *workload
	more.Metrics.Primary, more.Workload.Type = "mfu_pct", spec.Training
	more.Workload.ConcurrencyModel.Values = []float64{1}
	more.Workload.InputDistribution.SequenceLengthMix = &spec.Lengths{P50: 1, P95: 1, Max: 1}
	more.MeasurementPolicy.ConfidencePolicy.Method = "bootstrap_95_ci"
	required := true
	more.Artifacts.ProvenanceSigning.Required, more.RunMetadata.BenchmarkGrade = &required, "publication"
	got = nil
	for _, b := range planned(t, kept).Breaches(more) {
		got = append(got, b.Field+" "+b.Got)
	}
	want = []string{
		"spec.intent.benchmarkClass realism_grade", "spec.intent.workloadType inference", "spec.workload.sequenceLengthMix p50 110, p95 420, max 420",
		"spec.load.concurrency [1 8]", "spec.trials.interval student_t", "spec.provenance.signing.required false",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
}

// A run that takes a larger loss for none than the workload accepts does not keep it.
func TestAccuracyDelta(t *testing.T) {
	var s spec.RunSpec
	var w spec.WorkloadSpec
	s.Evaluation = &spec.Evaluation{Margin: .02}
	w.Workload.QualityConstraints.MaxAccuracyDeltaPct = 1
	demands := func() (list []string) {
		for _, b := range breachedModel(s, w) {
			list = append(list, b.Demand)
		}
		return list
	}
	const demand = "workload.quality_constraints.max_accuracy_delta_pct"
	if got := demands(); !slices.Contains(got, demand) {
		t.Errorf("breaches of %q, want %s", got, demand)
	}
	if s.Evaluation.Margin = .01; slices.Contains(demands(), demand) {
		t.Error("a margin of 1 % is a breach of 1 %")
	}
}

func parsed(t *testing.T, text string) *spec.Document {
	t.Helper()
	doc, faults := spec.Parse("test.yaml", []byte(text))
	if !spec.Valid(faults) {
		t.Fatal(faults)
	}
	return doc
}

func planned(t *testing.T, fields string) Plan {
	t.Helper()
	p, err := New(*parsed(t, `{apiVersion: assay.dev/v1alpha1, kind: BenchmarkRun, metadata: {name: t}, spec: {`+fields+`}}`).Run)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
