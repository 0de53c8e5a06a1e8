package diff

// planRules say what differences between resolved plans mean. A path that no
// line knows belongs to no variable and makes a comparison exploratory: the
// frozen workload, the load, the seed and the isolation are all of that sort.
var planRules = rules{
	{path: "apiVersion", ignore: true, reason: "two spellings of one question resolve to the same"},
	{path: "kind", ignore: true, reason: "follows from the document"},
	{path: "metadata.*", ignore: true, reason: "what a run is called changes nothing"},
	{path: "spec.comparison.*", ignore: true, reason: "declares the comparison and repeats the workload; it is not measured"},
	{path: "spec.intent.headline", ignore: true, reason: "which result leads is not what is run"},
	{path: "spec.intent.cadence", ignore: true, reason: "when a run is made is not what is run"},
	{path: "spec.automation.*", ignore: true, reason: "when a run is made is not what is run"},
	{path: "spec.sinks.*", ignore: true, reason: "where results go after the run"},
	{path: "spec.provenance.*", ignore: true, reason: "what is kept and signed as evidence"},
	{path: "spec.bottleneckAnalysis.*", ignore: true, reason: "what is looked for afterwards"},
	{path: "spec.metrics.*", ignore: true, reason: "what is reported; all of it is computed"},
	{path: "spec.trials.*", ignore: true, reason: "more launches make an interval narrower, not a system faster"},
	{path: "spec.layers*.objective", ignore: true, reason: "words"},
	{path: "spec.workload.fixedAcrossTrials", ignore: true, reason: "a declaration about the workload is not the workload"},
	{path: "spec.workload.prompt.dataset.path", ignore: true, reason: "datasetRef names the content"},
	{path: "spec.workload.tokenizer.path", ignore: true, reason: "its digest names the content"},
	{path: "spec.load.trace.path", ignore: true, reason: "traceRef names the content"},
	{path: "spec.load.calibrate", ignore: true, reason: "about the client, outside of the measured time"},
	{path: "spec.load.keepAnswers", ignore: true, reason: "what is kept of the answers"},

	{path: "spec.intent.schedulerPath", variable: scheduler},
	{path: "spec.cost.*", variable: hardware, reason: "other machines have other prices and power"},

	{path: "spec.target.url", along: true, reason: "another system has another address"},
	{path: "spec.target.urls", along: true, reason: "another system has another address"},
	{path: "spec.target.headers.*", along: true, reason: "who asks, and where"},
	{path: "spec.target.query.*", along: true, reason: "who asks, and where"},
	{path: "spec.target.auth.*", along: true, reason: "who asks"},
	{path: "spec.target.tls.caFile", along: true, reason: "whom the client trusts"},
	{path: "spec.target.tls.certFile", along: true, reason: "who asks"},
	{path: "spec.target.tls.keyFile", along: true, reason: "who asks"},
	{path: "spec.target.tls.serverName", along: true, reason: "another system has another name"},
	{path: "spec.target.metrics.*", along: true, reason: "where the server shows its counters"},
	{path: "spec.target.server.dir", along: true, reason: "where the program lies"},
	{path: "spec.target.server.ready.*", along: true, reason: "how assay waits before it measures"},
	{path: "spec.target.server.stopTimeout", along: true, reason: "after the measurement"},
	{path: commandPath + " --addr", along: true, reason: "another system has another address"},
	{path: commandPath + " --address", along: true, reason: "another system has another address"},
	{path: commandPath + " --bind", along: true, reason: "another system has another address"},
	{path: commandPath + " --host", along: true, reason: "another system has another address"},
	{path: commandPath + " --listen", along: true, reason: "another system has another address"},
	{path: commandPath + " --port", along: true, reason: "another system has another address"},

	// The frozen workload holds precision and batching: a flag that moves them is
	// a second thing, not part of a version.
	{path: commandPath + " --dtype", reason: "precision"},
	{path: commandPath + " --precision", reason: "precision"},
	{path: commandPath + " --quantization", reason: "precision"},
	{path: commandPath + " --kv-cache-dtype", reason: "precision"},
	{path: commandPath + " --model", reason: "the model"},
	{path: commandPath + " --model-path", reason: "the model"},
	{path: commandPath + " --max-num-seqs", reason: "batching"},
	{path: commandPath + " --max-batch-size", reason: "batching"},
	{path: commandPath + " --max-num-batched-tokens", reason: "batching"},
	{path: commandPath + " --max-running-requests", reason: "batching"},
	{path: commandPath + "*", variable: runtime},
	{path: "spec.target.server.env.*", variable: runtime},
	{path: "spec.target.api", variable: runtime, reason: "another engine may speak another API"},

	{path: "spec.target.http2", variable: network},
	{path: "spec.target.proxy", variable: network},
	{path: "spec.target.tls.*", variable: network},
}
