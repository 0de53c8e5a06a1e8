package spec

import (
	"slices"
	"strings"
	"testing"
)

func drop(list []string, word string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(w string) bool { return w == word })
}

// upTo lists 1 to n.
func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i + 1
	}
	return list
}

const (
	serving   = "publication-inference.yaml"
	training  = "publication-training.yaml"
	reference = "reference-template.yaml"
	minimal   = "minimal.yaml"
)

// contractCases break one rule each.
var contractCases = []struct {
	rule    string
	file    string
	patch   patch
	path    string
	message string
}{
	{"C2", serving, patch{"apiVersion", ""}, "apiVersion", "expected non-empty string"},
	{"C3", serving, patch{"kind", "Benchmark"}, "kind", "expected BenchmarkRun"},
	{"C4", serving, patch{"metadata", []string{}}, "metadata", "expected mapping"},
	{"C4", serving, patch{"metadata.name", ""}, "metadata.name", "expected non-empty string"},
	{"C5", reference, patch{"spec.intent", remove{}}, "spec.intent", "expected mapping"},
	{"C5", reference, patch{"spec", remove{}}, "spec", "expected mapping"},
	{"C6", reference, patch{"spec.intent.benchmarkClass", "gold"}, "spec.intent.benchmarkClass", "expected one of ['publication_grade', 'realism_grade']"},
	{"C6", serving, patch{"spec.intent.benchmarkClass", "gold"}, "spec.intent.benchmarkClass", "expected one of ['publication_grade', 'realism_grade']"},
	{"C7", serving, patch{"spec.intent.workloadType", "serving"}, "spec.intent.workloadType", "expected one of ['inference', 'mixed', 'training']"},
	{"C8", serving, patch{"spec.intent.schedulerPath", remove{}}, "spec.intent.schedulerPath", "expected non-empty string"},
	{"C8", serving, patch{"spec.intent.cadence", ""}, "spec.intent.cadence", "expected non-empty string"},
	{"C9", serving, patch{"spec.layers", "all"}, "spec.layers", "expected list"},
	{"C10", serving, patch{"spec.layers[0]", "micro"}, "spec.layers[0]", "expected mapping"},
	{"C11", serving, patch{"spec.layers[0].name", remove{}}, "spec.layers[0].name", "expected non-empty string"},
	{"C12", serving, patch{"spec.layers[0].enabled", "yes"}, "spec.layers[0].enabled", "expected boolean"},
	{"C13", serving, patch{"spec.layers[0].suites", []string{}}, "spec.layers[0].suites", "enabled layer must declare at least one suite"},
	{"C13", serving, patch{"spec.layers[0].suites", remove{}}, "spec.layers[0].suites", "expected list"},
	{"C14", serving, patch{"spec.layers", []any{}}, "spec.layers", "at least one layer must be enabled"},
	{"C15", serving, patch{"spec.layers[2].name", "user"}, "spec.layers", "template must model all methodology layers; missing ['end_to_end']"},
	{"C16", serving, patch{"spec.workload.model", 7}, "spec.workload.model", "expected non-empty string"},
	{"C16", serving, patch{"spec.workload.precision", remove{}}, "spec.workload.precision", "expected non-empty string"},
	{"C16", serving, patch{"spec.workload.batchingPolicy", " "}, "spec.workload.batchingPolicy", "expected non-empty string"},
	{"C16", serving, patch{"spec.workload.concurrencyModel", nil}, "spec.workload.concurrencyModel", "expected non-empty string"},
	{"C17", serving, patch{"spec.workload.sequenceLengthMix", []any{}}, "spec.workload.sequenceLengthMix", "expected at least one sequence mix entry"},
	{"C17", serving, patch{"spec.workload.sequenceLengthMix", "512/128"}, "spec.workload.sequenceLengthMix", "expected list"},
	{"C18", serving, patch{"spec.comparison.variableUnderTest", "batching_policy"}, "spec.comparison.variableUnderTest", "expected one of ['control_plane_path', 'driver_stack', 'hardware_generation', 'network_topology', 'runtime_version', 'scheduler_path', 'storage_stack']"},
	{"C19", serving, patch{"spec.comparison.controls.fixed.sequenceLengthMix", remove{}}, "spec.comparison.controls.fixed", "missing fixed workload controls ['sequenceLengthMix']"},
	{"C19", serving, patch{"spec.comparison.controls.fixed", remove{}}, "spec.comparison.controls.fixed", "expected mapping"},
	{"C20", serving, patch{"spec.comparison.controls.compareOneVariableAtATime", false}, "spec.comparison.controls.compareOneVariableAtATime", "must be true"},
	{"C21", training, patch{"spec.metrics.training.enabled", false}, "spec.metrics.training.enabled", "must be true for training or mixed workloads"},
	{"C22", training, patch{"spec.metrics.training.primary", drop(trainingMetrics, "mfu_pct")}, "spec.metrics.training.primary", "missing training metrics ['mfu_pct']"},
	{"C23", serving, patch{"spec.metrics.inference.enabled", remove{}}, "spec.metrics.inference.enabled", "must be true for inference or mixed workloads"},
	{"C24", serving, patch{"spec.metrics.inference.primary", []string{"ttft_ms", "p99_latency_ms", "cost_per_token_usd"}}, "spec.metrics.inference.primary", "missing inference metrics ['jitter_ms', 'tokens_per_second']"},
	{"C25", serving, patch{"spec.metrics.inference.primary", inferenceMetrics}, "spec.metrics.inference.primary", "must include cost_per_token_usd or cost_per_request_usd"},
	{"C26", serving, patch{"spec.metrics.training", remove{}}, "spec.metrics.training", "expected mapping"},
	{"C26", serving, patch{"spec.metrics.training.primary", "mfu_pct"}, "spec.metrics.training.primary", "expected list"},
	{"C27", serving, patch{"spec.trials.minReplicates", 2}, "spec.trials.minReplicates", "must be an integer >= 3"},
	{"C27", serving, patch{"spec.trials.minReplicates", true}, "spec.trials.minReplicates", "must be an integer >= 3"},
	{"C28", serving, patch{"spec.trials.confidenceLevel", 1}, "spec.trials.confidenceLevel", "must be between 0.8 and 1.0"},
	{"C29", serving, patch{"spec.trials.outlierPolicy.action", remove{}}, "spec.trials.outlierPolicy.action", "expected non-empty string"},
	{"C30", serving, patch{"spec.trials.report.rankLevelOutliers", false}, "spec.trials.report.rankLevelOutliers", "must be true"},
	{"C31", serving, patch{"spec.bottleneckAnalysis.taxonomy", drop(bottleneckClasses, "comm_bound")}, "spec.bottleneckAnalysis.taxonomy", "missing bottleneck classes ['comm_bound']"},
	{"C32", serving, patch{"spec.bottleneckAnalysis.decomposeOverheads", drop(overheadBuckets, "storage")}, "spec.bottleneckAnalysis.decomposeOverheads", "missing decomposition buckets ['storage']"},
	{"C33", serving, patch{"spec.bottleneckAnalysis.instrumentation.input_bound", []string{}}, "spec.bottleneckAnalysis.instrumentation.input_bound", "must declare at least one probe"},
	{"C33", serving, patch{"spec.bottleneckAnalysis.instrumentation.input_bound", remove{}}, "spec.bottleneckAnalysis.instrumentation.input_bound", "expected list"},
	{"C34", serving, patch{"spec.distributed.requireRankLevelVisibility", false}, "spec.distributed.requireRankLevelVisibility", "must be true"},
	{"C35", serving, patch{"spec.distributed.collectives", []string{"latency"}}, "spec.distributed.collectives", "must include latency and bandwidth"},
	{"C36", serving, patch{"spec.distributed.nodeDiagnosis.validate", drop(nodeChecks, "rdma_pathing")}, "spec.distributed.nodeDiagnosis.validate", "missing node-level checks ['rdma_pathing']"},
	{"C37", serving, patch{"spec.distributed.nodeDiagnosis.remediation", []string{"isolate_bad_node"}}, "spec.distributed.nodeDiagnosis.remediation", "must include cordon_problematic_node and isolate_bad_node"},
	{"C38", serving, patch{"spec.observability.correlation.stableJoinKeys", drop(JoinKeys(Inference), "gpu_uuid")}, "spec.observability.correlation.stableJoinKeys", "missing stable join keys ['gpu_uuid']"},
	{"C39", training, patch{"spec.observability.correlation.stableJoinKeys", commonJoinKeys}, "spec.observability.correlation.stableJoinKeys", "training or mixed runs must include ['rank_id']"},
	{"C40", serving, patch{"spec.observability.correlation.stableJoinKeys", drop(JoinKeys(Inference), "trace_id")}, "spec.observability.correlation.stableJoinKeys", "inference or mixed runs must include ['trace_id']"},
	{"C41", serving, patch{"spec.observability.correlation.publishedNumberLineage.querySpecCaptured", false}, "spec.observability.correlation.publishedNumberLineage.querySpecCaptured", "must be true"},
	{"C42", serving, patch{"spec.observability.telemetrySources.service", []string{}}, "spec.observability.telemetrySources.service", "must declare at least one service signal"},
	{"C43", serving, patch{"spec.observability.telemetrySources.infrastructure", drop(infrastructure, "ping-exporter")}, "spec.observability.telemetrySources.infrastructure", "missing infrastructure telemetry sources ['ping-exporter']"},
	{"C44", serving, patch{"spec.observability.telemetrySources.scheduler", []string{"kueue", "slinky"}}, "spec.observability.telemetrySources.scheduler", "must include kubernetes_events"},
	{"C45", serving, patch{"spec.observability.telemetrySources.scheduler", []string{"kubernetes_events", "slinky"}}, "spec.observability.telemetrySources.scheduler", "scheduler path 'slinky-kueue' must include telemetry source 'kueue'"},
	{"C46", serving, patch{"spec.observability.scenarioPlaybooks", drop(playbooks, "distributed_straggler")}, "spec.observability.scenarioPlaybooks", "missing scenario playbooks ['distributed_straggler']"},
	{"C47", serving, patch{"spec.provenance.capture.imageDigest", false}, "spec.provenance.capture.imageDigest", "must be true"},
	{"C48", serving, patch{"spec.provenance.signing.required", false}, "spec.provenance.signing.required", "must be true for publication-grade runs"},
	{"C49", serving, patch{"spec.provenance.signing.backend", remove{}}, "spec.provenance.signing.backend", "expected non-empty string"},
	{"C50", serving, patch{"spec.executionPolicy.publicationGrade.fixedTopology", false}, "spec.executionPolicy.publicationGrade.fixedTopology", "must be true"},
	{"C51", "realism-mixed.yaml", patch{"spec.executionPolicy.realismGrade.multiTenantScenarios", false}, "spec.executionPolicy.realismGrade.multiTenantScenarios", "must be true for realism-grade runs"},
	{"C52", serving, patch{"spec.sinks.rawArtifacts.store", ""}, "spec.sinks.rawArtifacts.store", "expected non-empty string"},
	{"C53", serving, patch{"spec.sinks.rawArtifacts.artifacts", drop(rawArtifacts, "traces")}, "spec.sinks.rawArtifacts.artifacts", "missing raw artifact classes ['traces']"},
	{"C54", serving, patch{"spec.sinks.hotMetrics.cardinalityBudget.maxActiveSeries", 0}, "spec.sinks.hotMetrics.cardinalityBudget.maxActiveSeries", "must be a positive integer"},
	{"C54", serving, patch{"spec.sinks.hotMetrics.retentionDays", true}, "spec.sinks.hotMetrics.retentionDays", "must be a positive integer"},
	{"C55", serving, patch{"spec.sinks.hotMetrics.cardinalityBudget.dropDimensions", []string{"trace_id"}}, "spec.sinks.hotMetrics.cardinalityBudget.dropDimensions", "must include request_id and trace_id to keep hot-metric cardinality bounded"},
	{"C56", serving, patch{"spec.sinks.curatedWarehouse.store", remove{}}, "spec.sinks.curatedWarehouse.store", "expected non-empty string"},
	{"C57", serving, patch{"spec.sinks.curatedWarehouse.layout.facts", drop(facts(Inference), "telemetry_slice_fact")}, "spec.sinks.curatedWarehouse.layout.facts", "missing warehouse facts ['telemetry_slice_fact']"},
	{"C58", serving, patch{"spec.sinks.curatedWarehouse.layout.facts", commonFacts}, "spec.sinks.curatedWarehouse.layout.facts", "inference or mixed runs must include serving_outcome_fact"},
	{"C58", training, patch{"spec.sinks.curatedWarehouse.layout.facts", commonFacts}, "spec.sinks.curatedWarehouse.layout.facts", "training or mixed runs must include training_outcome_fact"},
	{"C59", serving, patch{"spec.sinks.curatedWarehouse.layout.dimensions", drop(dimensions, "workload_dim")}, "spec.sinks.curatedWarehouse.layout.dimensions", "missing warehouse dimensions ['workload_dim']"},
	{"C60", serving, patch{"spec.sinks.curatedWarehouse.retention.warmDays", -1}, "spec.sinks.curatedWarehouse.retention.warmDays", "must be a positive integer"},
	{"C61", serving, patch{"spec.sinks.curatedWarehouse.retention.warmDays", 1000}, "spec.sinks.curatedWarehouse.retention", "must satisfy hotDays <= warmDays <= coldDays"},
	{"C62", serving, patch{"spec.sinks.curatedWarehouse.lineage.manifestDigestColumn", false}, "spec.sinks.curatedWarehouse.lineage.manifestDigestColumn", "must be true"},
	{"C63", serving, patch{"spec.automation.ci.nightly", "on"}, "spec.automation.ci.nightly", "expected boolean"},
}

