package spec

import (
	"fmt"
	"slices"
)

// The contract's lists.
var (
	fixedFive         = []string{"model", "sequenceLengthMix", "precision", "batchingPolicy", "concurrencyModel"}
	bottleneckClasses = []string{"compute_bound", "comm_bound", "input_bound", "control_plane_bound"}
	overheadBuckets   = []string{"compute", "communication", "storage", "orchestration"}
	nodeChecks        = []string{"rdma_pathing", "gpu_nic_affinity", "pcie_link_health", "nvlink_health", "thermal_throttling"}
	remediations      = []string{"isolate_bad_node", "cordon_problematic_node"}
	infrastructure    = []string{"dcgm-exporter", "nvlink-exporter", "node-pci-exporter", "ping-exporter", "node-problem-detector", "hpc-verification"}
	playbooks         = []string{"tail_latency_regression", "low_gpu_utilization", "distributed_straggler", "scheduler_backpressure"}
	rawArtifacts      = []string{"logs", "traces", "profiler_reports", "manifests"}
	dimensions        = []string{"software_version_dim", "hardware_topology_dim", "cluster_region_dim", "workload_dim", "artifact_lineage_dim"}
)

func isTraining(c *checker) bool    { return c.trains() }
func isServing(c *checker) bool     { return c.serves() }
func isPublication(c *checker) bool { return c.publication }
func isRealism(c *checker) bool     { return !c.publication }

