package sim

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// A Fault is one way to misbehave on the wire. A client asks for it by the
// header "x-assay-fault: NAME" or by the model "MODEL@NAME", several joined by
// commas; Config.Faults applies it to every request.
type Fault struct {
	Name string
	Case int    // row of the conformance list of streams a client must survive
	Doc  string // what the client sees

	spoil   func(*style, Config)                  // changes the answer, or
	instead func(c *conn, st *stream) (keep bool) // replaces it
}

// A FaultRate applies a fault to a share of all requests.
type FaultRate struct {
	Name string
	Rate float64 // from 0 to 1
}

// ParseFault reads "NAME" or "NAME:RATE".
func ParseFault(text string) (FaultRate, error) {
	name, rate, found := strings.Cut(text, ":")
	f := FaultRate{Name: name, Rate: 1}
	if found {
		var err error
		if f.Rate, err = strconv.ParseFloat(rate, 64); err != nil {
			return f, fmt.Errorf("fault %q: got rate %q, want a number from 0 to 1", name, rate)
		}
	}
	return f, f.validate()
}

func (f FaultRate) validate() error {
	if findFault(f.Name) == nil {
		return fmt.Errorf("fault: got %q, want one of %s", f.Name, faultNames())
	}
	if !(f.Rate >= 0 && f.Rate <= 1) {
		return fmt.Errorf("fault %q: got rate %v, want a number from 0 to 1", f.Name, f.Rate)
	}
	return nil
}

func findFault(name string) *Fault {
	for i := range Faults {
		if Faults[i].Name == name {
			return &Faults[i]
		}
	}
	return nil
}

func faultNames() string {
	names := make([]string, len(Faults))
	for i, f := range Faults {
		names[i] = f.Name
	}
	return strings.Join(names, ", ")
}

// An answerPlan is what the faults of a request make of its answer.
type answerPlan struct {
	style   *style
	instead func(c *conn, st *stream) (keep bool) // nil means the styled answer
}

// add applies faults by name.
func (p *answerPlan) add(s *Server, names []string) *refusal {
	for _, name := range names {
		f := findFault(name)
		switch {
		case f == nil:
			return badRequest("x-assay-fault", "fault: got %q, want one of %s", name, faultNames())
		case f.instead != nil:
			p.instead = f.instead
		default:
			f.spoil(p.style, s.cfg)
		}
	}
	return nil
}

// drawFaults decides which of the server's faults hit a request.
func (s *Server) drawFaults(number uint64) []string {
	if len(s.cfg.Faults) == 0 {
		return nil
	}
	rng := rand.New(rand.NewPCG(s.cfg.Seed, mix(number)))
	var names []string
	for _, f := range s.cfg.Faults {
		if rng.Float64() < f.Rate {
			names = append(names, f.Name)
		}
	}
	return names
}

// splitGap is long enough for a waiting client to read the first part before
// the second is sent.
const splitGap = time.Millisecond

// longEvent is the size of the filler of the long event.
const longEvent = 1 << 20

// extraTokens is how many tokens more than asked for, or than the usage should
// say, the faults about wrong numbers give.
const extraTokens = 7

