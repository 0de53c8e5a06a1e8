package spec

import "assay/schedule"

// Words that code compares with.
const (
	HeadlineThroughput = "throughput"
	HeadlineLatency    = "latency"

	PublicationGrade = "publication_grade"
	RealismGrade     = "realism_grade"

	Training  = "training"
	Inference = "inference"
	Mixed     = "mixed"

	ClosedLoop = "closed_loop"
	OpenLoop   = "open_loop"

	ArrivalConstant = "constant"
	ArrivalPoisson  = "poisson"
	ArrivalGamma    = "gamma"
	ArrivalTrace    = "trace"

	StartSpread   = "spread"
	StartTogether = "together"

	WaitAuto  = "auto"
	WaitSleep = "sleep"
	WaitSpin  = "spin"

	SessionSynthetic = "synthetic"
	SessionDataset   = "dataset"
	SessionTrace     = "trace"

	SessionEvaluation = "evaluation"

	HistoryRecorded = "recorded"
	HistoryLive     = "live"

	RampStep        = "step"
	RampLinear      = "linear"
	RampExponential = "exponential"

	OrderAscending  = "ascending"
	OrderRandomised = "randomised"

	RestartLaunch = "launch"
	RestartRun    = "run"

	AuthNone   = "none"
	AuthBearer = "bearer"
	AuthHeader = "header"

	// Kinds whose credentials are found as the cloud's own clients find them.
	AuthAWS    = "aws"
	AuthAzure  = "azure"
	AuthGoogle = "google"
	AuthOCI    = "oci"

	// APICommand is a program that assay starts and speaks to over a socket.
	APICommand = "command"

	ReaderNetHTTP = "net/http"
	ReaderEpoll   = "epoll"
	ReaderKernel  = "epoll+kernel"

	// AsServed says that a property of the server was not controlled.
	AsServed = "as_served"

	// SyntheticDataset names prompts made from the seed.
	SyntheticDataset = "synthetic"

	// BackendNative is assay's own collectives.
	BackendNative = "native"

	// BackendNCCL is NVIDIA's library, for the memory of accelerators.
	BackendNCCL = "nccl"

	LaunchLocal       = "local"
	LaunchEnvironment = "environment"
	LaunchSSH         = "ssh"
	LaunchSlurm       = "slurm"

	ScalingStrong = "strong"
	ScalingWeak   = "weak"

	PlaceOut  = "out_of_place"
	PlaceIn   = "in_place"
	PlaceBoth = "both"

	// Intervals over launches.
	IntervalStudent   = "student_t"
	IntervalBootstrap = "bootstrap"

	// Tests of a difference.
	TestByT           = "t_test"
	TestByRanks       = "rank_test"
	TestByPermutation = "permutation_test"

	// SelfArtifact names the run made from the document that says it.
	SelfArtifact = "self"
)

