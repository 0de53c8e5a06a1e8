// Package target talks to the system under test. Its Client owns the clock and
// the connection; a Dialect only translates.
//
// On the measured path a read returns, the clock is read, the bytes are kept.
// Nothing is parsed until the stream has ended. No vendor's SDK sits between us
// and the socket: an SDK retries, pools and buffers inside the measurement.
//
// To add an API, write one file NAME.go with a Dialect, list it in All, and add
// its recording under testdata.
package target

import (
	"fmt"
	"slices"

	"assay/record"
)

// A Dialect is the wire format of one API. Implementations hold no state and
// are safe for concurrent use.
type Dialect interface {
	// Path is where requests go, below the target's URL.
	Path() string

	// Encode builds the request body that asks for call.
	Encode(call record.Call, ask Ask) ([]byte, error)

	// Decode interprets the data of one event of a streamed answer, or the whole
	// body of an answer that was not streamed.
	Decode(data []byte) ([]Piece, error)
}

// Ask is what every call of a run has in common.
type Ask struct {
	Model       string
	Stream      bool
	Temperature *float64
	IgnoreEOS   *bool // nil leaves the field out: not every server knows it
	ExtraBody   map[string]any
	Omit        []string // fields never sent: some servers refuse what they do not know
}

// adapt makes body what the user wants it to be: their extra fields merged in,
// the omitted ones left out.
func (a Ask) adapt(body map[string]any) {
	merge(body, a.ExtraBody)
	for _, name := range a.Omit {
		delete(body, name)
	}
}

// limit adds what most APIs call alike: the longest answer, under the name that this
// one has for it, and the temperature.
func (a Ask) limit(settings map[string]any, longest string, call record.Call) {
	if call.OutputTokens > 0 {
		settings[longest] = call.OutputTokens
	}
	if a.Temperature != nil {
		settings["temperature"] = *a.Temperature
	}
}

// A Piece is one fact that an event carries.
type Piece struct {
	Kind   record.ChunkKind
	Choice int32
	Text   string // output text, or the message of an error

	// Whole says that Text is everything the choice has said so far, not only
	// what is new.
	Whole bool

	FinishReason string
	ServerID     string
	Model        string // that answers, as the server names it
	Fingerprint  string // of its system
	Note         string // remark for the record's flags
	Usage        *Usage
	Logprobs     *record.Logprobs // of the tokens of the event
}

// Usage is the server's own count of tokens.
type Usage struct {
	Input, Output     *Count
	Reasoning, Cached *Count
}

// A NamedDialect pairs a dialect with its name in a spec's target.api.
type NamedDialect struct {
	Name    string
	Doc     string
	Dialect Dialect
}

// All lists every dialect.
var All = []NamedDialect{
	{"openai-chat", "OpenAI chat completions, as most servers speak it", openAI{path: "/v1/chat/completions", chat: true}},
	{"openai-completions", "OpenAI text completions", openAI{path: "/v1/completions"}},
	{"openai-responses", "OpenAI responses, with their typed events", responses{}},
	{"openai-embeddings", "OpenAI embeddings", embeddings{}},
	{"openai-images", "OpenAI image generation", images{}},
	{"openai-speech", "OpenAI text to speech", audioSpeech{}},
	{"openai-transcription", "OpenAI speech to text", transcription{}},
	{"rerank", "ranking of documents, as vLLM and SGLang serve it", rerank{path: "/v1/rerank"}},
	{"sglang", "SGLang's own generate", sglang{}},
	{"tgi", "Text Generation Inference's own generate", tgi{}},
	{"llamacpp", "llama.cpp's own completion", llamaCPP{}},
	{"triton", "Triton's generate extension, as TensorRT-LLM uses it", tritonGenerate{}},
	{"kserve", "Open Inference Protocol version 2 over HTTP", kserveHTTP{}},
	{"kserve-grpc", "Open Inference Protocol version 2 over gRPC, as Triton speaks it", kserveGRPC{}},
	{"anthropic-messages", "Anthropic messages", anthropic{}},
	{"azure-openai", "OpenAI chat completions on Azure; the model is the deployment", azure{openAI{chat: true}}},
	{"aws-bedrock", "AWS Bedrock converse", bedrock{}},
	{"gcp-gemini", "Google's Gemini API", gemini{models: "/v1beta/models/"}},
	{"gcp-vertex", "Gemini on Google Vertex AI", gemini{models: "/publishers/google/models/"}},
	{"oci-genai", "Oracle Generative AI chat in the generic format", oci{}},
	{"oci-cohere", "Oracle Generative AI chat in Cohere's format", oci{cohere: true}},
	{"cohere-chat", "Cohere chat, version 2", cohere{}},
	{"cohere-rerank", "Cohere ranking of documents, version 2", rerank{path: "/v2/rerank"}},
	{"cohere-embed", "Cohere embeddings of texts and images, version 2", cohereEmbed{}},
	{"tei-embed", "Text Embeddings Inference's own embed", teiEmbed{}},
	{"tei-rerank", "Text Embeddings Inference's ranking of documents", teiRerank{}},
	{"command", "a program that assay starts, over the worker protocol", command{}},
}

// Find returns the dialect called name.
func Find(name string) (Dialect, error) {
	i := slices.IndexFunc(All, func(n NamedDialect) bool { return n.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("target.api %q: want one of %v", name, names())
	}
	return All[i].Dialect, nil
}

func names() []string {
	var list []string
	for _, n := range All {
		list = append(list, n.Name)
	}
	return list
}
