package spec

// A Workload is what is asked of the system, independent of where it runs.
type Workload struct {
	// The model.
	Model string `json:"model" required:"true" example:"openai/gpt-oss-20b"`

	// The shapes of the requests and the share of each; weights sum to 1.
	SequenceLengthMix []SequenceLength `json:"sequenceLengthMix,omitzero" default:"[{inputTokens: 512, outputTokens: 128, weight: 1}]" items:"1" rule:"A3"`

	// The numeric precision the model runs in. as_served says that it was not
	// controlled.
	Precision string `json:"precision,omitzero" default:"as_served" enum:"precisions"`

	// How the server forms batches. as_served says that it was not controlled.
	BatchingPolicy string `json:"batchingPolicy,omitzero" default:"as_served" enum:"batchingPolicies"`

	// How load is offered: closed_loop keeps a number of requests in flight,
	// open_loop sends at given times whatever comes back.
	ConcurrencyModel string `json:"concurrencyModel,omitzero" default:"closed_loop" enum:"concurrencyModels"`

	// The prompts: synthetic, or a dataset named by content as NAME@sha256:HEX
	// or sha256:HEX.
	DatasetRef string `json:"datasetRef,omitzero" default:"synthetic" example:"sharegpt@sha256:0c2c4d3a6d1f4a0f6d7a7f0e2f3d5c1b8e9a4b6c7d8e9f0a1b2c3d4e5f607182"`

	// How prompts are made.
	Prompt Prompt `json:"prompt,omitzero"`

	// What counts tokens.
	Tokenizer Tokenizer `json:"tokenizer,omitzero"`

	// Requests that come in sessions of several turns. Without it each stands
	// alone.
	Session *Session `json:"session,omitzero"`

	// The correctness policy, frozen with the workload.
	Correctness Correctness `json:"correctness,omitzero"`

	// What is declared equal in every trial.
	FixedAcrossTrials []string `json:"fixedAcrossTrials,omitzero" default:"[model, sequenceLengthMix, precision, batchingPolicy, concurrencyModel, datasetRef, correctness]" use:"checked"`
}

// MaxTokens is the longest prompt or answer that can be asked for: as much as the
// longest context of any model, and some 50 MB of text.
const MaxTokens = 10_000_000

// A SequenceLength is one shape of request.
type SequenceLength struct {
	// Prompt tokens.
	InputTokens int `json:"inputTokens" required:"true" min:"1" max:"10000000" rule:"A3"`

	// Answer tokens.
	OutputTokens int `json:"outputTokens" required:"true" min:"1" max:"10000000" rule:"A3"`

	// The share of requests of this shape.
	Weight float64 `json:"weight" required:"true" above:"0" max:"1" rule:"A3"`
}

// Prompt says how prompts are made.
type Prompt struct {
	// What goes in and what comes out.
	Task string `json:"task,omitzero" default:"text-to-text" enum:"tasks"`

	// How lengths spread around the declared token counts.
	Distribution string `json:"distribution,omitzero" default:"fixed" enum:"distributions"`

	// The standard deviation of lengths as a share of the mean; for uniform,
	// half the width. It means nothing for fixed.
	Spread float64 `json:"spread,omitzero" min:"0" max:"4"`

	// The shape of requests in genai-bench's notation, instead of distribution
	// and spread. Text: D(in,out), N(mean,sd)/(mean,sd), U(min,max)/(min,max) or
	// U(max,max). Other tasks: E(tokens) of a document to embed, R(tokens,tokens)
	// of a document and the query to rank, I(width,height) or I(width,height,images),
	// A(characters) to speak. sequenceLengthMix then is its mean, and by default
	// follows from it.
	Scenario string `json:"scenario,omitzero" pattern:"^([DUR]\\([1-9][0-9]{0,7},[1-9][0-9]{0,7}\\)|[NU]\\((0|[1-9][0-9]{0,7}),(0|[1-9][0-9]{0,7})\\)/\\((0|[1-9][0-9]{0,7}),(0|[1-9][0-9]{0,7})\\)|[EA]\\([1-9][0-9]{0,7}\\)|I\\([1-9][0-9]{0,7},[1-9][0-9]{0,7}(,[1-9][0-9]{0,7})?\\))$" form:"a scenario such as D(100,100), N(480,240)/(300,150), U(50,100)/(20,40), E(64), R(64,100), I(512,512) or A(100), without spaces" example:"N(480,240)/(300,150)"`

	// Several shapes instead of scenario: a sweep, in which each is measured at
	// every level of the load, one point each.
	Scenarios []string `json:"scenarios,omitzero" items:"1" pattern:"^([DUR]\\([1-9][0-9]{0,7},[1-9][0-9]{0,7}\\)|[NU]\\((0|[1-9][0-9]{0,7}),(0|[1-9][0-9]{0,7})\\)/\\((0|[1-9][0-9]{0,7}),(0|[1-9][0-9]{0,7})\\)|[EA]\\([1-9][0-9]{0,7}\\)|I\\([1-9][0-9]{0,7},[1-9][0-9]{0,7}(,[1-9][0-9]{0,7})?\\))$" form:"a scenario such as D(100,100), N(480,240)/(300,150), U(50,100)/(20,40), E(64), R(64,100), I(512,512) or A(100), without spaces"`

	// What the scenario leaves open for tasks other than text-to-text.
	Details Details `json:"details,omitzero"`

	// Prompt tokens shared by all requests of a point, for prefix caches.
	PrefixTokens int `json:"prefixTokens,omitzero" min:"0" max:"10000000"`

	// The share of each prompt that is shared, instead of prefixTokens.
	PrefixRatio float64 `json:"prefixRatio,omitzero" min:"0" max:"0.99"`

	// How many different prefixes there are; 0 means 1.
	PrefixPool int `json:"prefixPool,omitzero" min:"0" max:"1000000"`

	// In how many parts of equal length the prefix is cut, each chosen below the
	// one before it; 0 means 1, no tree.
	PrefixLevels int `json:"prefixLevels,omitzero" min:"0" max:"16"`

	// How many different parts follow each part of a prefix; 0 means 2.
	PrefixBranch int `json:"prefixBranch,omitzero" min:"0" max:"1000000"`

	// The file of the dataset that datasetRef names.
	Dataset *Dataset `json:"dataset,omitzero"`
}

// A Dataset says where the prompts lie. Its content is named by datasetRef.
type Dataset struct {
	// The file or folder; a relative one lies below the working directory. It is no part
	// of the workload's identity: the digest of its content is.
	Path string `json:"path" required:"true" example:"data/prompts.jsonl"`

	// The format. By default the file's extension tells it.
	Format string `json:"format,omitzero" enum:"datasetFormats"`

	// The columns of a table by what they hold: prompt, answer, outputTokens,
	// system, messages, query, documents.
	Fields map[string]string `json:"fields,omitzero"`

	// Put the rows into an order drawn from the seed before the limit is applied.
	Shuffle bool `json:"shuffle"`

	// Use so many rows only; 0 means all.
	Limit int `json:"limit,omitzero" min:"0" max:"1000000000"`
}

// Correctness is the policy that says when an answer is still right.
type Correctness struct {
	// The quality tasks that must hold.
	Suite []string `json:"suite,omitzero"`

	// The largest drop in accuracy, in percent, that is accepted.
	MaxAccuracyDeltaPct float64 `json:"maxAccuracyDeltaPct,omitzero" min:"0" max:"100"`

	// Named exceptions with their reason.
	AllowedExceptions []string `json:"allowedExceptions,omitzero"`
}
