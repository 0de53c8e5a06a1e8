// Package record holds the facts of a run: what was due, what was sent, what
// came back, and when. It draws no conclusions.
//
// Every time is an int64 of nanoseconds on the launch's clock: CLOCK_MONOTONIC
// of the recording host minus the launch's epoch, which the manifest states, so
// records of one launch can be subtracted safely and records of two programs on
// one host can be laid side by side. A record is written once, by the engine
// that saw the event, and never edited. Rates, percentiles and judgements live
// in packages metric and stats.
//
// The struct tags are the schema of the raw tables; STABILITY.md documents the
// columns. To add a column, append a field with a new name: readers of older
// versions skip it, readers of newer versions find null in older files.
package record

// Version is the schema version of the raw tables: the minor number grows when
// columns are added, the major number when a column changes its meaning.
const Version = "1.7"

// A Phase says which part of a point a record belongs to. Warm-up and cool-down
// are kept and marked, never dropped.
type Phase string

// The phases of a point, in order.
const (
	Warmup   Phase = "warmup"
	Measure  Phase = "measure"
	Cooldown Phase = "cooldown"

	// Probe marks a small request sent beside the load, which is no part of it.
	Probe Phase = "probe"
)

// The phases of requests outside of every point: the first ones of a fresh
// server and the warm ones to compare them with, then prompts that the target's
// prefix cache cannot know and the same ones again.
const (
	Cold      Phase = "cold"
	Warm      Phase = "warm"
	CacheCold Phase = "cache_cold"
	CacheWarm Phase = "cache_warm"
)

// An Outcome says how a request ended. Everything but OK, Cut and Cancelled
// counts against the system under test.
type Outcome string

// The outcomes of a request.
const (
	OK         Outcome = "ok"
	HTTPError  Outcome = "http_error"   // status outside 2xx; over gRPC, another than OK before any message
	StreamErr  Outcome = "stream_error" // an error object inside a 200 stream
	Truncated  Outcome = "truncated"    // ended with neither finish reason nor [DONE]
	Empty      Outcome = "empty"        // 200 with no body, or with neither output nor a finish reason
	Protocol   Outcome = "protocol"     // an event or answer that cannot be read
	TooLarge   Outcome = "too_large"    // beyond a limit of what an answer may be; given up
	Connect    Outcome = "connect"      // no connection
	Reset      Outcome = "reset"        // connection lost before the end
	Timeout    Outcome = "timeout"      // total time limit reached
	IdleTime   Outcome = "idle_timeout" // no byte for the idle limit
	Redirected Outcome = "redirected"   // 3xx, not followed
	NotAStream Outcome = "not_a_stream" // a stream was asked, something else came
	Dropped    Outcome = "dropped"      // never sent: no room
	Cut        Outcome = "cut"          // still running when the run ended; neither success nor failure
	Cancelled  Outcome = "cancelled"    // given up on purpose, as the plan asked; neither success nor failure
)

// Outcomes lists every outcome, OK first.
var Outcomes = []Outcome{
	OK, HTTPError, StreamErr, Truncated, Empty, Protocol, TooLarge, Connect, Reset,
	Timeout, IdleTime, Redirected, NotAStream, Dropped, Cut, Cancelled,
}

// Failure reports whether o counts against the system under test.
func (o Outcome) Failure() bool { return o != OK && o != Cut && o != Cancelled }

// A Call is one thing to ask: decided by the plan, before anything happens.
type Call struct {
	ID           int64  // unique within its launch
	Point        int32  // index into the plan's points
	Phase        Phase  // what the plan intends it for
	Shard        int32  // which load generator sends it
	User         int32  // closed loop: which user; open loop: -1
	Prompt       string // what to say
	InputTokens  int32  // tokens the prompt was built to have
	OutputTokens int32  // tokens asked for; 0 leaves the end to the server

	// Ask is the row of the table asks that it asks; nil outside of an evaluation.
	Ask *int32

	// Sampling is what this call alone asks about the drawing of its answer; nil for nothing.
	Sampling *Sampling

	// Payload is what other tasks than text-to-text carry; nil for none.
	Payload *Payload
}

