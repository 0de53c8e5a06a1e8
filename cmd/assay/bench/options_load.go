package bench

// experimentOptions say how much is asked and how it is called.
var experimentOptions = []Option{
	{Name: "max-requests-per-run", Group: groupExperiment, Doc: "most requests of a point", Becomes: "`load.requests`, exactly so many"},
	{Name: "max-time-per-run", Group: groupExperiment, Doc: "longest a point is measured: whole minutes, or a duration such as 90s", Becomes: "`load.duration`"},
	{Name: "num-concurrency", Group: groupExperiment, Kind: List, Doc: "users of a closed loop, one point each", Becomes: "`load.concurrency`; without it 1 4 16 64, for embeddings and rerank 1"},
	{Name: "batch-size", Group: groupExperiment, Kind: List, Doc: "documents of each request, one point each, for embeddings and rerank", Becomes: "`load.batchSizes`; without it 1 8 48"},
	{Name: "iteration-type", Group: groupExperiment, Fate: Noted, Doc: "what is swept over", Becomes: "the task decides it, as in genai-bench; concurrency and batch sizes are both kept"},
	{Name: "traffic-scenario", Group: groupExperiment, Kind: List, Doc: "shape of requests such as D(100,100), one sweep of points each", Becomes: "`workload.prompt.scenarios`; without it the first that genai-bench has for the task"},
	{Name: "warmup-ratio", Group: groupExperiment, Doc: "share of each run that comes before measuring", Becomes: "`load.warmup`, sent beforehand; without it five seconds"},
	{Name: "cooldown-ratio", Group: groupExperiment, Doc: "share of each run that is not measured at its end", Becomes: "a smaller `load.requests` and `load.duration`: load goes on until the last measured answer, so that nothing drains"},
	{Name: "model-tokenizer", Group: groupExperiment, Doc: "tokenizer of the model: a file, a folder or a hub id", Becomes: "`workload.tokenizer`, see below"},
	{Name: "model", Group: groupExperiment, Doc: "name of the model; beside --api-model-name a label", Becomes: "`workload.model`, and `target.model` without `--api-model-name`"},
	{Name: "metrics-time-unit", Group: groupExperiment, Fate: Noted, Doc: "s or ms", Becomes: "records are in nanoseconds, and every figure of a report carries its unit"},
	{Name: "experiment-folder-name", Group: groupExperiment, Doc: "name of the run", Becomes: "`metadata.name`, the end of the bundle's name; a bundle is never written into twice"},
	{Name: "experiment-base-dir", Group: groupExperiment, Doc: "folder in which the bundle is made", Becomes: "`--out`"},
	{Name: "log-dir", Group: groupExperiment, Fate: Noted, Doc: "folder of logs", Becomes: "the bundle holds the story of the run"},
}

// promptOptions say what prompts are made of.
var promptOptions = []Option{
	{Name: "dataset-path", Group: groupPrompts, Doc: "file of prompts: .txt, .csv, .json, .jsonl, .parquet, or a folder of images", Becomes: "`workload.prompt.dataset` and its digest in `workload.datasetRef`; a hub id is refused, for nothing is downloaded"},
	{Name: "dataset-config", Group: groupPrompts, Doc: "JSON file that describes the data set, of source type file", Becomes: "as the options that it stands for"},
	{Name: "dataset-prompt-column", Group: groupPrompts, Doc: "column of the prompts", Becomes: "`workload.prompt.dataset.fields.prompt`"},
	{Name: "dataset-image-column", Group: groupPrompts, Fate: Refused, Doc: "column of the images", Becomes: "images are read from a folder: name it with --dataset-path"},
	{Name: "prefix-len", Group: groupPrompts, Doc: "tokens that all prompts of a point begin with", Becomes: "`workload.prompt.prefixTokens`"},
	{Name: "prefix-ratio", Group: groupPrompts, Doc: "share of each prompt that all begin with", Becomes: "`workload.prompt.prefixRatio`"},
}