// contractRules are the 63 rules of the contract, in its order.
var contractRules = []Rule{
	{ID: "C1", Path: "document", Doc: "The document is a mapping."},
	{ID: "C2", Path: "apiVersion", Doc: "apiVersion is a non-empty string.", check: texts("apiVersion")},
	{ID: "C3", Path: "kind", Doc: "kind is BenchmarkRun.", check: each(func(n *node) bool { return n.str() == KindBenchmarkRun }, "expected BenchmarkRun", "kind")},
	{ID: "C4", Path: "metadata", Doc: "metadata is a mapping with a non-empty name.", check: all(mappings("metadata"), texts("metadata.name"))},
	{ID: "C5", Path: "spec", Doc: "spec and spec.intent are mappings.", check: mappings("spec", "spec.intent")},
	{ID: "C6", Path: "spec.intent.benchmarkClass", Doc: "The class is publication_grade or realism_grade; anything else is judged as publication_grade.", check: oneOf("spec.intent.benchmarkClass", Vocabularies["classes"])},
	{ID: "C7", Path: "spec.intent.workloadType", Doc: "The type is training, inference or mixed; anything else is judged as mixed.", check: oneOf("spec.intent.workloadType", Vocabularies["workloadTypes"])},
	{ID: "C8", Path: "spec.intent", Doc: "schedulerPath and cadence are non-empty strings.", check: texts("spec.intent.schedulerPath", "spec.intent.cadence")},
	{ID: "C9", Path: "spec.layers", Doc: "layers is a list.", check: lists("spec.layers")},
	{ID: "C10", Path: "spec.layers[i]", Doc: "Each layer is a mapping.", check: eachLayer(func(c *checker, path string) { mappings(path)(c) })},
	{ID: "C11", Path: "spec.layers[i].name", Doc: "Each layer has a name.", check: eachLayer(func(c *checker, path string) {
		if c.at(path).is(mappingShape) {
			texts(path + ".name")(c)
		}
	})},
	{ID: "C12", Path: "spec.layers[i].enabled", Doc: "Each layer says whether it is enabled.", check: eachLayer(func(c *checker, path string) {
		if c.at(path).is(mappingShape) {
			booleans(path + ".enabled")(c)
		}
	})},
	{ID: "C13", Path: "spec.layers[i].suites", Doc: "Suites are a list; an enabled layer has at least one.", check: eachLayer(layerSuites)},
	{ID: "C14", Path: "spec.layers", Doc: "At least one layer is enabled.", check: someLayerEnabled},
	{ID: "C15", Path: "spec.layers", Doc: "All three layers are modelled, enabled or not.", check: allLayersModelled},
	{ID: "C16", Path: "spec.workload", Doc: "model, precision, batchingPolicy and concurrencyModel are non-empty strings.", check: all(mappings("spec.workload"), texts(under("spec.workload", "model", "precision", "batchingPolicy", "concurrencyModel")...))},
	{ID: "C17", Path: "spec.workload.sequenceLengthMix", Doc: "The mix has at least one entry.", check: all(lists("spec.workload.sequenceLengthMix"), filled("spec.workload.sequenceLengthMix", "expected at least one sequence mix entry"))},
	{ID: "C18", Path: "spec.comparison.variableUnderTest", Doc: "The variable is one of the seven.", check: all(mappings("spec.comparison"), oneOf("spec.comparison.variableUnderTest", Vocabularies["variables"]))},
	{ID: "C19", Path: "spec.comparison.controls.fixed", Doc: "The frozen workload names its five basic items.", check: all(mappings("spec.comparison.controls", "spec.comparison.controls.fixed"), fixedKeys("missing fixed workload controls ", fixedFive))},
	{ID: "C20", Path: "spec.comparison.controls.compareOneVariableAtATime", Doc: "One variable at a time.", check: trues(wantTrue, "spec.comparison.controls.compareOneVariableAtATime")},
	{ID: "C21", Path: "spec.metrics.training.enabled", Doc: "Training and mixed runs report training metrics.", check: when(isTraining, trues("must be true for training or mixed workloads", "spec.metrics.training.enabled"))},
	{ID: "C22", Path: "spec.metrics.training.primary", Doc: "Training and mixed runs have the four training metrics.", check: when(isTraining, covers("spec.metrics.training.primary", "missing training metrics ", trainingMetrics...))},
	{ID: "C23", Path: "spec.metrics.inference.enabled", Doc: "Inference and mixed runs report inference metrics.", check: when(isServing, trues("must be true for inference or mixed workloads", "spec.metrics.inference.enabled"))},
	{ID: "C24", Path: "spec.metrics.inference.primary", Doc: "Inference and mixed runs have the four inference metrics.", check: when(isServing, covers("spec.metrics.inference.primary", "missing inference metrics ", inferenceMetrics...))},
	{ID: "C25", Path: "spec.metrics.inference.primary", Doc: "Inference and mixed runs have a cost metric.", check: when(isServing, hasCostMetric)},
	{ID: "C26", Path: "spec.metrics", Doc: "Both metric sets are mappings with a primary list, enabled or not.", check: all(mappings("spec.metrics", "spec.metrics.training", "spec.metrics.inference"), lists("spec.metrics.training.primary", "spec.metrics.inference.primary"))},
	{ID: "C27", Path: "spec.trials.minReplicates", Doc: "At least three replicates.", check: all(mappings("spec.trials"), each(func(n *node) bool { v, ok := n.integer(); return ok && v >= 3 }, "must be an integer >= 3", "spec.trials.minReplicates"))},
	{ID: "C28", Path: "spec.trials.confidenceLevel", Doc: "The confidence level is at least 0.8 and below 1.", check: each(func(n *node) bool { v, ok := n.number(); return ok && v >= 0.8 && v < 1 }, "must be between 0.8 and 1.0", "spec.trials.confidenceLevel")},
	{ID: "C29", Path: "spec.trials.outlierPolicy", Doc: "The outlier policy has a method and an action.", check: all(mappings("spec.trials.outlierPolicy"), texts(under("spec.trials.outlierPolicy", "method", "action")...))},
	{ID: "C30", Path: "spec.trials.report", Doc: "Distributions, intervals and rank outliers are always reported.", check: all(mappings("spec.trials.report"), trues(wantTrue, under("spec.trials.report", "distributions", "confidenceIntervals", "rankLevelOutliers")...))},
	{ID: "C31", Path: "spec.bottleneckAnalysis.taxonomy", Doc: "The four bottleneck classes are distinguished.", check: all(mappings("spec.bottleneckAnalysis"), lists("spec.bottleneckAnalysis.taxonomy"), covers("spec.bottleneckAnalysis.taxonomy", "missing bottleneck classes ", bottleneckClasses...))},
	{ID: "C32", Path: "spec.bottleneckAnalysis.decomposeOverheads", Doc: "Overheads are divided into the four buckets.", check: all(lists("spec.bottleneckAnalysis.decomposeOverheads"), covers("spec.bottleneckAnalysis.decomposeOverheads", "missing decomposition buckets ", overheadBuckets...))},
	{ID: "C33", Path: "spec.bottleneckAnalysis.instrumentation", Doc: "Each class has at least one probe.", check: all(mappings("spec.bottleneckAnalysis.instrumentation"), probesPerClass)},
	{ID: "C34", Path: "spec.distributed.requireRankLevelVisibility", Doc: "Every rank is visible.", check: all(mappings("spec.distributed"), trues(wantTrue, "spec.distributed.requireRankLevelVisibility"))},
	{ID: "C35", Path: "spec.distributed.collectives", Doc: "Latency and bandwidth of collectives are recorded.", check: all(lists("spec.distributed.collectives"), covers("spec.distributed.collectives", "must include latency and bandwidth", "latency", "bandwidth"))},
	{ID: "C36", Path: "spec.distributed.nodeDiagnosis.validate", Doc: "Nodes get the five checks.", check: all(mappings("spec.distributed.nodeDiagnosis"), lists("spec.distributed.nodeDiagnosis.validate"), covers("spec.distributed.nodeDiagnosis.validate", "missing node-level checks ", nodeChecks...))},
	{ID: "C37", Path: "spec.distributed.nodeDiagnosis.remediation", Doc: "A bad node can be isolated and cordoned.", check: all(lists("spec.distributed.nodeDiagnosis.remediation"), covers("spec.distributed.nodeDiagnosis.remediation", "must include cordon_problematic_node and isolate_bad_node", remediations...))},
	{ID: "C38", Path: "spec.observability.correlation.stableJoinKeys", Doc: "The seven common join keys are present.", check: all(mappings("spec.observability", "spec.observability.correlation"), lists("spec.observability.correlation.stableJoinKeys"), covers("spec.observability.correlation.stableJoinKeys", "missing stable join keys ", commonJoinKeys...))},
	{ID: "C39", Path: "spec.observability.correlation.stableJoinKeys", Doc: "Training and mixed runs join by rank.", check: when(isTraining, covers("spec.observability.correlation.stableJoinKeys", "training or mixed runs must include ", trainingJoinKeys...))},
	{ID: "C40", Path: "spec.observability.correlation.stableJoinKeys", Doc: "Inference and mixed runs join by request and trace.", check: when(isServing, covers("spec.observability.correlation.stableJoinKeys", "inference or mixed runs must include ", inferenceJoinKeys...))},
	{ID: "C41", Path: "spec.observability.correlation.publishedNumberLineage", Doc: "Published numbers lead back to manifest, rows and query.", check: all(mappings("spec.observability.correlation.publishedNumberLineage"), trues(wantTrue, under("spec.observability.correlation.publishedNumberLineage", "rawArtifactManifestDigest", "warehouseRowLineage", "querySpecCaptured")...))},
	{ID: "C42", Path: "spec.observability.telemetrySources.service", Doc: "At least one service signal is read.", check: all(mappings("spec.observability.telemetrySources"), lists("spec.observability.telemetrySources.service"), filled("spec.observability.telemetrySources.service", "must declare at least one service signal"))},
	{ID: "C43", Path: "spec.observability.telemetrySources.infrastructure", Doc: "The six infrastructure sources are read.", check: all(lists("spec.observability.telemetrySources.infrastructure"), covers("spec.observability.telemetrySources.infrastructure", "missing infrastructure telemetry sources ", infrastructure...))},
	{ID: "C44", Path: "spec.observability.telemetrySources.scheduler", Doc: "Kubernetes events are read.", check: all(lists("spec.observability.telemetrySources.scheduler"), covers("spec.observability.telemetrySources.scheduler", "must include kubernetes_events", schedulerEvents))},
	{ID: "C45", Path: "spec.observability.telemetrySources.scheduler", Doc: "A path that names kueue or slinky has that source.", check: schedulerSourceListed},
	{ID: "C46", Path: "spec.observability.scenarioPlaybooks", Doc: "The four playbooks are named.", check: all(lists("spec.observability.scenarioPlaybooks"), covers("spec.observability.scenarioPlaybooks", "missing scenario playbooks ", playbooks...))},
	{ID: "C47", Path: "spec.provenance.capture", Doc: "Everything is captured, in both classes.", check: all(mappings("spec.provenance", "spec.provenance.capture"), trues(wantTrue, under("spec.provenance.capture", "pinnedWorkloadSpec", "imageDigest", "driverCudaNcclRuntimeVersions", "hardwareTopology", "immutableRawArtifacts", "auditTrail")...))},
	{ID: "C48", Path: "spec.provenance.signing.required", Doc: "Publication grade is signed.", check: all(mappings("spec.provenance.signing"), when(isPublication, trues("must be true for publication-grade runs", "spec.provenance.signing.required")))},
	{ID: "C49", Path: "spec.provenance.signing", Doc: "Publication grade says what signs and in which form.", check: when(isPublication, texts(under("spec.provenance.signing", "backend", "attestationFormat")...))},
	{ID: "C50", Path: "spec.executionPolicy.publicationGrade", Doc: "Publication grade demands its four guarantees.", check: all(mappings("spec.executionPolicy"), when(isPublication, mappings("spec.executionPolicy.publicationGrade"), trues(wantTrue, under("spec.executionPolicy.publicationGrade", "dedicatedNodes", "stableBackgroundLoad", "fixedTopology", "topologyExclusiveScheduling")...)))},
	{ID: "C51", Path: "spec.executionPolicy.realismGrade", Doc: "Realism grade allows tenants and records the cluster.", check: when(isRealism, mappings("spec.executionPolicy.realismGrade"), trues("must be true for realism-grade runs", under("spec.executionPolicy.realismGrade", "multiTenantScenarios", "captureClusterContext")...))},
	{ID: "C52", Path: "spec.sinks.rawArtifacts", Doc: "Raw artifacts have a store, a path and a retention class.", check: all(mappings("spec.sinks", "spec.sinks.rawArtifacts"), texts(under("spec.sinks.rawArtifacts", "store", "pathTemplate", "retentionClass")...))},
	{ID: "C53", Path: "spec.sinks.rawArtifacts.artifacts", Doc: "The four artifact classes are kept.", check: all(lists("spec.sinks.rawArtifacts.artifacts"), covers("spec.sinks.rawArtifacts.artifacts", "missing raw artifact classes ", rawArtifacts...))},
	{ID: "C54", Path: "spec.sinks.hotMetrics", Doc: "Hot metrics have a store, days and a series budget.", check: all(mappings("spec.sinks.hotMetrics", "spec.sinks.hotMetrics.cardinalityBudget"), texts("spec.sinks.hotMetrics.store"), positives("spec.sinks.hotMetrics.retentionDays", "spec.sinks.hotMetrics.cardinalityBudget.maxActiveSeries"))},
	{ID: "C55", Path: "spec.sinks.hotMetrics.cardinalityBudget.dropDimensions", Doc: "Labels without bound are dropped.", check: all(lists("spec.sinks.hotMetrics.cardinalityBudget.dropDimensions"), covers("spec.sinks.hotMetrics.cardinalityBudget.dropDimensions", "must include request_id and trace_id to keep hot-metric cardinality bounded", inferenceJoinKeys...))},
	{ID: "C56", Path: "spec.sinks.curatedWarehouse.store", Doc: "The warehouse has a store.", check: all(mappings("spec.sinks.curatedWarehouse"), texts("spec.sinks.curatedWarehouse.store"))},
	{ID: "C57", Path: "spec.sinks.curatedWarehouse.layout.facts", Doc: "The two common facts are kept.", check: all(mappings("spec.sinks.curatedWarehouse.layout"), lists("spec.sinks.curatedWarehouse.layout.facts"), covers("spec.sinks.curatedWarehouse.layout.facts", "missing warehouse facts ", commonFacts...))},
	{ID: "C58", Path: "spec.sinks.curatedWarehouse.layout.facts", Doc: "The outcome facts of the workload type are kept.", check: all(when(isServing, covers("spec.sinks.curatedWarehouse.layout.facts", "inference or mixed runs must include serving_outcome_fact", servingFact)), when(isTraining, covers("spec.sinks.curatedWarehouse.layout.facts", "training or mixed runs must include training_outcome_fact", trainingFact)))},
	{ID: "C59", Path: "spec.sinks.curatedWarehouse.layout.dimensions", Doc: "The five dimensions are kept.", check: all(lists("spec.sinks.curatedWarehouse.layout.dimensions"), covers("spec.sinks.curatedWarehouse.layout.dimensions", "missing warehouse dimensions ", dimensions...))},
	{ID: "C60", Path: "spec.sinks.curatedWarehouse.retention", Doc: "Each tier has days.", check: all(mappings("spec.sinks.curatedWarehouse.retention"), positives(under("spec.sinks.curatedWarehouse.retention", "hotDays", "warmDays", "coldDays")...))},
	{ID: "C61", Path: "spec.sinks.curatedWarehouse.retention", Doc: "Tiers keep longer as they cool.", check: tiersOrdered},
	{ID: "C62", Path: "spec.sinks.curatedWarehouse.lineage", Doc: "Rows lead back to raw evidence.", check: all(mappings("spec.sinks.curatedWarehouse.lineage"), trues(wantTrue, under("spec.sinks.curatedWarehouse.lineage", "publishedNumbersTraceableToRaw", "manifestDigestColumn", "workloadSpecDigestColumn")...))},
	{ID: "C63", Path: "spec.automation.ci", Doc: "Each schedule is on or off.", check: all(mappings("spec.automation", "spec.automation.ci"), booleans(under("spec.automation.ci", "canary", "nightly", "preRelease")...))},
}