// A Request is the timeline of one Call as it happened: one row of the table
// requests.
//
// Latency is measured from Due, not Sent: a request that waited for us has
// already waited, and leaving that out is coordinated omission. A pointer field
// is null when the fact was not available.
type Request struct {
	ID     int64   `parquet:"request,delta"`     // the Call's ID; unique within its launch
	Point  int32   `parquet:"point,delta"`       // index into the plan's points; -1 outside of one
	Phase  Phase   `parquet:"phase,dict"`        // warmup, measure or cooldown; probe for one sent beside the load; outside of a point cold, warm, cache_cold or cache_warm
	Shard  int32   `parquet:"shard,delta"`       // which load generator sent it
	User   int32   `parquet:"user,delta"`        // closed loop: which user; open loop: -1
	Due    int64   `parquet:"due_ns,delta"`      // when the plan wanted it sent
	Sent   int64   `parquet:"sent_ns,delta"`     // request bytes handed to the connection
	Wrote  *int64  `parquet:"wrote_ns"`          // last request byte written
	First  *int64  `parquet:"first_byte_ns"`     // first response byte, whatever it held
	Done   int64   `parquet:"done_ns,delta"`     // stream end: [DONE], or the end of the body
	Result Outcome `parquet:"outcome,dict"`      // how it ended; see Outcomes
	Status int32   `parquet:"http_status,delta"` // 0 when no response came
	Error  string  `parquet:"error,zstd"`        // redacted, capped

	DNS     *int64 `parquet:"dns_ns"`         // duration of name look-up, when a connection was opened
	Dial    *int64 `parquet:"connect_ns"`     // duration of the TCP handshake
	TLS     *int64 `parquet:"tls_ns"`         // duration of the TLS handshake
	NewConn bool   `parquet:"new_connection"` // whether a connection was opened for it

	AskedInput     int32  `parquet:"asked_input_tokens,delta"`  // tokens the prompt was built to have
	AskedOutput    int32  `parquet:"asked_output_tokens,delta"` // tokens asked for
	UsageInput     *int32 `parquet:"usage_input_tokens"`        // as the server reported
	UsageOutput    *int32 `parquet:"usage_output_tokens"`       // as the server reported
	UsageReasoning *int32 `parquet:"usage_reasoning_tokens"`    // as the server reported
	UsageCached    *int32 `parquet:"usage_cached_tokens"`       // as the server reported
	FinishReason   string `parquet:"finish_reason,dict"`        // as the server gave it
	ServerID       string `parquet:"server_request_id"`         // the id the server gave the answer
	Chunks         int32  `parquet:"chunks,delta"`              // rows in table chunks
	Bytes          int64  `parquet:"body_bytes,delta"`          // response body bytes
	PromptHash     int64  `parquet:"prompt_hash"`               // first 8 bytes of the prompt's SHA-256; of the body's where a call has no prompt
	Flags          string `parquet:"flags,dict"`                // space-separated remarks, such as "no_done coalesced"
	Stamps         string `parquet:"stamps,dict"`               // what stamped the answer: net/http, epoll or command after the read, epoll+kernel as it reached the host, command+program the program itself
	Text           string `parquet:"text,zstd"`                 // the answer; empty unless the plan keeps answers

	TokenizerOutput *int32 `parquet:"tokenizer_output_tokens"` // tokens of the answer as the named tokenizer counts them; null when none was named
	Items           *int32 `parquet:"items"`                   // outputs of an answer that is not text: vectors, ranks, images, sounds
	Protocol        string `parquet:"protocol,dict"`           // the HTTP version of the answer, such as HTTP/1.1; empty when none came
	TraceID         string `parquet:"trace_id"`                // the id of the W3C trace that was sent with it, 32 hexadecimal digits; empty for none
	Ask             *int32 `parquet:"ask"`                     // the row of the table asks that it asked; null outside of an evaluation
	Logprobs        string `parquet:"logprobs,zstd"`           // log-probabilities that came with the answer, as JSON; empty when none were asked for
	Host            string `parquet:"host,dict"`               // host of the load generator that sent it; empty where the program sent it itself

	Model        string `parquet:"model,dict"`              // the model that the answer names; empty where it names none
	Fingerprint  string `parquet:"system_fingerprint,dict"` // of the system that answered, as the server gave it
	FirstVisible *int64 `parquet:"first_visible_ns"`        // first output that a person sees: not white space, characters without width or reasoning of punctuation alone; null when none came or nothing was streamed
	FirstAnswer  *int64 `parquet:"first_answer_ns"`         // the same outside of reasoning; a tool call counts
	VisibleBytes *int32 `parquet:"visible_bytes"`           // bytes of the output's characters that a person sees
	Letters      *int32 `parquet:"visible_letter_bytes"`    // of them, those of letters: nearly all of prose, and fewer of code and of data
	VisibleParts *int32 `parquet:"visible_events"`          // events of output that show something
	Repeated     *int32 `parquet:"repeated_events"`         // those of them that say again what the one before said, or up to four in turns
	OwnTokens    *int32 `parquet:"own_output_tokens"`       // tokens of the visible output as the embedded tokenizer counts them; null outside of the sample that is counted
	AnswerHash   int64  `parquet:"answer_hash"`             // first 8 bytes of the SHA-256 of the output's text; zero where there is none
	AnswerGist   int64  `parquet:"answer_gist"`             // least hash of the pieces of 32 bytes of the visible text, which texts that share most of them share; zero for a shorter text
}

