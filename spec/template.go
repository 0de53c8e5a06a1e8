package spec

// template is the document a rendered one starts from: the contract's template,
// with what assay needs in addition. Everything that follows from it is filled
// in by Resolve.
func template() Run {
	return Run{
		APIVersion: APIVersion,
		Kind:       KindBenchmarkRun,
		Metadata: Metadata{
			Name:   "publication-inference-stack-b200",
			Labels: map[string]string{"assay.dev/benchmark-class": PublicationGrade},
		},
		Spec: RunSpec{
			Intent: Intent{
				BenchmarkClass: PublicationGrade, WorkloadType: Inference,
				SchedulerPath: "slinky-kueue", Headline: HeadlineLatency, Cadence: "pre_release",
			},
			Layers:   templateLayers(),
			Workload: templateWorkload(),
			Comparison: Comparison{
				VariableUnderTest: "runtime_version",
				Baseline:          &Artifact{ArtifactRef: "run:baseline", Description: "the published run to compare against; write its run id"},
				Candidate:         &Artifact{ArtifactRef: SelfArtifact, Description: "the run made from this document"},
			},
			Trials: Trials{MinReplicates: LaunchesForTail},
			Automation: Automation{CI: CI{
				Canary: new(true), Nightly: new(true), PreRelease: new(true),
			}},
		},
	}
}

func templateLayers() []Layer {
	return []Layer{
		{Name: "micro", Enabled: true, Objective: "which subsystem is limited", Suites: []Suite{
			{Name: "nccl-allreduce"}, {Name: "fio-storage"}, {Name: "model-server-kernels"},
		}},
		{Name: "component", Enabled: true, Objective: "which path regressed", Suites: []Suite{
			{Name: "vllm-concurrency-sweep"}, {Name: "dataloader"}, {Name: "job-startup"},
		}},
		{Name: "end_to_end", Enabled: true, Objective: "what the user feels", Suites: []Suite{
			{Name: "customer-serving-workflow"},
		}},
	}
}

func templateWorkload() Workload {
	return Workload{
		Model: "openai/gpt-oss-20b",
		SequenceLengthMix: []SequenceLength{
			{InputTokens: 512, OutputTokens: 128, Weight: 0.7},
			{InputTokens: 1024, OutputTokens: 256, Weight: 0.3},
		},
		Precision: "bf16", BatchingPolicy: "continuous", ConcurrencyModel: ClosedLoop,
		DatasetRef:  SyntheticDataset,
		Correctness: Correctness{Suite: []string{"gsm8k"}, MaxAccuracyDeltaPct: 1},
	}
}

// workloadTemplate is the WorkloadSpec a rendered one starts from.
func workloadTemplate() WorkloadSpec {
	return WorkloadSpec{
		APIVersion:  APIVersion,
		Kind:        KindWorkloadSpec,
		RunMetadata: RunMetadata{BenchmarkLayer: "component", BenchmarkGrade: "publication", UseCase: "release_gate"},
		Workload: FrozenWorkload{
			Type: Inference, Name: "chat-short",
			Model: FrozenModel{Name: "openai/gpt-oss-20b", Precision: "bf16"},
			InputDistribution: InputDistribution{
				PromptTokens:     &Lengths{P50: 512, P95: 1024, Max: 1024},
				CompletionTokens: &Lengths{P50: 128, P95: 256, Max: 256},
			},
			ConcurrencyModel:   FrozenConcurrency{Mode: ClosedLoop, Values: []float64{1, 4, 16}},
			ServingContract:    &ServingContract{StackUnderTest: "vllm", DeploymentModel: "deployment_per_gpu"},
			QualityConstraints: QualityConstraints{CorrectnessSuite: []string{"gsm8k"}},
		},
		Metrics: FrozenMetrics{Primary: "tokens_per_second", Secondary: []string{"ttft_ms", "p99_latency_ms"}},
	}
}