// Every rule of the contract refuses a document that differs from a valid one
// in that one point, with the contract's message at the right path.
func TestContractRules(t *testing.T) {
	tested := map[string]bool{"C1": true} // TestUnreadable has it
	for _, tt := range contractCases {
		tested[tt.rule] = true
		t.Run(tt.rule+" "+tt.path, func(t *testing.T) {
			wantFault(t, patched(t, example(t, tt.file), tt.patch), tt.rule, tt.path, tt.message)
		})
	}
	wantAllTested(t, contractRules, tested)
}

func wantFault(t *testing.T, data []byte, rule, path, message string) {
	t.Helper()
	_, faults := Parse("patched.json", data)
	found := slices.ContainsFunc(faults, func(f Fault) bool {
		return f.Rule == rule && f.Path == path && f.Message == message && f.Severity == SeverityError
	})
	if !found {
		t.Errorf("want %s %s: %s; got %s", rule, path, message, lines(faults))
	}
	same := slices.IndexFunc(faults, func(f Fault) bool { return f.Path == path && !strings.HasPrefix(f.Rule, "C") })
	if found && strings.HasPrefix(rule, "C") && same >= 0 {
		t.Errorf("%s is reported twice: %s", path, lines(faults))
	}
}

func wantAllTested(t *testing.T, rules []Rule, tested map[string]bool) {
	t.Helper()
	for _, r := range rules {
		if !tested[r.ID] {
			t.Errorf("rule %s (%s) has no failing example", r.ID, r.Doc)
		}
	}
}