// idleOptions are about genai-bench's own machinery.
var idleOptions = []Option{
	{Name: "num-workers", Group: groupWorkers, Fate: Noted, Doc: "worker processes", Becomes: "one process uses all processors; the report says whether the client kept up"},
	{Name: "master-port", Group: groupWorkers, Fate: Noted, Doc: "port of the workers", Becomes: "there are no workers"},
	{Name: "spawn-rate", Group: groupWorkers, Fate: Noted, Doc: "users started per second", Becomes: "users start at random times in the first half of the warm-up; load.stages of a spec raises their number slowly"},
	{Name: "metrics-refresh-interval", Group: groupWorkers, Fate: Noted, Doc: "pause between two looks at the figures", Becomes: "figures are made after the run, from its records"},
}

const storageUnused = "nothing is uploaded"

// uploadOptions would send results elsewhere.
var uploadOptions = []Option{
	{Name: "upload-results", Group: groupUpload, Kind: Switch, Fate: Refused, Doc: "upload the results", Becomes: "assay does not upload: the bundle is one folder, and any tool that copies folders keeps its seal"},
	{Name: "namespace", Group: groupUpload, Fate: Noted, Doc: "OCI namespace", Becomes: storageUnused},
	{Name: "storage-provider", Group: groupUpload, Fate: Noted, Doc: "where to upload", Becomes: storageUnused},
	{Name: "storage-bucket", Group: groupUpload, Fate: Noted, Doc: "bucket", Becomes: storageUnused},
	{Name: "storage-prefix", Group: groupUpload, Fate: Noted, Doc: "prefix in the bucket", Becomes: storageUnused},
	{Name: "storage-auth-type", Group: groupUpload, Fate: Noted, Doc: "kind of authentication", Becomes: storageUnused},
	{Name: "storage-aws-access-key-id", Group: groupUpload, Fate: Noted, Secret: true, Doc: "AWS access key", Becomes: storageUnused},
	{Name: "storage-aws-secret-access-key", Group: groupUpload, Fate: Noted, Secret: true, Doc: "AWS secret key", Becomes: storageUnused},
	{Name: "storage-aws-session-token", Group: groupUpload, Fate: Noted, Secret: true, Doc: "AWS session token", Becomes: storageUnused},
	{Name: "storage-aws-region", Group: groupUpload, Fate: Noted, Doc: "AWS region", Becomes: storageUnused},
	{Name: "storage-aws-profile", Group: groupUpload, Fate: Noted, Doc: "AWS profile", Becomes: storageUnused},
	{Name: "storage-azure-account-name", Group: groupUpload, Fate: Noted, Doc: "Azure account", Becomes: storageUnused},
	{Name: "storage-azure-account-key", Group: groupUpload, Fate: Noted, Secret: true, Doc: "Azure key", Becomes: storageUnused},
	{Name: "storage-azure-connection-string", Group: groupUpload, Fate: Noted, Secret: true, Doc: "Azure connection string", Becomes: storageUnused},
	{Name: "storage-azure-sas-token", Group: groupUpload, Fate: Noted, Secret: true, Doc: "Azure SAS token", Becomes: storageUnused},
	{Name: "storage-gcp-project-id", Group: groupUpload, Fate: Noted, Doc: "Google project", Becomes: storageUnused},
	{Name: "storage-gcp-credentials-path", Group: groupUpload, Fate: Noted, Doc: "file of a service account", Becomes: storageUnused},
	{Name: "github-token", Group: groupUpload, Fate: Noted, Secret: true, Doc: "GitHub token", Becomes: storageUnused},
	{Name: "github-owner", Group: groupUpload, Fate: Noted, Doc: "GitHub owner", Becomes: storageUnused},
	{Name: "github-repo", Group: groupUpload, Fate: Noted, Doc: "GitHub repository", Becomes: storageUnused},
}