// eachLayer runs body for every item of layers.
func eachLayer(body func(c *checker, path string)) check {
	return func(c *checker) {
		n := c.at("spec.layers")
		if !n.is(listShape) {
			return
		}
		for i := range n.items {
			body(c, itemPath("spec.layers", i))
		}
	}
}

// readable reports whether a layer has a name and says whether it is enabled;
// one that does not is skipped by the later rules.
func readableLayer(n *node) bool {
	_, ok := n.field("enabled").flag()
	return ok && n.field("name").str() != ""
}

func layerSuites(c *checker, path string) {
	layer := c.at(path)
	if !readableLayer(layer) {
		return
	}
	suites := layer.field("suites")
	enabled, _ := layer.field("enabled").flag() // readableLayer has seen it
	switch {
	case !suites.is(listShape):
		c.fail(path+".suites", wantList)
	case enabled && len(suites.items) == 0:
		c.fail(path+".suites", "enabled layer must declare at least one suite")
	}
}

func someLayerEnabled(c *checker) {
	n := c.at("spec.layers")
	enabled := n.is(listShape) && slices.ContainsFunc(n.items, func(layer *node) bool {
		on, _ := layer.field("enabled").flag()
		return on && readableLayer(layer)
	})
	if !enabled {
		c.failGot("spec.layers", "", "at least one layer must be enabled")
	}
}

