package spec

import (
	"strings"
	"time"

	"assay/unit"
)

// A derivation is a default that follows from what the document does say.
// derive fills the value in where it is absent and notes what it filled.
type derivation struct {
	doc    string
	derive func(s *RunSpec, note func(path string, value any))
}

// derivations run in order, after intent and workload have theirs.
var derivations = []derivation{
	{"a conversation of some turns", deriveSession},
	{"an evaluation asks every question once", deriveEvaluation},
	{"an inference run offers load", deriveLoad},
	{"the scenario of MLPerf and its benchmark", deriveMLPerf},
	{"a training run measures steps", deriveTrain},
	{"the model the workload names", deriveTargetModel},
	{"the usual API of the task", deriveAPI},
	{"the model the workload names", deriveCandidateModels},
	{"a deep dive records more", deriveDepth},
	{"the layer that the workload exercises is enabled", deriveLayers},
	{"the frozen items are the workload's own", deriveFixed},
	{"the contract's metrics for the workload type", deriveMetrics},
	{"the contract's join keys for the workload type", deriveJoinKeys},
	{"the sources schedulerPath names", deriveSchedulerSources},
	{"the contract's facts for the workload type", deriveFacts},
	{"retention tiers agree with each other", deriveRetention},
	{"publication grade is signed", deriveSigning},
	{"the isolation of benchmarkClass", deriveIsolation},
	{"the schedule of intent.cadence is on", deriveCI},
}

// The contract's vocabulary of metrics, keys and tables.
var (
	trainingMetrics    = []string{"time_to_train_hours", "mfu_pct", "scaling_efficiency_pct", "training_reliability_pct"}
	inferenceMetrics   = []string{"ttft_ms", "tokens_per_second", "p99_latency_ms", "jitter_ms"}
	costMetrics        = []string{"cost_per_token_usd", "cost_per_request_usd"}
	secondaryMetrics   = []string{"request_goodput", "p50_latency_ms", "gpu_utilization_pct"}
	commonJoinKeys     = []string{"run_id", "benchmark_case_id", "scheduler_run_id", "job_uid", "pod_uid", "node_name", "gpu_uuid"}
	trainingJoinKeys   = []string{"rank_id"}
	inferenceJoinKeys  = []string{"request_id", "trace_id"}
	commonFacts        = []string{"benchmark_run_fact", "telemetry_slice_fact"}
	servingFact        = "serving_outcome_fact"
	trainingFact       = "training_outcome_fact"
	schedulerEvents    = "kubernetes_events"
	namedSchedulers    = []string{"kueue", "slinky"}
	defaultConcurrency = []int{1, 4, 16}
	defaultRate        = []float64{1, 2, 4}
)

// defaultWarmup covers the first requests of a fresh server, which compile, page
// in and fill caches; ten times slower is common. Whether it was enough is for
// the records to tell.
const defaultWarmup = unit.Duration(5 * time.Second)

// set fills *field with value where it is absent (nil, in a type that can be).
func set[T any](field **T, value T, path string, note func(string, any)) {
	if *field == nil {
		*field = &value
		note(path, value)
	}
}

// setList fills a list that is absent; an empty one is written and stays.
func setList[T any](field *[]T, value []T, path string, note func(string, any)) {
	if *field == nil {
		*field = append([]T(nil), value...)
		note(path, *field)
	}
}

// setValue fills a field that holds its zero value.
func setValue[T comparable](field *T, value T, path string, note func(string, any)) {
	var zero T
	if *field == zero && value != zero {
		*field = value
		note(path, value)
	}
}

