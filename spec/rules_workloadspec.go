package spec

import (
	"fmt"
	"slices"
)

// workloadSpecRules are the rules of a WorkloadSpec.
var workloadSpecRules = []Rule{
	{ID: "W1", Path: "comparison_axis.constants_locked", Doc: "The five constants are locked.", check: all(lists("comparison_axis.constants_locked"), covers("comparison_axis.constants_locked", "missing locked constants ", "model", "sequence_length_mix", "precision", "batching_policy", "concurrency_model"))},
	{ID: "W2", Path: "comparison_axis", Doc: "Control and candidate differ.", check: controlDiffers},
	{ID: "W3", Path: "execution.image", Doc: "The image is a digest.", check: imagePinned},
	{ID: "W4", Path: "workload.input_distribution", Doc: "p50 <= p95 <= max.", check: lengthsOrdered},
	{ID: "W5", Path: "metrics.primary", Doc: "The headline metric belongs to the workload type.", check: headlineFits},
	{ID: "W6", Path: "measurement_policy.trials", Doc: "Publication grade has at least three trials.", check: when(isPublication, each(func(n *node) bool { v, ok := n.integer(); return ok && v >= 3 }, "must be an integer >= 3 for publication grade", "measurement_policy.trials"))},
	{ID: "W7", Path: "measurement_policy.outlier_policy", Doc: "Samples are kept and only flagged.", check: trues(wantTrue, under("measurement_policy.outlier_policy", "keep_raw_samples", "auto_flag_only", "discard_requires_written_reason")...)},
	{ID: "W8", Path: "measurement_policy.environment_controls", Doc: "Publication grade locks clocks and records the environment.", check: when(isPublication, trues("must be true for publication grade", under("measurement_policy.environment_controls", "gpu_clocks_locked", "app_clocks_recorded", "topology_recorded", "background_load_recorded")...))},
	{ID: "W9", Path: "diagnosis_policy", Doc: "The four bottleneck classes and the signals that tell them are named.", check: all(covers("diagnosis_policy.bottleneck_classes", "missing bottleneck classes ", bottleneckClasses...), covers("diagnosis_policy.required_signals", "missing required signals ", "model_server_metrics", "gpu_counters", "nccl_traces", "storage_or_network_probes", "scheduler_timing"))},
	{ID: "W10", Path: "diagnosis_policy.distributed.rank_level_visibility", Doc: "Every rank is visible.", check: trues(wantTrue, "diagnosis_policy.distributed.rank_level_visibility")},
	{ID: "W11", Path: "artifacts", Doc: "Publication grade keeps immutable, hashed artifacts with a manifest.", check: when(isPublication, trues("must be true for publication grade", under("artifacts", "raw_artifacts_immutable", "require_manifest", "require_sha256")...))},
	{ID: "W12", Path: "artifacts.provenance_signing.required", Doc: "Publication grade is signed.", check: when(isPublication, trues("must be true for publication grade", "artifacts.provenance_signing.required"))},
	{ID: "W13", Path: "workload.serving_contract.fairness_constraints", Doc: "Candidates are served alike.", check: servedAlike},
	{ID: "W14", Path: "workload.concurrency_model.values", Doc: "A closed loop counts whole requests.", check: wholeConcurrency},
}

func controlDiffers(c *checker) {
	axis := c.workload.ComparisonAxis
	if axis.Control != "" && axis.Control == axis.Candidate {
		c.fail("comparison_axis.candidate", "must differ from control")
	}
}

func imagePinned(c *checker) {
	if image := c.workload.Execution.Image; image != "" && !pinned.MatchString(image) {
		c.fail("execution.image", "must be "+pinnedWant)
	}
}

func lengthsOrdered(c *checker) {
	d := c.workload.Workload.InputDistribution
	for _, l := range []struct {
		name    string
		lengths *Lengths
	}{{"sequence_length_mix", d.SequenceLengthMix}, {"prompt_tokens", d.PromptTokens}, {"completion_tokens", d.CompletionTokens}} {
		path := "workload.input_distribution." + l.name
		if l.lengths == nil || c.anyUnread(path) {
			continue
		}
		if l.lengths.P50 > l.lengths.P95 || l.lengths.P95 > l.lengths.Max {
			c.failGot(path, fmt.Sprintf("%d, %d and %d", l.lengths.P50, l.lengths.P95, l.lengths.Max), "must satisfy p50 <= p95 <= max")
		}
	}
}

func headlineFits(c *checker) {
	training := slices.Contains(trainingMetrics, c.workload.Metrics.Primary)
	switch primary := c.workload.Metrics.Primary; {
	case primary == "" || c.anyUnread("workload.type", "metrics.primary"):
	case primary == "tokens_per_second": // both kinds of work have it
	case training && c.workload.Workload.Type == Inference:
		c.fail("metrics.primary", "is a training metric, and workload.type is inference")
	case !training && c.workload.Workload.Type == Training:
		c.fail("metrics.primary", "is an inference metric, and workload.type is training")
	}
}

func servedAlike(c *checker) {
	if c.workload.Workload.ServingContract == nil {
		return
	}
	trues(wantTrue, under("workload.serving_contract.fairness_constraints", "protocol_fixed_across_candidates",
		"deployment_model_fixed_across_candidates", "api_behavior_fixed_across_candidates")...)(c)
}

func wholeConcurrency(c *checker) {
	model := c.workload.Workload.ConcurrencyModel
	for i, v := range model.Values {
		if model.Mode != OpenLoop && v != float64(int64(v)) {
			c.fail(itemPath("workload.concurrency_model.values", i), "must be a whole number of requests in a closed loop")
		}
	}
}