// Vocabularies lists the accepted words of every enumerated field, by the name
// its enum tag uses. A word is accepted when assay implements it: to support
// one more API, add its dialect to package target and its name here.
var Vocabularies = map[string][]string{
	"apiVersions":         {APIVersion, ReferenceAPIVersion},
	"runKinds":            {KindBenchmarkRun},
	"workloadKinds":       {KindWorkloadSpec},
	"policyKinds":         {KindGatePolicy},
	"intakeKinds":         {KindPerformanceIntake},
	"scheduleKinds":       {KindBenchmarkSchedule},
	"alertKinds":          {"failed", "void", "missed", "regressed", "inconclusive", "changed"},
	"policyVersions":      {APIVersion},
	"gateGrades":          {"publication", "realism", "exploratory"},
	"gateInconclusive":    {"fail", "pass"},
	"gateDirections":      {"higher", "lower"},
	"gateStatistics":      {"mean", "p50", "p90", "p95", "p99", "p99.9", "value"},
	"classes":             {PublicationGrade, RealismGrade},
	"headlines":           {HeadlineThroughput, HeadlineLatency},
	"workloadTypes":       {Training, Inference, Mixed},
	"cadences":            {"canary", "nightly", "pre_release"},
	"concurrencyPolicies": {string(schedule.Forbid), string(schedule.Allow), string(schedule.Replace)},
	"layers":              {"micro", "component", "end_to_end"},
	"variables":           {"hardware_generation", "runtime_version", "scheduler_path", "control_plane_path", "driver_stack", "network_topology", "storage_stack"},
	"precisions":          {"fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "int8", "fp4", "mxfp4", "int4", AsServed},
	"batchingPolicies":    {"static", "dynamic", "continuous", AsServed},
	"concurrencyModels":   {ClosedLoop, OpenLoop},
	"tasks":               taskNames(),
	"tokenizerKinds":      {TokenizerDefault, TokenizerFile, TokenizerServer},
	"tokenPatterns":       {"cl100k", "gpt2", "llama3", "o200k", "p50k", "qwen2"},
	"distributions":       {"fixed", "uniform", "normal", "lognormal"},
	"datasetFormats":      {"text", "jsonl", "json", "sharegpt", "csv", "parquet", "images", "sounds"},
	"traceFormats":        {"mooncake", "bailian", "azure-2023", "azure-2024", "azure-2025", "burstgpt", "weka", "otel"},
	"sessionSources":      {SessionSynthetic, SessionDataset, SessionTrace, SessionEvaluation},
	"histories":           {HistoryRecorded, HistoryLive},
	"outlierMethods":      {"mad", "tukey_iqr", "tukey_iqr_and_mad"},
	"outlierActions":      {"flag_and_keep"},
	"intervals":           {IntervalStudent, IntervalBootstrap},
	"differenceTests":     {TestByT, TestByRanks, TestByPermutation},
	"apis": {
		"openai-chat", "openai-completions", "openai-responses", "openai-embeddings", "openai-images", "openai-speech", "openai-transcription", "rerank",
		"sglang", "tgi", "llamacpp", "triton", "kserve", "kserve-grpc",
		"anthropic-messages", "azure-openai", "aws-bedrock", "gcp-gemini", "gcp-vertex",
		"oci-genai", "oci-cohere", "cohere-chat", "cohere-rerank", "cohere-embed",
		"tei-embed", "tei-rerank", APICommand,
	},
	"authKinds":          {AuthNone, AuthBearer, AuthHeader, AuthAWS, AuthAzure, AuthGoogle, AuthOCI},
	"readers":            {ReaderNetHTTP, ReaderEpoll, ReaderKernel},
	"restarts":           {RestartLaunch, RestartRun},
	"arrivals":           {ArrivalConstant, ArrivalPoisson, ArrivalGamma, ArrivalTrace},
	"starts":             {StartSpread, StartTogether},
	"readerWaits":        {WaitAuto, WaitSleep, WaitSpin},
	"mlperfScenarios":    {SingleStream, MultiStream, ServerLoad, Interactive, Offline},
	"mlperfBenchmarks":   publishedNames(),
	"pointOrders":        {OrderAscending, OrderRandomised},
	"ramps":              {RampStep, RampLinear, RampExponential},
	"sloMetrics":         sloMetricNames(),
	"backends":           {BackendNative, "gloo", BackendNCCL, "mpi"},
	"trainBackends":      {"gloo", BackendNCCL, "mpi"},
	"devices":            {"auto", "cpu", "cuda"},
	"launchers":          {LaunchLocal, LaunchEnvironment, LaunchSSH, LaunchSlurm},
	"modelFamilies":      {"transformer", "mlp"},
	"optimizers":         {"adamw", "sgd"},
	"flopConventions":    {"palm", "torchtitan", "megatron"},
	"trainKnobs":         {"batchSize", "gradientAccumulation", "bucketSize", "compression", "compile", "checkpointing", "loaderWorkers", "loadAhead", "parameters", "sequenceLength", "precision", "parallelism", "optimizer"},
	"algorithms":         {"auto", "ring", "tree", "halving_doubling", "direct", "nvls"},
	"libraryProtocols":   {"auto", "ll", "ll128", "simple"},
	"dataTypes":          {"float32", "float64", "int32", "uint8", "bfloat16", "float16"},
	"places":             {"out_of_place", "in_place", "both"},
	"scalings":           {"strong", "weak"},
	"parallelisms":       {"ddp", "fsdp", "none"},
	"compressions":       {"none", "fp16", "bf16", "powersgd"},
	"collectives":        {"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "reduce", "gather", "scatter", "point_to_point", "barrier"},
	"probes":             {"memory", "cache", "roofline", "transfer", "matmul", "disk", "checkpoint", "network", "peer_to_peer", "startup", "dataloader", "speed", "attention", "kv_cache", "matmul_search"},
	"graders":            graderNames,
	"scorerKinds":        {ScorerProtocol, ScorerVQA, ScorerRubric},
	"rubricScales":       {ScaleOneToFive, ScaleYesNo},
	"evaluationFamilies": {FamilyGSM8K, FamilyMMLU, FamilyMMLURedux, FamilyHumanEval, FamilyMBPP, FamilySQuAD, FamilyGLUE, FamilySuperGLUE, FamilyTranslation, FamilySummary, FamilyPerplexity, FamilyOwn, FamilyLMEval},
	"profileDepths":      {DepthMinimal, DepthDeepDive},
	"phases":             {"Pending", "Queued", "Admitted", "Running", "Collecting", "Succeeded", "Partial", "Failed", "Void"},
	"conditionStatuses":  {"True", "False", "Unknown"},
	"grades":             {"publication", "realism"},
	"useCases":           {"engineering_debug", "canary", "nightly", "release_gate", "rfp", "analyst_briefing", "publication"},
	"frozenTypes":        {Inference, Training},
	"stacks":             {"llm-d", "vllm", "triton", "kserve", "custom"},
	"protocols":          {"openai_compatible_http", "grpc", "triton_http", "custom"},
	"deploymentModels":   {"deployment_per_gpu", "kserve_service", "multinode_service", "custom"},
	"headlineMetrics":    {"time_to_train_hours", "mfu_pct", "scaling_efficiency_pct", "ttft_ms", "tokens_per_second", "p99_latency_ms", "cost_per_token_usd"},
	"platforms":          {"bare_metal", "kubernetes", "slurm"},
	"placements":         {"topology_exclusive", "normal", "spread", "pack", "fixed_topology"},
	"confidenceMethods":  {"bootstrap_95_ci", "student_t_95_ci"},
	"warehouseStores":    {"parquet_duckdb", "clickhouse", "bigquery", "snowflake", "iceberg"},
}