// Faults lists every fault in the order of the conformance list.
var Faults = []Fault{
	{Name: "role-chunk", Case: 1, Doc: "a role-only event at once, long before the first token",
		spoil: func(s *style, _ Config) { s.role = true }},
	{Name: "empty-delta", Case: 2, Doc: "an empty delta before the first token and a null one in the middle",
		spoil: func(s *style, _ Config) { s.blanks = true }},
	{Name: "reasoning", Case: 3, Doc: "the first half of the tokens as reasoning_content",
		spoil: func(s *style, _ Config) { s.delta, s.thinking = sayThought("reasoning_content"), true }},
	{Name: "reasoning-field", Case: 3, Doc: "the first half of the tokens as reasoning",
		spoil: func(s *style, _ Config) { s.delta, s.thinking = sayThought("reasoning"), true }},
	{Name: "reasoning-empty-content", Case: 3, Doc: `the first half of the tokens as reasoning_content beside content ""`,
		spoil: func(s *style, _ Config) { s.delta, s.thinking = sayNothingButThought, true }},
	{Name: "both-reasoning-fields", Case: 4, Doc: "the first half of the tokens in both reasoning fields, the same text twice",
		spoil: func(s *style, _ Config) { s.delta, s.thinking = sayThought("reasoning_content", "reasoning"), true }},
	{Name: "content-and-reasoning", Case: 5, Doc: "the last token of reasoning and the first of content in one delta",
		spoil: func(s *style, _ Config) { s.delta, s.thinking, s.mix = sayThought("reasoning_content"), true, true }},
	{Name: "tool-calls", Case: 6, Doc: "two tool calls, arguments in fragments by index, no content",
		spoil: func(s *style, _ Config) { s.delta, s.finish = sayTools, "tool_calls" }},
	{Name: "legacy-function-call", Case: 7, Doc: "a function_call in fragments, no content",
		spoil: func(s *style, _ Config) { s.delta, s.finish = sayFunction, "function_call" }},
	{Name: "refusal", Case: 7, Doc: "the tokens as refusal, no content",
		spoil: func(s *style, _ Config) { s.delta = sayRefusal }},
	{Name: "audio", Case: 7, Doc: "the tokens as the transcript of audio, no content",
		spoil: func(s *style, _ Config) { s.delta = sayAudio }},
	{Name: "multi-token-chunks", Case: 8, Doc: "four tokens to an event, the first included",
		spoil: func(s *style, _ Config) { s.group = 4 }},
	{Name: "split-token-bytes", Case: 9, Doc: "each token over two events",
		spoil: func(s *style, _ Config) { s.halves = true }},
	{Name: "usage-only-last", Case: 10, Doc: "usage in an event without choices, asked or not, late after the last token",
		spoil: func(s *style, c Config) { s.usage, s.lateUsage = usageOwn, c.FaultDelay }},
	{Name: "usage-with-finish", Case: 11, Doc: "usage in the event with the finish reason",
		spoil: func(s *style, _ Config) { s.usage = usageFinish }},
	{Name: "usage-every-chunk", Case: 12, Doc: "usage in every event, counting up",
		spoil: func(s *style, _ Config) { s.usage = usageEvery }},
	{Name: "no-usage", Case: 13, Doc: "no usage, though asked",
		spoil: func(s *style, _ Config) { s.usage = usageMissing }},
	{Name: "null-usage", Case: 13, Doc: "usage null in every event, and no other",
		spoil: func(s *style, _ Config) { s.usage = usageNull }},
	{Name: "wrong-usage", Case: 14, Doc: "completion_tokens seven too high",
		spoil: func(s *style, _ Config) { s.usageExtra = extraTokens }},
	{Name: "error-before-token", Case: 15, Doc: "an error object with a numeric code instead of the first token",
		spoil: failWith("500", true)},
	{Name: "error-code-string", Case: 15, Doc: "an error object with a code of text instead of the first token",
		spoil: failWith(`"engine_dead"`, true)},
	{Name: "error-code-null", Case: 15, Doc: "an error object with a null code instead of the first token",
		spoil: failWith("null", true)},
	{Name: "error-after-tokens", Case: 16, Doc: "an error object after half of the tokens",
		spoil: failWith("500", false)},
	{Name: "no-done", Case: 17, Doc: "a finish reason, but no [DONE]",
		spoil: func(s *style, _ Config) { s.noDone = true }},
	{Name: "truncated", Case: 18, Doc: "half of the tokens, then a clean end with neither finish reason nor [DONE]",
		spoil: func(s *style, _ Config) { s.length, s.noEnd, s.noDone = half, true, true }},
	{Name: "bytes-after-done", Case: 19, Doc: "another event after [DONE], in a body that stays open for the fault delay",
		spoil: func(s *style, _ Config) { s.after, s.ending = `data: {"after":"done"}`+"\n\n", endOpen }},
	{Name: "open-after-done", Case: 19, Doc: "a body that stays open and silent after [DONE] for the fault delay",
		spoil: func(s *style, _ Config) { s.ending = endOpen }},
	{Name: "crlf", Case: 20, Doc: "CRLF line ends", spoil: func(s *style, _ Config) { s.frame = lineEnds("\r\n") }},
	{Name: "cr", Case: 20, Doc: "CR line ends", spoil: func(s *style, _ Config) { s.frame = lineEnds("\r") }},
	{Name: "mixed-line-ends", Case: 20, Doc: "LF, CRLF and CR in turn",
		spoil: func(s *style, _ Config) { s.frame = lineEnds("\n", "\r\n", "\r") }},
	{Name: "multi-data-lines", Case: 21, Doc: "every event over two data lines",
		spoil: func(s *style, _ Config) { s.frame = twoLines }},
	{Name: "no-space", Case: 22, Doc: "no space after the colon of data:",
		spoil: func(s *style, _ Config) { s.frame = fieldName("data:") }},
	{Name: "two-spaces", Case: 22, Doc: "two spaces after the colon of data:",
		spoil: func(s *style, _ Config) { s.frame = fieldName("data:  ") }},
	{Name: "event-id-retry-bom", Case: 23, Doc: "a byte-order mark, and event, id and retry lines",
		spoil: func(s *style, _ Config) { s.preamble, s.frame = "\uFEFF", otherFields }},
	{Name: "keep-alives", Case: 24, Doc: "a comment at once and before every token",
		spoil: func(s *style, _ Config) { s.keepAlive = true }},
	{Name: "split-utf8", Case: 25, Doc: "characters of several bytes, each cut in two by a pause",
		spoil: func(s *style, _ Config) { s.words, s.cuts, s.apart, s.gap = wideWords, insideRune, true, splitGap }},
	{Name: "split-every-byte", Case: 26, Doc: "one byte to a transfer chunk and to a write",
		spoil: func(s *style, _ Config) { s.cuts, s.apart = everyBytes(1), true }},
	{Name: "coalesced", Case: 27, Doc: "four events to a write", spoil: func(s *style, _ Config) { s.merge = 4 }},
	{Name: "gzip", Case: 28, Doc: "gzip, though not asked for, flushed after every event",
		spoil: func(s *style, _ Config) { s.encoding = "gzip" }},
	{Name: "deflate", Case: 28, Doc: "deflate, though not asked for, flushed after every event",
		spoil: func(s *style, _ Config) { s.encoding = "deflate" }},
	{Name: "chunk-boundaries", Case: 29, Doc: "a transfer chunk every seven bytes, inside events",
		spoil: func(s *style, _ Config) { s.cuts = everyBytes(7) }},
	{Name: "close-delimited", Case: 29, Doc: "no transfer coding: the end of the connection ends the body",
		spoil: func(s *style, _ Config) { s.raw = true }},
	{Name: "http10-close", Case: 29, Doc: "the same from an HTTP/1.0 server",
		spoil: func(s *style, _ Config) { s.http10 = true }},
	{Name: "rst-stream", Case: 30, Doc: "half of the tokens, then the stream is reset between events; over HTTP/1.1 the connection",
		spoil: func(s *style, _ Config) { s.length, s.noEnd, s.noDone, s.ending = half, true, true, endAbort }},
	{Name: "goaway", Case: 30, Doc: "GOAWAY in the middle of the stream, which goes on; over HTTP/1.1 the connection is closed after it",
		spoil: func(s *style, _ Config) { s.goAway, s.ending = true, endIdleClose }},
	{Name: "goaway-cut", Case: 30, Doc: "half of the tokens, then GOAWAY and the end of the connection",
		spoil: func(s *style, _ Config) { s.length, s.noEnd, s.noDone, s.ending = half, true, true, endGoAway }},
	{Name: "long-event", Case: 31, Doc: "a first event of one MiB",
		spoil: func(s *style, _ Config) { s.padding = longEvent }},
	{Name: "bad-json-event", Case: 32, Doc: "an event of invalid JSON in the middle",
		spoil: func(s *style, _ Config) { s.badEvent = true }},
	{Name: "empty-body", Case: 33, Doc: "200 with an empty body", instead: emptyBody},
	{Name: "one-token", Case: 34, Doc: "an answer of one token",
		spoil: func(s *style, _ Config) { s.length, s.finish = one, "stop" }},
	{Name: "zero-tokens", Case: 35, Doc: "an answer of no token, finish reason stop",
		spoil: func(s *style, _ Config) { s.length, s.mute, s.finish = one, true, "stop" }},
	{Name: "cut-json", Case: 36, Doc: "half of the tokens, then the connection is closed inside an event",
		spoil: func(s *style, _ Config) { s.length, s.noEnd, s.noDone, s.ending = half, true, true, endCut }},
	{Name: "reset", Case: 36, Doc: "half of the tokens, then the connection is reset inside an event",
		spoil: func(s *style, _ Config) { s.length, s.noEnd, s.noDone, s.ending = half, true, true, endReset }},
	{Name: "redirect-301", Case: 37, Doc: "a redirect to the same place", instead: redirect(301)},
	{Name: "redirect-302", Case: 37, Doc: "a redirect to the same place", instead: redirect(302)},
	{Name: "redirect-307", Case: 37, Doc: "a redirect to the same place", instead: redirect(307)},
	{Name: "redirect-308", Case: 37, Doc: "a redirect to the same place", instead: redirect(308)},
	{Name: "rate-limit", Case: 38, Doc: "429 with Retry-After in seconds", instead: rateLimit(false)},
	{Name: "rate-limit-date", Case: 38, Doc: "429 with Retry-After as a date", instead: rateLimit(true)},
	{Name: "html-500", Case: 39, Doc: "500 with an HTML body", instead: page500},
	{Name: "json-400", Case: 39, Doc: "400 with an error object", instead: object400},
	{Name: "json-instead-of-stream", Case: 40, Doc: "a JSON answer though a stream was asked",
		spoil: func(s *style, _ Config) { s.unary = true }},
	{Name: "html-200", Case: 40, Doc: "200 with an HTML body", instead: page200},
	{Name: "slow-drip", Case: 41, Doc: "the first event one byte at a time, the fault delay apart",
		spoil: func(s *style, c Config) { s.cuts, s.apart, s.drip, s.gap = everyBytes(1), true, true, c.FaultDelay }},
	{Name: "slow-head", Case: 41, Doc: "the HTTP head one byte at a time, the fault delay apart",
		spoil: func(s *style, c Config) { s.slowHead = c.FaultDelay }},
	{Name: "stall", Case: 42, Doc: "nothing for the fault delay in the middle, then everything that was due",
		spoil: func(s *style, c Config) { s.stall = c.FaultDelay }},
	{Name: "close-before-answer", Case: 43, Doc: "the connection is closed after the request was read", instead: closeNow},
	{Name: "close-idle", Case: 43, Doc: "the connection is closed right after an answer that promised to keep it",
		spoil: func(s *style, _ Config) { s.ending = endIdleClose }},
	{Name: "early-response", Case: 44, Doc: "head and a role event before the body is read (by header only)",
		spoil: func(s *style, _ Config) { s.early = true }},
	{Name: "choices", Case: 45, Doc: "at least two choices, interleaved",
		spoil: func(s *style, _ Config) { s.twin = true }},
	{Name: "finish-length", Case: 46, Doc: "half of the tokens, finish reason length",
		spoil: func(s *style, _ Config) { s.length, s.finish = half, "length" }},
	{Name: "extra-tokens", Case: 46, Doc: "seven tokens more than asked",
		spoil: func(s *style, _ Config) { s.length = more }},
	{Name: "empty-text-completions", Case: 49, Doc: "text completions: a first event with empty text",
		spoil: func(s *style, _ Config) { s.blanks = true }},
	{Name: "hang", Case: 41, Doc: "no answer at all; the connection stays open", instead: hang},
	{Name: "hang-after-head", Case: 41, Doc: "the head of a stream and nothing more", instead: hangAfterHead},
}

func half(n int) int { return max(1, n/2) }
func one(int) int    { return 1 }
func more(n int) int { return n + extraTokens }

// failWith ends a stream with an error object: at the first token, or after
// half of them.
func failWith(code string, atOnce bool) func(*style, Config) {
	return func(s *style, _ Config) {
		s.fail, s.length, s.mute = code, half, false
		if atOnce {
			s.length, s.mute = one, true
		}
	}
}