func TestAdditionalRules(t *testing.T) {
	const search, mlperf = "slo-search.yaml", "mlperf-server.yaml"
	const digest = "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	tests := []struct {
		rule, file string
		patches    []patch
		path       string
		message    string
	}{
		{"A1", minimal, []patch{{"apiVersion", "assay.dev/v9"}}, "apiVersion", "want one of assay.dev/v1alpha1, benchmarking.aisp.dev/v1alpha1"},
		{"A2", minimal, []patch{{"spec.intent.cadence", "weekly"}}, "spec.intent.cadence", "want one of canary, nightly, pre_release"},
		{"A2", serving, []patch{{"spec.automation.ci.preRelease", false}}, "spec.automation.ci.preRelease", "must be true: it is the schedule of cadence pre_release"},
		{"A3", serving, []patch{{"spec.workload.sequenceLengthMix[0].inputTokens", 0}}, "spec.workload.sequenceLengthMix[0].inputTokens", "want at least 1"},
		{"A3", serving, []patch{{"spec.workload.sequenceLengthMix[1].weight", -0.3}}, "spec.workload.sequenceLengthMix[1].weight", "want more than 0"},
		{"A3", serving, []patch{{"spec.workload.sequenceLengthMix[1]", "1024/256"}}, "spec.workload.sequenceLengthMix[1]", "want a mapping"},
		{"A4", serving, []patch{{"spec.workload.sequenceLengthMix[1].weight", 0.2}}, "spec.workload.sequenceLengthMix", "weights must sum to 1"},
		{"A5", serving, []patch{{"spec.comparison.controls.fixed.precision", "fp8"}}, "spec.comparison.controls.fixed.precision", "must equal workload.precision"},
		{"A5", serving, []patch{{"spec.comparison.controls.fixed.sequenceLengthMix[0].weight", 0.6}}, "spec.comparison.controls.fixed.sequenceLengthMix", "must equal workload.sequenceLengthMix"},
		{"A6", serving, []patch{{"spec.comparison.controls.fixed.datasetRef", remove{}}}, "spec.comparison.controls.fixed", "missing frozen items ['datasetRef']"},
		{"A7", minimal, []patch{{"spec.workload.datasetRef", "sharegpt:latest"}}, "spec.workload.datasetRef", "must be synthetic or " + pinnedWant},
		{"A8", serving, []patch{{"spec.workload.correctness", remove{}}}, "spec.workload.correctness", "must declare the correctness policy"},
		{"A9", serving, []patch{{"spec.comparison.baseline.artifactRef", "oci://registry/engine:1.2"}}, "spec.comparison.baseline.artifactRef", "an image must be named by digest: " + pinnedWant},
		{"A10", serving, []patch{{"spec.comparison.baseline.artifactRef", "the old one"}}, "spec.comparison.baseline.artifactRef", "must be self, run:RUN_ID, a digest, a URI or a file path without spaces"},
		{"A10", serving, []patch{{"spec.comparison.candidate", remove{}}}, "spec.comparison.candidate.artifactRef", "publication grade needs both artifact references"},
		{"A11", serving, []patch{{"spec.comparison.baseline.artifactRef", digest}, {"spec.comparison.candidate.artifactRef", digest}}, "spec.comparison.candidate.artifactRef", "must differ from baseline.artifactRef"},
		{"A11", serving, []patch{{"spec.comparison.baseline.artifactRef", SelfArtifact}, {"spec.comparison.candidate.artifactRef", SelfArtifact}}, "spec.comparison.candidate.artifactRef", "must differ from baseline.artifactRef"},
		{"A12", minimal, []patch{{"spec.trails", map[string]any{}}}, "spec.trails", "want a known field; did you mean trials?"},
		{"A14", serving, []patch{{"spec.layers[3]", map[string]any{"name": "micro", "enabled": false, "suites": []any{}}}}, "spec.layers[3].name", "each layer must appear once"},
		{"A14", serving, []patch{{"spec.layers[3]", map[string]any{"name": "micros", "enabled": false, "suites": []any{}}}}, "spec.layers[3].name", "want one of micro, component, end_to_end (did you mean micro?)"},
		{"A15", serving, []patch{{"spec.layers[0].suites[0]", "nccl"}}, "spec.layers[0].suites[0]", "want a mapping"},
		{"A16", minimal, []patch{{"spec.comparison.variableUnderTest", []string{"driver_stack", "storage_stack"}}}, "spec.comparison.variableUnderTest", "want one of " + strings.Join(Vocabularies["variables"], ", ")},
		{"A17", serving, []patch{{"spec.trials.outlierPolicy.action", "drop"}}, "spec.trials.outlierPolicy.action", "want one of flag_and_keep"},
		{"A17", serving, []patch{{"spec.workload.precision", "bf61"}}, "spec.workload.precision", "want " + nearestWord("bf61", Vocabularies["precisions"])},
		{"A18", minimal, []patch{{"spec.load.requests", true}}, "spec.load.requests", "want a whole number in decimal digits, at most 9007199254740991"},
		{"A19", serving, []patch{{"spec.trials.confidenceLevel", 0.9995}}, "spec.trials.confidenceLevel", "want at most 0.999"},
		{"A20", serving, []patch{{"spec.sinks.hotMetrics.retentionDays", 7}}, "spec.sinks.hotMetrics.retentionDays", "must equal curatedWarehouse.retention.hotDays, which is 30"},
		{"A117", serving, []patch{{"spec.intent.headline", remove{}}}, "spec.intent.headline", "must choose what the publication leads with: throughput or latency"},
		{"A113", serving, []patch{{"spec.sinks.hotMetrics.labels", map[string]any{"request_id": "x"}}}, "spec.sinks.hotMetrics.labels.request_id", "differs from request to request and would make a series for each: leave it out; spans have it"},
		{"A113", serving, []patch{{"spec.sinks.hotMetrics.labels", map[string]any{"team": "x"}}}, "spec.sinks.hotMetrics.labels.team", "is no label of hot metrics: want one of cluster, gpu_model, node_pool, region, scheduler_path"},
		{"A114", serving, []patch{{"spec.sinks.hotMetrics.listen", "9464"}}, "spec.sinks.hotMetrics.listen", "is no address to listen on: want one such as 127.0.0.1:9464"},
		{"A114", serving, []patch{{"spec.sinks.hotMetrics.otlp", map[string]any{"url": "collector:4318"}}}, "spec.sinks.hotMetrics.otlp.url", "want an address such as http://host:4318"},
		{"A22", minimal, []patch{{"spec.target.server", map[string]any{}}}, "spec.target.server.command", "want a list"},
		{"A23", minimal, []patch{{"spec.load.concurrency", []int{0}}}, "spec.load.concurrency[0]", "want at least 1"},
		{"A24", minimal, []patch{{"spec.load.duration", "30"}}, "spec.load.duration", "want a number with a unit: one of ns, us, ms, s, m, h, d (for example 250ms)"},
		{"A25", minimal, []patch{{"spec.target.server", map[string]any{"command": []string{"x"}, "ready": map[string]any{"path": "health"}}}}, "spec.target.server.ready.path", "want a path that begins with /"},
		{"A26", minimal, []patch{{"spec.target.url", "127.0.0.1:8000"}}, "spec.target.url", "must be an http or https address such as http://127.0.0.1:8000"},
		{"A25", minimal, []patch{{"metadata.name", "../up"}}, "metadata.name", "want a name of at most 200 characters without slashes, and no dot or space first"},
		{"A26", minimal, []patch{{"spec.target.url", remove{}}}, "spec.target.url", "must be an address such as http://127.0.0.1:8000, or give urls"},
		{"A26", minimal, []patch{{"spec.target.urls", []string{"http://b"}}}, "spec.target.urls", "give url or urls, not both"},
		{"A27", minimal, []patch{{"spec.target.auth.kind", "bearer"}}, "spec.target.auth", "kind bearer needs exactly one of env and file"},
		{"A27", minimal, []patch{{"spec.target.auth", map[string]any{"kind": "header", "env": "X"}}}, "spec.target.auth.header", "kind header needs the name of the header"},
		{"A27", minimal, []patch{{"spec.target.auth", map[string]any{"kind": "aws", "env": "X"}}}, "spec.target.auth", "kind aws finds its own; leave out env, file and header"},
		{"A27", minimal, []patch{{"spec.target.auth", map[string]any{"env": "X"}}}, "spec.target.auth", "set kind to bearer or header"},
		{"A28", minimal, []patch{{"spec.load.rate", []int{1}}}, "spec.load.rate", "belongs to concurrencyModel open_loop"},
		{"A28", minimal, []patch{{"spec.workload.concurrencyModel", "open_loop"}}, "spec.load.concurrency", "belongs to concurrencyModel closed_loop"},
		{"A28", "open-loop.yaml", []patch{{"spec.load.arrival", "trace"}}, "spec.load.arrival", "trace and traceRef go together"},
		{"A28", "open-loop.yaml", []patch{{"spec.load.burstiness", 2}}, "spec.load.burstiness", "belongs to arrival gamma"},
		{"A28", "realism-mixed.yaml", []patch{{"spec.load.rate", []int{1}}}, "spec.load.stages", "give rate or stages, not both"},
		{"A28", "realism-mixed.yaml", []patch{{"spec.load.stages", []any{map[string]any{"duration": "1m"}}}}, "spec.load.stages", "must offer load in at least one stage"},
		{"A28", "realism-mixed.yaml", []patch{{"spec.load.stages", []any{map[string]any{"duration": "1m", "rate": 5, "ramp": "exponential"}}}}, "spec.load.stages[0].ramp", "an exponential ramp needs load at both ends: begin with a stage before it, and end above zero"},
		{"A29", "managed-server.yaml", []patch{{"spec.slo[0]", map[string]any{"metric": "ttft"}}}, "spec.slo[0]", "ttft needs max"},
		{"A29", "managed-server.yaml", []patch{{"spec.slo[2].min", 3}}, "spec.slo[2].min", "error_rate is bounded by maxRatio"},
		{"A29", "managed-server.yaml", []patch{{"spec.slo[0]", map[string]any{"metric": "longest_gap", "min": 3}}}, "spec.slo[0]", "longest_gap needs max"},
		{"A29", "managed-server.yaml", []patch{{"spec.slo[0]", map[string]any{"metric": "user_speed", "max": "1s"}}}, "spec.slo[0].max", "user_speed is bounded by min"},
		{"A30", serving, []patch{{"spec.target.headers", map[string]any{"X-Key": "abc"}}}, "spec.target.headers.X-Key", "a secret must not be written out: use {env: NAME} or {file: PATH}"},
		{"A31", serving, []patch{{"spec.target.tls.insecureSkipVerify", true}}, "spec.target.tls.insecureSkipVerify", "must be false for publication-grade runs"},
		{"A31", minimal, []patch{{"spec.target.tls.certFile", "a.pem"}}, "spec.target.tls", "a client certificate needs both"},
		{"A50", minimal, []patch{{"spec.target.proxy", "proxy:3128"}}, "spec.target.proxy", "must be an address such as http://proxy.example:3128, with http, https or socks5"},
		{"A50", minimal, []patch{{"spec.target.reader", "epoll"}, {"spec.target.proxy", "http://p:1"}}, "spec.target.reader", "reads the target's own connections only; a proxy needs net/http"},
		{"A17", minimal, []patch{{"spec.target.reader", "iouring"}}, "spec.target.reader", "want one of net/http, epoll, epoll+kernel"},
		{"A51", minimal, []patch{{"spec.target.api", "command"}, {"spec.target.url", remove{}}}, "spec.target.server", "api command needs the program to start as server.command"},
		{"A51", minimal, []patch{{"spec.target.api", "command"}, {"spec.target.server", map[string]any{"command": []string{"x"}}}}, "spec.target.url", "belongs to a target with an address; api command has none"},
		{"A51", minimal, []patch{{"spec.target.api", "command"}, {"spec.target.url", remove{}}, {"spec.target.server", map[string]any{"command": []string{"x"}, "restart": "run"}}}, "spec.target.server.restart", "must be launch: a command belongs to its launch"},
		{"A30", serving, []patch{{"spec.target.proxy", "http://me:secret@p:1"}}, "spec.target.proxy", "a secret must not be written out: name a proxy that needs no credentials"},
		{"A33", minimal, []patch{{"spec.workload.prompt.spread", 0.5}}, "spec.workload.prompt.spread", "needs a distribution other than fixed"},
		{"A33", minimal, []patch{{"spec.workload.prompt.prefixTokens", 512}}, "spec.workload.prompt.prefixTokens", "must be less than sequenceLengthMix[0].inputTokens, which is 512"},
		{"A33", minimal, []patch{{"spec.workload.prompt", map[string]any{"distribution": "uniform", "spread": 1.5}}}, "spec.workload.prompt.spread", "must be at most 1 for uniform"},
		{"A33", minimal, []patch{{"spec.workload.prompt", map[string]any{"prefixTokens": 5, "prefixRatio": 0.5}}}, "spec.workload.prompt.prefixRatio", "give prefixTokens or prefixRatio, not both"},
		{"A33", minimal, []patch{{"spec.workload.prompt.prefixPool", 5}}, "spec.workload.prompt", "prefixPool, prefixLevels and prefixBranch need prefixTokens or prefixRatio"},
		{"A33", minimal, []patch{{"spec.workload.prompt", map[string]any{"scenario": "D(5,6)", "distribution": "normal"}}}, "spec.workload.prompt.scenario", "give scenario or distribution, not both"},
		{"A33", minimal, []patch{{"spec.workload.prompt.scenario", "U(9,5)/(1,2)"}}, "spec.workload.prompt.scenario", "means must be above zero and minima not above their maxima"},
		{"A33", minimal, []patch{{"spec.workload.prompt.scenario", "D(5,6)"}, {"spec.workload.sequenceLengthMix", []any{map[string]any{"inputTokens": 5, "outputTokens": 7, "weight": 1}}}}, "spec.workload.sequenceLengthMix", "must be the mean of the scenario: 5 tokens in, 6 out, weight 1"},
		{"A33", minimal, []patch{{"spec.workload.prompt.dataset", map[string]any{"path": "a.txt"}}}, "spec.workload.datasetRef", "must name the content of prompt.dataset: " + pinnedWant},
		{"A33", minimal, []patch{{"spec.workload.datasetRef", digest}, {"spec.workload.prompt", map[string]any{"scenario": "D(5,6)", "dataset": map[string]any{"path": "a.txt"}}}}, "spec.workload.prompt.scenario", "shapes synthetic prompts, not those of a dataset"},
		{"A33", minimal, []patch{{"spec.workload.datasetRef", digest}, {"spec.workload.prompt", map[string]any{"prefixRatio": 0.5, "dataset": map[string]any{"path": "a.txt"}}}}, "spec.workload.prompt", "a prefix belongs to synthetic prompts, not to those of a dataset"},
		{"A33", minimal, []patch{{"spec.workload.prompt.task", "text-to-embeddings"}}, "spec.workload.prompt.scenario", "text-to-embeddings needs a scenario such as E(256), or a dataset"},
		{"A33", minimal, []patch{{"spec.workload.prompt", map[string]any{"task": "text-to-image", "scenario": "E(64)"}}}, "spec.workload.prompt.scenario", "does not shape text-to-image: want one such as I(1024,1024)"},
		{"A33", minimal, []patch{{"spec.workload.prompt.scenario", "A(64)"}}, "spec.workload.prompt.scenario", "does not shape text-to-text: want one such as D(512,128)"},
		{"A33", minimal, []patch{{"spec.workload.prompt", map[string]any{"task": "text-to-image", "scenario": "I(64,64)"}}, {"spec.target.api", "rerank"}}, "spec.target.api", "cannot be asked for text-to-image: want openai-images"},
		{"A33", minimal, []patch{{"spec.target.api", "openai-embeddings"}}, "spec.target.api", "cannot be asked for text-to-text: want another: this one answers with no text"},
		{"A33", minimal, []patch{{"spec.workload.prompt", map[string]any{"task": "speech-to-text"}}}, "spec.workload.prompt.details.sound", "says how long recordings are where prompt.dataset names none; speech-to-text has no scenario"},
		{"A33", minimal, []patch{{"spec.workload.prompt.details", map[string]any{"documents": 2}}}, "spec.workload.prompt.details", "belongs to tasks other than text-to-text"},
		{"A33", minimal, []patch{{"spec.workload.prompt", map[string]any{"task": "text-to-speech", "scenario": "A(9)", "prefixTokens": 1}}}, "spec.workload.prompt", "distributions and prefixes shape text-to-text alone"},
		{"A33", minimal, []patch{{"spec.workload.prompt", map[string]any{"task": "text-to-image", "scenario": "I(9,9)", "details": map[string]any{"documents": 2}}}}, "spec.workload.prompt.details.documents", "belongs to text-to-embeddings and text-to-rerank without a dataset"},
		{"A33", minimal, []patch{{"spec.workload.prompt", map[string]any{"task": "text-to-speech", "scenario": "A(9)", "details": map[string]any{"sound": "5s"}}}}, "spec.workload.prompt.details.sound", "belongs to speech-to-text without a dataset"},
		{"A33", minimal, []patch{{"spec.workload.datasetRef", digest}, {"spec.workload.prompt", map[string]any{"task": "text-to-image", "dataset": map[string]any{"path": "a.txt"}, "details": map[string]any{"textTokens": 9}}}}, "spec.workload.prompt.details.textTokens", "belongs to image-text-to-text, and text-to-image without a dataset"},
		{"A33", minimal, []patch{{"spec.workload.prompt", map[string]any{"task": "text-to-image", "scenario": "I(9,9)", "details": map[string]any{"outputTokens": 9}}}}, "spec.workload.prompt.details.outputTokens", "belongs to image-text-to-text"},
		{"A33", minimal, []patch{{"spec.workload.prompt", map[string]any{"task": "text-to-image", "scenario": "I(9,9)", "details": map[string]any{"voice": "x"}}}}, "spec.workload.prompt.details.voice", "belongs to text-to-speech"},
		{"A33", minimal, []patch{{"spec.workload.tokenizer.path", "t.json"}}, "spec.workload.tokenizer.digest", "must name the content of the file: sha256:HEX, as sha256sum prints it"},
		{"A33", minimal, []patch{{"spec.workload.tokenizer.kind", "file"}}, "spec.workload.tokenizer.path", "names the file of kind file"},
		{"A33", minimal, []patch{{"spec.workload.tokenizer", map[string]any{"kind": "server", "path": "t.json"}}}, "spec.workload.tokenizer.kind", "path, digest and pattern belong to kind file"},
		{"A30", serving, []patch{{"spec.target.metrics", map[string]any{"urls": []string{"http://me:hunter2@h/metrics"}}}}, "spec.target.metrics.urls[0]", "a secret must not be written out: use target.auth, target.headers or target.query with {env: NAME}"},
		{"A53", minimal, []patch{{"spec.target.metrics", map[string]any{"scrape": false, "urls": []string{"http://a/metrics"}}}}, "spec.target.metrics.urls", "give urls or scrape: false, not both"},
		{"A53", minimal, []patch{{"spec.target.metrics", map[string]any{"urls": []string{"a:8002"}}}}, "spec.target.metrics.urls[0]", "must be an http or https address such as http://127.0.0.1:8000"},
		{"A55", minimal, []patch{{"spec.load.stream", false}, {"spec.load.cacheProbe", map[string]any{"pairs": 4}}}, "spec.load.cacheProbe", "compares times to first token, which need stream: true"},
		{"A54", "managed-server.yaml", []patch{{"spec.target.server.cold", map[string]any{"requests": 0, "warm": 2}}}, "spec.target.server.cold.warm", "warm requests are compared with cold ones: want requests above 0, or warm: 0"},
		{"A23", "open-loop.yaml", []patch{{"spec.load.probe", map[string]any{"every": "1ms"}}}, "spec.load.probe.every", "want at least 10ms"},
		{"A26", "interleaved.yaml", []patch{{"spec.candidates[0].target.url", remove{}}}, "spec.candidates[0].target.url", "must be an address such as http://127.0.0.1:8000, or give urls"},
		{"A27", "interleaved.yaml", []patch{{"spec.candidates[0].target.auth.kind", "bearer"}}, "spec.candidates[0].target.auth", "kind bearer needs exactly one of env and file"},
		{"A31", "interleaved.yaml", []patch{{"spec.candidates[0].target.tls.certFile", "a.pem"}}, "spec.candidates[0].target.tls", "a client certificate needs both"},
		{"A45", "interleaved.yaml", []patch{{"spec.target", remove{}}}, "spec.candidates", "candidates are measured in turn with spec.target: give it"},
		{"A45", "interleaved.yaml", []patch{{"spec.candidates[0].name", "baseline"}}, "spec.candidates[0].name", "each side needs a name of its own, and baseline is that of spec.target"},
		{"A45", "interleaved.yaml", []patch{{"spec.candidates[0].target.url", "http://127.0.0.1:8101"}, {"spec.target.server.restart", "run"}}, "spec.candidates[0].target.url", "is that of baseline too: then both sides restart their server for each launch, or neither has one"},
		{"A45", "interleaved.yaml", []patch{{"spec.candidates[0].target", map[string]any{"url": "http://127.0.0.1:8101"}}}, "spec.candidates[0].target.url", "is that of baseline too: then both sides restart their server for each launch, or neither has one"},

		{"A56", search, []patch{{"spec.load.rate", []int{1}}}, "spec.load.rate", "give search or rate, not both"},
		{"A56", search, []patch{{"spec.load.search.max", 0.5}}, "spec.load.search.max", "must be above min"},
		{"A56", search, []patch{{"spec.load.search.start", 99}}, "spec.load.search.start", "must lie between min and max"},
		{"A56", search, []patch{{"spec.slo", remove{}}}, "spec.slo", "a search needs at least one objective"},
		{"A56", search, []patch{{"spec.slo[0]", map[string]any{"metric": "itl", "max": "1s"}}}, "spec.slo[0].metric", "a search judges single requests: want ttft, tpot, e2e or error_rate"},
		{"A56", search, []patch{{"spec.slo", []any{map[string]any{"metric": "error_rate", "maxRatio": 0.1}}}, {"spec.load.search.goodput", 0.9}}, "spec.load.search.goodput", "needs a latency objective in spec.slo"},
		{"A56", search, []patch{{"spec.load.stream", false}}, "spec.load.stream", "must be true: ttft is an objective of the search"},
		{"A56", search, []patch{{"spec.load.order", "randomised"}}, "spec.load.order", "a search decides the order of its points"},
		{"A56", search, []patch{{"spec.workload.concurrencyModel", "closed_loop"}, {"spec.load.search.min", 1.5}}, "spec.load.search", "min and max must be whole numbers of users in a closed loop"},
		{"A57", mlperf, []patch{{"spec.load.mlperf.benchmark", remove{}}}, "spec.load.mlperf", "scenario server needs both, or a benchmark that has them"},
		{"A57", mlperf, []patch{{"spec.load.mlperf", map[string]any{"scenario": "interactive", "benchmark": "mixtral-8x7b"}}}, "spec.load.mlperf", "scenario interactive needs both, or a benchmark that has them"},
		{"A57", mlperf, []patch{{"spec.load.rate", remove{}}}, "spec.load.rate", "scenario server needs a rate"},
		{"A57", mlperf, []patch{{"spec.load.arrival", "constant"}}, "spec.load.arrival", "must be poisson for scenario server"},
		{"A57", mlperf, []patch{{"spec.load.stream", false}}, "spec.load.stream", "must be true: scenario server limits the first token"},
		{"A57", mlperf, []patch{{"spec.load.requests", 5}}, "spec.load.requests", "cannot be combined with mlperf"},
		{"A57", mlperf, []patch{{"spec.load.mlperf.samples", 8}}, "spec.load.mlperf.samples", "must be 1 for scenario server"},
		{"A57", mlperf, []patch{{"spec.load.mlperf.maxDuration", "20m"}}, "spec.load.mlperf.maxDuration", "belongs to single_stream and multi_stream"},
		{"A57", mlperf, []patch{{"spec.load.mlperf.scenario", "offline"}}, "spec.workload.concurrencyModel", "must be closed_loop for scenario offline"},
		{"A57", minimal, []patch{{"spec.load.mlperf.scenario", "server"}}, "spec.workload.concurrencyModel", "must be open_loop for scenario server"},
		{"A57", minimal, []patch{{"spec.load.mlperf.scenario", "single_stream"}}, "spec.load.concurrency", "scenario single_stream decides how queries follow each other"},
		{"A57", minimal, []patch{{"spec.load", map[string]any{"mlperf": map[string]any{"scenario": "multi_stream", "maxTTFT": "1s"}}}}, "spec.load.mlperf", "maxTTFT and maxTPOT belong to server and interactive"},
		{"A57", minimal, []patch{{"spec.load", map[string]any{"mlperf": map[string]any{"scenario": "multi_stream", "maxDuration": "1s"}}}}, "spec.load.mlperf.maxDuration", "must not be below minDuration"},
		{"A57", minimal, []patch{{"spec.load", map[string]any{"mlperf": map[string]any{"scenario": "offline"}, "warmup": map[string]any{"duration": "1s"}}}}, "spec.load.warmup", "the one query of scenario offline has no warm-up"},
		{"A57", minimal, []patch{{"spec.load", map[string]any{"mlperf": map[string]any{"scenario": "offline", "minQueries": 2}}}}, "spec.load.mlperf.minQueries", "must be 1: scenario offline is one query of many samples"},
		{"A58", minimal, []patch{{"spec.load.stopWhenSaturated", true}}, "spec.load.stopWhenSaturated", "belongs to concurrencyModel open_loop: a closed loop slows down instead"},
		{"A60", minimal, []patch{{"spec.bounds", map[string]any{"gpuMemory": "80GB"}}}, "spec.cost.gpuCount", "bounds are those of one GPU: write how many the system occupies"},
		{"A60", minimal, []patch{{"spec.cost.gpuCount", 8}, {"spec.bounds", map[string]any{"peakFLOPS": 1e15}}}, "spec.bounds", "peakFLOPS needs parameters: MFU counts two operations for each of them"},
		{"A60", minimal, []patch{{"spec.cost.gpuCount", 8}, {"spec.bounds", map[string]any{"memoryPerSecond": "3TB", "parameters": 7e9}}}, "spec.bounds", "memoryPerSecond needs parameters and bytesPerParameter: MBU counts the weights that each step reads"},
		{"A60", minimal, []patch{{"spec.cost.gpuCount", 8}, {"spec.bounds", map[string]any{"parameters": 7e9, "activeParameters": 8e9}}}, "spec.bounds.activeParameters", "must not be above parameters"},

		{"A90", minimal, []patch{{"spec.collectives", map[string]any{"backend": "gloo", "algorithms": []string{"ring"}}}}, "spec.collectives.algorithms[0]", "gloo chooses its algorithms itself: want auto, or backend native or nccl"},
		{"A90", minimal, []patch{{"spec.collectives", map[string]any{"backend": "nccl", "algorithms": []string{"auto", "direct"}}}}, "spec.collectives.algorithms[1]", "backend nccl has no direct: want auto, ring, tree, nvls"},
		{"A90", minimal, []patch{{"spec.collectives", map[string]any{"algorithms": []string{"nvls"}}}}, "spec.collectives.algorithms[0]", "backend native has no nvls: want auto, ring, tree, halving_doubling, direct"},
		{"A90", minimal, []patch{{"spec.collectives", map[string]any{"protocols": []string{"ll"}}}}, "spec.collectives.protocols[0]", "backend native has no such protocols: want auto, or backend nccl"},
		{"A90", minimal, []patch{{"spec.collectives", map[string]any{"settings": []any{map[string]any{"name": "a", "env": []string{"NCCL_X=1"}}}}}}, "spec.collectives.settings", "the native backend reads no environment: want backend nccl, gloo or mpi"},
		{"A90", minimal, []patch{{"spec.collectives", map[string]any{"backend": "nccl", "settings": []any{map[string]any{"name": "a", "env": []string{"PATH=/"}}}}}}, "spec.collectives.settings[0].env[0]", `"PATH=/" sets nothing that a communication library reads: want NAME=VALUE with a name that begins with NCCL_, GLOO_, TORCH_, OMP_`},
		{"A90", minimal, []patch{{"spec.collectives", map[string]any{"backend": "nccl", "settings": []any{map[string]any{"name": "auto", "env": []string{"NCCL_X=1"}}}}}}, "spec.collectives.settings[0].name", `"auto" names another setting: want a name for each, and none called auto`},
		{"A90", minimal, []patch{{"spec.collectives", map[string]any{"device": "cuda"}}}, "spec.collectives.device", "the native backend sends the host's memory: want cpu, or another backend"},
		{"A90", minimal, []patch{{"spec.collectives", map[string]any{"backend": "nccl", "device": "cpu"}}}, "spec.collectives.device", "nccl sends the memory of accelerators: want cuda, or backend gloo"},
		{"A90", minimal, []patch{{"spec.collectives", map[string]any{"ranks": []int{2, 4}, "launch": map[string]any{"namespaces": []string{"a", "b"}}}}}, "spec.collectives.launch.namespaces", "names 2 for a world of 4 ranks: want one for each"},
		{"A90", minimal, []patch{{"spec.collectives", map[string]any{"launch": map[string]any{"kind": "environment", "namespaces": []string{"a", "b"}}}}}, "spec.collectives.launch.namespaces", "namespaces are those of this host: want launch.kind local"},
		{"A90", minimal, []patch{{"spec.collectives", map[string]any{"launch": map[string]any{"kind": "ssh"}}}}, "spec.collectives.launch.hosts", "want the names of hosts or the path of a host file: kind ssh starts ranks there"},
		{"A90", minimal, []patch{{"spec.collectives", map[string]any{"launch": map[string]any{"hosts": []string{"a"}}}}}, "spec.collectives.launch.hosts", "only kind ssh reads them: want launch.kind ssh"},
		{"A90", minimal, []patch{{"spec.collectives", map[string]any{"launch": map[string]any{"slurm": map[string]any{"nodes": 2}}}}}, "spec.collectives.launch.slurm", "only kind slurm reads it: want launch.kind slurm"},
		{"A90", minimal, []patch{{"spec.collectives", map[string]any{"ranks": []int{8}, "launch": map[string]any{"kind": "slurm", "slurm": map[string]any{"nodes": 2, "tasksPerNode": 3}}}}}, "spec.collectives.launch.slurm.tasksPerNode", "2 nodes of 3 ranks have no room for a world of 8"},
		{"A98", minimal, []patch{{"spec.evaluation", map[string]any{"tasks": []any{gsm8kTask(), gsm8kTask()}}}}, "spec.evaluation.tasks[1].name", "is taken by a task above: want each once"},
		{"A98", minimal, []patch{{"spec.evaluation", map[string]any{"tasks": []any{with(gsm8kTask(), "style", "likelihood")}}}}, "spec.evaluation.tasks[0].style", "must be one of lm-eval, instruct for the family gsm8k"},
		{"A98", minimal, []patch{{"spec.evaluation", map[string]any{"tasks": []any{with(gsm8kTask(), "template", "{{q}}")}}}}, "spec.evaluation.tasks[0].template", "belongs to the family own"},
		{"A98", minimal, []patch{{"spec.evaluation", map[string]any{"tasks": []any{with(gsm8kTask(), "fewShotPath", "train.jsonl")}}}}, "spec.evaluation.tasks[0].fewShotRef", "fewShotPath and fewShotRef go together: the reference names the content of the file"},
		{"A98", minimal, []patch{{"spec.evaluation", map[string]any{"tasks": []any{gsm8kTask()}}}, {"spec.load", map[string]any{"ignoreEOS": true}}}, "spec.load.ignoreEOS", "must be false in an evaluation: an answer ends where the model ends it"},
		{"A92", minimal, []patch{{"spec.load", map[string]any{"concurrency": upTo(1001)}}}, "spec.load", "at most 1000 points: make several runs"},
		{"A92", minimal, []patch{{"spec.load", map[string]any{"concurrency": upTo(1000)}}, {"spec.trials", map[string]any{"minReplicates": 101}}}, "spec.load", "at most 100000 in all: fewer launches or points"},
		{"A91", minimal, []patch{{"spec.train", map[string]any{"ranks": []int{2}, "emulate": map[string]any{"rank": 2}}}}, "spec.train.emulate.rank", "there is no such rank in a world of 2"},
		{"A91", minimal, []patch{{"spec.train", map[string]any{"backend": "nccl", "device": "cpu"}}}, "spec.train.device", "nccl sends the memory of accelerators: want cuda, or backend gloo"},
		{"A91", minimal, []patch{{"spec.train", map[string]any{"across": map[string]any{"knob": "batchSize", "values": []string{"8"}}}}}, "spec.train.across", "a second knob needs a first one: want spec.train.vary too"},
		{"A91", minimal, []patch{{"spec.train", map[string]any{"vary": map[string]any{"knob": "batchSize", "values": []string{"4"}}, "across": map[string]any{"knob": "batchSize", "values": []string{"8"}}}}}, "spec.train.across.knob", "batchSize varies already: want another knob than that of spec.train.vary"},
		{"A91", minimal, []patch{{"spec.train", map[string]any{"launch": map[string]any{"pin": map[string]any{"cpus": []string{"3-1"}}}}}}, "spec.train.launch.pin.cpus[0]", `got "3-1", want a list of processors such as 0-3,8`},
		{"A91", minimal, []patch{{"spec.train", map[string]any{"launch": map[string]any{"pin": map[string]any{"cpus": []string{"0"}, "numa": []int{0}}}}}}, "spec.train.launch.pin.numa", "processors are named already: want cpus or numa, not both"},
		{"A91", minimal, []patch{{"spec.train", map[string]any{"launch": map[string]any{"kind": "environment", "pin": map[string]any{"cpus": []string{"0"}}}}}}, "spec.train.launch.pin", "places are those of this host: want launch.kind local, or the binding of the launcher that places ranks elsewhere"},
		{"A103", minimal, []patch{{"spec.target.server", map[string]any{"command": []string{"x"}, "pin": map[string]any{"cpus": []string{"a"}}}}}, "spec.target.server.pin.cpus[0]", `got "a", want a list of processors such as 0-3,8`},
		{"A101", minimal, []patch{{"spec.probe", map[string]any{"launch": map[string]any{"kind": "local"}}}}, "spec.probe.launch.kind", "this host needs no launcher: want ssh or slurm for others, or no launch"},
		{"A101", minimal, []patch{{"spec.probe", map[string]any{"launch": map[string]any{"kind": "ssh"}}}}, "spec.probe.launch.hosts", "want the names of hosts or the path of a host file: kind ssh starts ranks there"},
		{"A101", minimal, []patch{{"spec.probe", map[string]any{"probes": []string{"network"}, "launch": map[string]any{"kind": "ssh", "hosts": []string{"a"}}}}}, "spec.probe.probes", "the network probe is a client of assay net --serve: between the hosts of a launch, want collectives.pairs with the same launch"},
		{"A100", minimal, []patch{{"spec.load.launch", map[string]any{"kind": "local"}}}, "spec.load.launch", "says how load generators are started: want spec.load.generators of 2 or more beside it"},
		{"A100", minimal, []patch{{"spec.load.generators", 3}, {"spec.load.launch", map[string]any{"namespaces": []string{"a", "b"}}}}, "spec.load.launch.namespaces", "names 2 for a world of 3 ranks: want one for each"},
		{"A100", minimal, []patch{{"spec.load.generators", 2}, {"spec.load.launch", map[string]any{"restarts": 1}}}, "spec.load.launch.restarts", "a launch that lost a load generator is not made again: leave it out"},
		{"A102", minimal, []patch{{"spec.kubernetes", map[string]any{"priorityClass": "high"}}}, "spec.kubernetes.priorityClass", "is for Kueue: want spec.kubernetes.queue beside it"},
		{"A102", minimal, []patch{{"spec.kubernetes", map[string]any{"queue": "q", "requiredTopology": "rack", "preferredTopology": "block"}}}, "spec.kubernetes.preferredTopology", "requiredTopology is there too: want one of them"},
		{"A102", minimal, []patch{{"spec.kubernetes", map[string]any{"annotations": map[string]any{"kueue.x-k8s.io/queue-name": "q"}}}}, `spec.kubernetes.annotations["kueue.x-k8s.io/queue-name"]`, "must be the name of an annotation with the domain of another scheduler, such as slurmjob.slinky.slurm.net/partition"},
		{"A102", minimal, []patch{{"spec.kubernetes", map[string]any{"resources": map[string]any{"cpu": "many"}}}}, "spec.kubernetes.resources.cpu", "must be a quantity of Kubernetes, such as 500m, 4 or 8Gi"},
		{"A115", minimal, []patch{{"spec.trials.sets", 2}, {"spec.load.generators", 2}, {"spec.load.launch", map[string]any{"kind": "ssh", "hosts": []string{"a", "b"}, "sets": 2}}}, "spec.trials.sets", "is for runs that a host carries out as a whole: want spec.load.launch.sets"},
		{"A100", mlperf, []patch{{"spec.load.generators", 2}}, "spec.load.generators", "one load generator alone knows when a query of spec.load.mlperf has ended; leave it out"},
		{"A96", minimal, []patch{{"spec.provenance.signing.backend", "sigstore"}}, "spec.provenance.signing.backend", "must be ed25519: this version signs with nothing else"},
		{"A96", minimal, []patch{{"spec.provenance.signing.attestationFormat", "slsa"}}, "spec.provenance.signing.attestationFormat", "must be in_toto: this version writes no other form"},
		{"A95", minimal, []patch{{"spec.trials.interval", "bootstrap"}}, "spec.trials.interval", "a bootstrap needs trials.minReplicates of 20 at least: fewer are too poor a picture of what they were drawn from"},
	}
	tested := map[string]bool{"A13": true, "A21": true, "A32": true, "A34": true, "A41": true, "A42": true, "A80": true, "A81": true, "A97": true, "A99": true, "A116": true, "A118": true} // TestTwelveFaults, TestUnreadable, TestWarnings, TestSessionAndTraceRules, TestSweepRules and TestScorerRules have them
	for _, tt := range tests {
		tested[tt.rule] = true
		t.Run(tt.rule+" "+tt.path, func(t *testing.T) {
			wantFault(t, patched(t, example(t, tt.file), tt.patches...), tt.rule, tt.path, tt.message)
		})
	}
	wantAllTested(t, additionalRules, tested)
}