func deriveLoad(s *RunSpec, note func(string, any)) {
	if s.Load == nil && (!s.serves() || s.Target == nil && s.apart()) {
		return
	}
	if s.Load == nil {
		s.Load = &Load{}
	}
	l := s.Load
	if l.MLPerf != nil {
		set(&l.Warmup, Warmup{}, "spec.load.warmup", note) // LoadGen has none
	}
	set(&l.Warmup, Warmup{Duration: defaultWarmup}, "spec.load.warmup", note)
	if s.Workload.ConcurrencyModel != OpenLoop {
		if l.Stages == nil && l.Search == nil && l.MLPerf == nil {
			setList(&l.Concurrency, defaultConcurrency, "spec.load.concurrency", note)
		}
		return
	}
	if l.TraceRef != "" {
		setValue(&l.Arrival, ArrivalTrace, "spec.load.arrival", note)
		return
	}
	setValue(&l.Arrival, ArrivalPoisson, "spec.load.arrival", note)
	if l.Stages == nil && l.Search == nil && l.MLPerf == nil {
		setList(&l.Rate, defaultRate, "spec.load.rate", note)
	}
}

func deriveTrain(s *RunSpec, _ func(string, any)) {
	if s.Train == nil && s.trains() && !s.apart() {
		s.Train = &Train{} // its own defaults are noted one by one
	}
}

// apart says that the document asks for something that stands by itself, so that
// neither load nor training steps need be assumed.
func (s *RunSpec) apart() bool { return s.Collectives != nil || s.Probe != nil }

func deriveTargetModel(s *RunSpec, note func(string, any)) {
	if s.Target != nil {
		setValue(&s.Target.Model, s.Workload.Model, "spec.target.model", note)
	}
}

func deriveLayers(s *RunSpec, note func(string, any)) {
	component := Layer{Name: "component", Enabled: true, Objective: "which path regressed"}
	if s.serves() {
		component.Suites = append(component.Suites, Suite{Name: "serving-load"})
	}
	if s.trains() {
		component.Suites = append(component.Suites, Suite{Name: "train-step"})
	}
	micro := Layer{Name: "micro", Objective: "which subsystem is limited", Suites: []Suite{}}
	if s.Probe != nil {
		micro.Enabled, micro.Suites = true, []Suite{{Name: "probes"}}
	}
	endToEnd := Layer{Name: "end_to_end", Objective: "what the user feels", Suites: []Suite{}}
	setList(&s.Layers, []Layer{micro, component, endToEnd}, "spec.layers", note)
}

func deriveFixed(s *RunSpec, note func(string, any)) {
	if s.Comparison.Controls.Fixed == nil {
		s.Comparison.Controls.Fixed = &Fixed{}
	}
	const path = "spec.comparison.controls.fixed."
	f, w := s.Comparison.Controls.Fixed, &s.Workload
	setValue(&f.Model, w.Model, path+"model", note)
	setList(&f.SequenceLengthMix, w.SequenceLengthMix, path+"sequenceLengthMix", note)
	setValue(&f.Precision, w.Precision, path+"precision", note)
	setValue(&f.BatchingPolicy, w.BatchingPolicy, path+"batchingPolicy", note)
	setValue(&f.ConcurrencyModel, w.ConcurrencyModel, path+"concurrencyModel", note)
	setValue(&f.DatasetRef, w.DatasetRef, path+"datasetRef", note)
	set(&f.Correctness, w.Correctness, path+"correctness", note)
}

func deriveMetrics(s *RunSpec, note func(string, any)) {
	t, i := &s.Metrics.Training, &s.Metrics.Inference
	set(&t.Enabled, s.trains(), "spec.metrics.training.enabled", note)
	set(&i.Enabled, s.serves(), "spec.metrics.inference.enabled", note)
	setList(&t.Primary, trainingMetrics, "spec.metrics.training.primary", note)
	setList(&i.Primary, append(inferenceMetrics[:len(inferenceMetrics):len(inferenceMetrics)], costMetrics[0]), "spec.metrics.inference.primary", note)
	setList(&i.Secondary, secondaryMetrics, "spec.metrics.inference.secondary", note)
}

// JoinKeys lists the keys every record of a workload type must carry.
func JoinKeys(workloadType string) []string {
	keys := append([]string(nil), commonJoinKeys...)
	if workloadType != Inference {
		keys = append(keys, trainingJoinKeys...)
	}
	if workloadType != Training {
		keys = append(keys, inferenceJoinKeys...)
	}
	return keys
}