func allLayersModelled(c *checker) {
	missing := slices.Clone(Vocabularies["layers"])
	if n := c.at("spec.layers"); n.is(listShape) {
		for _, layer := range n.items {
			missing = slices.DeleteFunc(missing, func(name string) bool { return name == layer.field("name").str() })
		}
	}
	if len(missing) > 0 {
		c.failGot("spec.layers", "", "template must model all methodology layers; missing "+pythonList(missing))
	}
}

// fixedKeys wants the frozen workload to name keys. Where the document leaves
// the whole to defaults, the workload itself is at fault, and its rules speak.
func fixedKeys(message string, keys []string) check {
	return func(c *checker) {
		const path = "spec.comparison.controls.fixed"
		fixed := c.at(path)
		if !fixed.is(mappingShape) || !c.strict && c.source.at(path) == nil {
			return
		}
		missing := slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return fixed.field(key) != nil })
		if len(missing) > 0 {
			c.failGot(path, "", message+pythonList(missing))
		}
	}
}

func hasCostMetric(c *checker) {
	n := c.at("spec.metrics.inference.primary")
	isCost := func(name string) bool { return slices.Contains(costMetrics, name) }
	if n.is(listShape) && !slices.ContainsFunc(n.strings(), isCost) {
		c.failGot("spec.metrics.inference.primary", "", "must include cost_per_token_usd or cost_per_request_usd")
	}
}

func probesPerClass(c *checker) {
	for _, path := range under("spec.bottleneckAnalysis.instrumentation", bottleneckClasses...) {
		lists(path)(c)
		filled(path, "must declare at least one probe")(c)
	}
}

func schedulerSourceListed(c *checker) {
	path := c.at("spec.intent.schedulerPath").str()
	for _, source := range schedulerSources(path)[1:] {
		covers("spec.observability.telemetrySources.scheduler",
			fmt.Sprintf("scheduler path '%s' must include telemetry source '%s'", path, source), source)(c)
	}
}

func tiersOrdered(c *checker) {
	const path = "spec.sinks.curatedWarehouse.retention"
	hot, ok1 := c.at(path + ".hotDays").integer()
	warm, ok2 := c.at(path + ".warmDays").integer()
	cold, ok3 := c.at(path + ".coldDays").integer()
	if ok1 && ok2 && ok3 && (hot > warm || warm > cold) {
		c.failGot(path, fmt.Sprintf("%d, %d and %d days", hot, warm, cold), "must satisfy hotDays <= warmDays <= coldDays")
	}
}