func TestWorkloadSpecRules(t *testing.T) {
	tests := []struct {
		rule    string
		patches []patch
		path    string
		message string
	}{
		{"W1", []patch{{"comparison_axis.constants_locked", []string{"model"}}}, "comparison_axis.constants_locked", "missing locked constants ['batching_policy', 'concurrency_model', 'precision', 'sequence_length_mix']"},
		{"W2", []patch{{"comparison_axis.candidate", "engine 0.10"}}, "comparison_axis.candidate", "must differ from control"},
		{"W3", []patch{{"execution.image", "engine:latest"}}, "execution.image", "must be " + pinnedWant},
		{"W4", []patch{{"workload.input_distribution.prompt_tokens.p50", 4096}}, "workload.input_distribution.prompt_tokens", "must satisfy p50 <= p95 <= max"},
		{"W5", []patch{{"metrics.primary", "mfu_pct"}}, "metrics.primary", "is a training metric, and workload.type is inference"},
		{"W5", []patch{{"metrics.primary", "ttft_ms"}, {"workload.type", "training"}}, "metrics.primary", "is an inference metric, and workload.type is training"},
		{"W6", []patch{{"measurement_policy.trials", 2}}, "measurement_policy.trials", "must be an integer >= 3 for publication grade"},
		{"W7", []patch{{"measurement_policy.outlier_policy.keep_raw_samples", false}}, "measurement_policy.outlier_policy.keep_raw_samples", "must be true"},
		{"W8", []patch{{"measurement_policy.environment_controls.gpu_clocks_locked", false}}, "measurement_policy.environment_controls.gpu_clocks_locked", "must be true for publication grade"},
		{"W9", []patch{{"diagnosis_policy.bottleneck_classes", []string{"comm_bound"}}}, "diagnosis_policy.bottleneck_classes", "missing bottleneck classes ['compute_bound', 'control_plane_bound', 'input_bound']"},
		{"W10", []patch{{"diagnosis_policy.distributed.rank_level_visibility", false}}, "diagnosis_policy.distributed.rank_level_visibility", "must be true"},
		{"W11", []patch{{"artifacts.require_manifest", false}}, "artifacts.require_manifest", "must be true for publication grade"},
		{"W12", []patch{{"artifacts.provenance_signing.required", false}}, "artifacts.provenance_signing.required", "must be true for publication grade"},
		{"W13", []patch{{"workload.serving_contract.fairness_constraints.protocol_fixed_across_candidates", false}}, "workload.serving_contract.fairness_constraints.protocol_fixed_across_candidates", "must be true"},
		{"W14", []patch{{"workload.concurrency_model.values", []float64{1.5}}}, "workload.concurrency_model.values[0]", "must be a whole number of requests in a closed loop"},
	}
	tested := map[string]bool{}
	for _, tt := range tests {
		tested[tt.rule] = true
		t.Run(tt.rule+" "+tt.path, func(t *testing.T) {
			wantFault(t, patched(t, example(t, "workloadspec.yaml"), tt.patches...), tt.rule, tt.path, tt.message)
		})
	}
	wantAllTested(t, workloadSpecRules, tested)
}

// gsm8kTask is a task of an evaluation that is right.
func gsm8kTask() map[string]any {
	return map[string]any{"name": "gsm8k", "family": "gsm8k", "path": "test.jsonl", "datasetRef": "gsm8k@sha256:3730d312f6e3440559ace48831e51066acaca737f6eabec99bccb9e4b3c39d14"}
}

// with is m with one more field.
func with(m map[string]any, name string, value any) map[string]any {
	m[name] = value
	return m
}

// A fault names its rule by the id, which is why no two rules have the same.
func TestRuleIDsDiffer(t *testing.T) {
	of := map[string]string{}
	for _, r := range Rules {
		if other, taken := of[r.ID]; taken {
			t.Errorf("%s is the rule of %s and of %s", r.ID, other, r.Path)
		}
		of[r.ID] = r.Path
	}
}