// ownOptions are those that genai-bench does not have.
var ownOptions = []Option{
	{Name: "url", Group: groupOurs, Doc: "short for --api-base", Becomes: "`target.url`"},
	{Name: "rate", Group: groupOurs, Kind: List, Doc: "requests per second of an open loop, one point each", Becomes: "`load.rate`, in place of concurrency"},
	{Name: "arrival", Group: groupOurs, Doc: "when requests of an open loop leave: poisson, constant or gamma", Becomes: "`load.arrival`"},
	{Name: "burstiness", Group: groupOurs, Doc: "shape of gamma arrivals: below 1 is burstier than Poisson", Becomes: "`load.burstiness`"},
	{Name: "slo", Group: groupOurs, Kind: List, Doc: "objective such as 'ttft:p99<300ms', 'error_rate<1%' or 'tokens_per_second>500'", Becomes: "`slo`"},
	{Name: "headline", Group: groupOurs, Doc: "the result the run is made for, chosen beforehand: throughput (give --slo for a latency) or latency", Becomes: "`intent.headline`"},
	{Name: "cost-per-gpu-hour", Group: groupOurs, Doc: "dollars that one GPU of the server costs an hour, for cost per token and request; --server-gpu-count says how many there are", Becomes: "`cost.gpuHourlyUSD`, and `cost.gpuCount`"},
	{Name: "server-deployment", Group: groupOurs, Doc: "how the server is deployed: deployment_per_gpu, kserve_service, multinode_service or custom", Becomes: "`target.system.deploymentModel`"},
	{Name: "price-input", Group: groupOurs, Doc: "dollars for a million prompt tokens, where an endpoint is paid by token", Becomes: "`cost.inputPerMillionUSD`"},
	{Name: "price-output", Group: groupOurs, Doc: "dollars for a million answer tokens", Becomes: "`cost.outputPerMillionUSD`"},
	{Name: "duration", Group: groupOurs, Doc: "how long each point is measured, such as 90s", Becomes: "`load.duration`"},
	{Name: "warmup", Group: groupOurs, Doc: "how long load is offered before a point is measured, such as 5s; 0s for none", Becomes: "`load.warmup.duration`"},
	{Name: "launches", Group: groupOurs, Doc: "how often the whole sweep is repeated, at least 3", Becomes: "`trials.minReplicates`; without it 3"},
	{Name: "seed", Group: groupOurs, Doc: "seed of every random choice; a new one for each run without it", Becomes: "`seed`"},
	{Name: "genai-bench-sweep", Group: groupOurs, Kind: Switch, Doc: "measure all that genai-bench would where no scenario or concurrency is given: 45 points for chat", Becomes: "genai-bench's scenarios, `load.concurrency` 1 2 4 8 16 32 64 128 256 and `load.batchSizes` 1 2 4 8 24 48 96, where they are not given"},
	{Name: "quick", Group: groupOurs, Kind: Switch, Doc: "a quick look: one launch, 10 s a point; no interval, not quotable", Becomes: "`trials.quick`, and `load.duration` 10s and `load.warmup.duration` 2s where they are not given"},
	{Name: "input-tokens", Group: groupOurs, Doc: "tokens of every prompt; 512 where only --output-tokens is given", Becomes: "scenario `D(in,out)`"},
	{Name: "output-tokens", Group: groupOurs, Doc: "tokens of every answer; 128 where only --input-tokens is given", Becomes: "scenario `D(in,out)`"},
	{Name: "concurrency", Group: groupOurs, Kind: List, Alias: "num-concurrency", Doc: "same as --num-concurrency", Becomes: "`load.concurrency`"},
	{Name: "request-rate", Group: groupOurs, Kind: List, Alias: "rate", Doc: "same as --rate", Becomes: "`load.rate`"},
	{Name: "num-prompts", Group: groupOurs, Alias: "max-requests-per-run", Doc: "same as --max-requests-per-run", Becomes: "`load.requests`"},
}