func deriveJoinKeys(s *RunSpec, note func(string, any)) {
	setList(&s.Observability.Correlation.StableJoinKeys, JoinKeys(s.Intent.WorkloadType),
		"spec.observability.correlation.stableJoinKeys", note)
}

// schedulerSources lists the telemetry sources a scheduler path needs.
func schedulerSources(schedulerPath string) []string {
	sources := []string{schedulerEvents}
	for _, name := range namedSchedulers {
		if strings.Contains(schedulerPath, name) {
			sources = append(sources, name)
		}
	}
	return sources
}

func deriveSchedulerSources(s *RunSpec, note func(string, any)) {
	setList(&s.Observability.TelemetrySources.Scheduler, schedulerSources(s.Intent.SchedulerPath),
		"spec.observability.telemetrySources.scheduler", note)
}

// facts lists the fact tables a workload type needs.
func facts(workloadType string) []string {
	tables := append([]string(nil), commonFacts...)
	if workloadType != Training {
		tables = append(tables, servingFact)
	}
	if workloadType != Inference {
		tables = append(tables, trainingFact)
	}
	return tables
}

func deriveFacts(s *RunSpec, note func(string, any)) {
	setList(&s.Sinks.CuratedWarehouse.Layout.Facts, facts(s.Intent.WorkloadType),
		"spec.sinks.curatedWarehouse.layout.facts", note)
}

// deriveRetention keeps days that are written and makes the others agree.
func deriveRetention(s *RunSpec, note func(string, any)) {
	hot, tiers := &s.Sinks.HotMetrics.RetentionDays, &s.Sinks.CuratedWarehouse.Retention
	const path = "spec.sinks.curatedWarehouse.retention."
	setValue(hot, tiers.HotDays, "spec.sinks.hotMetrics.retentionDays", note)
	setValue(hot, 30, "spec.sinks.hotMetrics.retentionDays", note)
	setValue(&tiers.HotDays, *hot, path+"hotDays", note)
	setValue(&tiers.WarmDays, max(180, tiers.HotDays), path+"warmDays", note)
	setValue(&tiers.ColdDays, max(730, tiers.WarmDays), path+"coldDays", note)
}

func deriveSigning(s *RunSpec, note func(string, any)) {
	g := &s.Provenance.Signing
	set(&g.Required, s.Intent.BenchmarkClass == PublicationGrade, "spec.provenance.signing.required", note)
	if *g.Required {
		setValue(&g.Backend, "ed25519", "spec.provenance.signing.backend", note)
		setValue(&g.AttestationFormat, "in_toto", "spec.provenance.signing.attestationFormat", note)
	}
}

func deriveIsolation(s *RunSpec, note func(string, any)) {
	publication := s.Intent.BenchmarkClass == PublicationGrade
	const path = "spec.executionPolicy.publicationGrade."
	p := &s.ExecutionPolicy.PublicationGrade
	set(&p.DedicatedNodes, publication, path+"dedicatedNodes", note)
	set(&p.StableBackgroundLoad, publication, path+"stableBackgroundLoad", note)
	set(&p.FixedTopology, publication, path+"fixedTopology", note)
	set(&p.TopologyExclusiveScheduling, publication, path+"topologyExclusiveScheduling", note)
	set(&s.ExecutionPolicy.RealismGrade.MultiTenantScenarios, !publication, "spec.executionPolicy.realismGrade.multiTenantScenarios", note)
}

func deriveCI(s *RunSpec, note func(string, any)) {
	ci := &s.Automation.CI
	set(&ci.Canary, s.Intent.Cadence == "canary", "spec.automation.ci.canary", note)
	set(&ci.Nightly, s.Intent.Cadence == "nightly", "spec.automation.ci.nightly", note)
	set(&ci.PreRelease, s.Intent.Cadence == "pre_release", "spec.automation.ci.preRelease", note)
}