// Origin is the stamp from which the latency of r counts.
func (r *Request) Origin() int64 { return Origin(r.User, r.Due, r.Sent) }

// Origin is Request.Origin, for those who read a part of the columns. What a schedule
// wanted sent counts from when it was due, whatever kept it: leaving that wait out is
// coordinated omission. A user of a closed loop has no schedule: the request exists
// when it is sent, and how long we took to send it is our turnaround and not the
// target's time.
func Origin(user int32, due, sent int64) int64 {
	if user >= 0 {
		return sent
	}
	return due
}

// Resent is the flag of a request that was sent twice: the server had closed the kept
// connection before a byte of the answer came.
const Resent = "resent"

// Unmarked is the flag of a request that went out without the trace that the others carry, as
// a control.
const Unmarked = "unmarked"

// A ChunkKind says what a piece of the stream carried. Only Content, Reasoning
// and Tool are output.
type ChunkKind string

// The kinds of chunk.
const (
	Content   ChunkKind = "content"
	Reasoning ChunkKind = "reasoning"
	Tool      ChunkKind = "tool"
	OtherOut  ChunkKind = "other" // refusal, audio, legacy function call
	Role      ChunkKind = "role"  // names the speaker and says nothing
	Blank     ChunkKind = "blank" // no output: empty delta, comment, keep-alive
	Usage     ChunkKind = "usage"
	Finish    ChunkKind = "finish"
	ErrorObj  ChunkKind = "error"
	DoneMark  ChunkKind = "done"
)

// Output reports whether chunks of kind k carry generated output.
func (k ChunkKind) Output() bool {
	return k == Content || k == Reasoning || k == Tool || k == OtherOut
}

// A Chunk is one event of a stream as it arrived: one row of the table chunks.
//
// A chunk is not a token: servers pack several into one. How many it holds is a
// judgement, made later by a named tokenizer over the request's text, which
// TextBytes cuts back into chunks.
type Chunk struct {
	Request   int64     `parquet:"request,delta"`    // the request it belongs to
	Seq       int32     `parquet:"seq,delta"`        // its place in the stream, from 0
	Choice    int32     `parquet:"choice,delta"`     // which of several answers it belongs to
	At        int64     `parquet:"at_ns,delta"`      // when the read that completed it returned
	Kind      ChunkKind `parquet:"kind,dict"`        // what it carried; see ChunkKind
	Bytes     int32     `parquet:"bytes,delta"`      // bytes of the event on the wire
	TextBytes int32     `parquet:"text_bytes,delta"` // bytes of output text in it
	Shared    bool      `parquet:"shared_read"`      // completed by the same read as the chunk before it, and not known to have been sent together with it
}
