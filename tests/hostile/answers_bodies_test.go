package hostile

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"strings"

	"github.com/andybalholm/brotli"

	"assay/record"
	"assay/target"
)

// The events of a good answer.
const (
	hello  = `data: {"id":"r1","choices":[{"index":0,"delta":{"content":"hello"}}]}` + "\n\n"
	finish = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	done   = "data: [DONE]\n\n"
)

// counting is a good answer whose usage is what is given.
func counting(usage string) func(io.Writer) {
	return say(hello, finish, `data: {"choices":[],"usage":`+usage+"}\n\n", done)
}

// event is a good answer with one more event.
func event(data string) func(io.Writer) { return say(hello, "data: "+data+"\n\n", finish, done) }

// roomy lifts the limit of a body to what it is by default.
func roomy(c *target.Config) { c.AnswerLimit = target.DefaultAnswerLimit }

// A packer is a writer that compresses.
type packer func(io.Writer) io.WriteCloser

var packers = map[string]packer{
	"gzip":    func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
	"deflate": func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
	"br":      func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, 5) },
}

// bomb is size bytes of text, compressed once and sent at once.
func bomb(coding, text string, size int) func(io.Writer) {
	var out bytes.Buffer
	w := packers[coding](&out)
	for block := strings.Repeat(text, 64<<10/len(text)); size > 0; size -= len(block) {
		_, _ = io.WriteString(w, block) // a buffer takes everything
	}
	_ = w.Close()
	return say(out.String())
}

func gzipped(text string) string {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return out.String()
}

func packedAs(coding string, more ...string) []string {
	return append([]string{"Content-Encoding", coding}, more...)
}

// endlessBodies never end, or end far beyond what is taken.
func endlessBodies() []*answer {
	return []*answer{
		{name: "never-ending line", body: forever("a"), want: record.TooLarge},
		{name: "never-ending data line", body: say("data: ", forever("a")), want: record.TooLarge},
		{name: "never-ending string of JSON", body: say(`data: {"id":"`, forever("a")), want: record.TooLarge},
		{name: "never-ending event", body: forever("data: a\n"), want: record.TooLarge},
		{name: "never-ending event, carriage returns", body: forever("data: a\r"), want: record.TooLarge},
		{name: "endless comments", body: forever(": alive\n\n"), want: record.TooLarge},
		{name: "endless comments, carriage returns", body: forever(":\r"), want: record.TooLarge},
		{name: "endless blank lines", body: forever("\n"), want: record.TooLarge},
		{name: "endless line ends", body: forever("\r\n"), want: record.TooLarge},
		{name: "endless events", body: forever(hello), want: record.TooLarge},
		{name: "endless finish reasons", body: say(hello, forever(finish)), want: record.TooLarge},
		{name: "endless unknown fields", body: forever("x: y\n"), want: record.TooLarge},
		{name: "endless spaces", body: forever(" "), want: record.TooLarge},
		{name: "endless zero bytes", body: forever("\x00"), want: record.TooLarge},
		{name: "endless byte-order marks", body: forever("\xef\xbb\xbf"), want: record.TooLarge},
		{name: "endless invalid UTF-8", body: forever("\xff"), want: record.TooLarge},
		{name: "endless error objects", body: forever(`data: {"error":"no"}` + "\n\n"), want: record.TooLarge},
		{name: "endless usage", body: forever(`data: {"choices":[],"usage":{"completion_tokens":1}}` + "\n\n"), want: record.TooLarge},
		{name: "endless bytes after [DONE]", body: say(hello, finish, done, forever("x")), want: record.OK},
		{name: "endless events after [DONE]", body: say(hello, finish, done, forever(hello)), want: record.OK},
		{name: "endless [DONE]", body: say(hello, finish, forever(done)), want: record.OK},
		{name: "300 000 comments", body: say(strings.Repeat(":\n\n", 300_000), done), change: roomy, want: record.TooLarge},
		{name: "300 000 comments in an event", body: say(strings.Repeat(":\n", 300_000), done), change: roomy, want: record.TooLarge},
		{name: "event of 17 MB", body: event(`{"id":"` + strings.Repeat("a", 17<<20) + `"}`), change: roomy, want: record.TooLarge},
		{name: "JSON without an end", unary: true, header: []string{"Content-Type", "application/json"}, body: say(`{"choices":[`, forever("{},")), want: record.TooLarge},
		{name: "HTML without an end", header: []string{"Content-Type", "text/html"}, body: forever("<p>"), want: record.TooLarge},
		{name: "error page without an end", status: 500, body: forever("no "), want: record.TooLarge},
		{name: "refusal without an end", status: 429, header: []string{"Retry-After", "1"}, body: forever("no "), want: record.TooLarge},
		{name: "not found without an end", status: 404, header: []string{"Content-Type", "text/html"}, body: forever("<p>"), want: record.TooLarge},
		{name: "redirect without an end", status: 302, header: []string{"Location", "/x"}, body: forever("there "), want: record.TooLarge},
		{name: "error page of 100 kB", status: 500, body: say(strings.Repeat("no ", 33<<10)), want: record.HTTPError},
		{name: "error page of 2 MB", status: 503, body: say(strings.Repeat("no ", 700<<10)), change: roomy, want: record.TooLarge},
	}
}

// packedBodies are compressed though nobody asked for it.
func packedBodies() []*answer {
	const size = 64 << 20
	broken := gzipped(strings.Repeat(hello, 500))
	return []*answer{
		{name: "gzip bomb of zeros", header: packedAs("gzip"), body: bomb("gzip", "\x00", size), want: record.TooLarge},
		{name: "gzip bomb of comments", header: packedAs("gzip"), body: bomb("gzip", ":\n", size), want: record.TooLarge},
		{name: "gzip bomb of events", header: packedAs("gzip"), body: bomb("gzip", hello, size), want: record.TooLarge},
		{name: "gzip bomb, its old name", header: packedAs("x-gzip"), body: bomb("gzip", "a", size), want: record.TooLarge},
		{name: "deflate bomb", header: packedAs("deflate"), body: bomb("deflate", "a", size), want: record.TooLarge},
		{name: "brotli bomb", header: packedAs("br"), body: bomb("br", "a", size), want: record.TooLarge},
		{name: "gzip bomb, not streamed", unary: true, header: packedAs("gzip", "Content-Type", "application/json"), body: bomb("gzip", "[", size), want: record.TooLarge},
		{name: "gzip bomb behind an error", status: 500, header: packedAs("gzip"), body: bomb("gzip", "a", size), want: record.HTTPError},
		{name: "zstd", header: packedAs("zstd"), body: say("\x28\xb5\x2f\xfd\x24\x00\x01\x00\x00"), want: record.Protocol},
		{name: "gzip twice", header: packedAs("gzip, gzip"), body: say(gzipped(gzipped(hello))), want: record.Protocol},
		{name: "gzip that is none", header: packedAs("gzip"), body: say(hello), want: record.Protocol},
		{name: "deflate that is none", header: packedAs("deflate"), body: say(hello), want: record.Protocol},
		{name: "brotli that is none", header: packedAs("br"), body: say("\xff\xff\xff\xff"), want: record.Protocol},
		{name: "gzip broken off", header: packedAs("gzip"), body: say(broken[:len(broken)-20]), want: record.Protocol},
		{name: "gzip with a wrong sum", header: packedAs("gzip"), body: say(broken[:len(broken)-8] + "\x00\x00\x00\x00\x00\x00\x00\x00"), want: record.Protocol},
		{name: "gzip of endless empty members", header: packedAs("gzip"), body: forever(gzipped("")), want: record.TooLarge},
		{name: "gzip with a file name without an end", header: packedAs("gzip"), body: say("\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\x03", forever("n")), want: record.TooLarge},
		{name: "coding with a long name", header: packedAs(strings.Repeat("x", 2<<10)), body: say(hello), want: record.TooLarge},
	}
}

// countingBodies count tokens as nobody can.
func countingBodies() []*answer {
	f := func(name, usage string) *answer {
		return &answer{name: "usage " + name, body: counting(usage), want: record.OK, flag: "impossible_usage"}
	}
	return []*answer{
		f("below zero", `{"prompt_tokens":-5,"completion_tokens":-7}`),
		f("below zero in the details", `{"prompt_tokens":5,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":-1}}`),
		f("of 2^31", `{"completion_tokens":2147483648}`),
		f("of 2^53 + 1", `{"completion_tokens":9007199254740993}`),
		f("of 1e300", `{"completion_tokens":1e300}`),
		f("of 1e999", `{"completion_tokens":1e999}`),
		f("of a million digits", `{"completion_tokens":`+strings.Repeat("9", 900_000)+`}`),
		f("with a fraction", `{"completion_tokens":7.5}`),
		f("in words", `{"completion_tokens":"seven"}`),
		f("as text", `{"completion_tokens":"7"}`),
		f("as a list", `{"completion_tokens":[7]}`),
		f("as an object", `{"completion_tokens":{}}`),
		f("that is true", `{"completion_tokens":true}`),
		f("taken back", `{"completion_tokens":7}}`+"\n\n"+`data: {"choices":[],"usage":{"completion_tokens":-7}`),
		{name: "usage NaN", body: counting(`{"completion_tokens":NaN}`), want: record.Protocol},
		{name: "usage Infinity", body: counting(`{"completion_tokens":Infinity}`), want: record.Protocol},
		{name: "usage that is a list", body: counting(`[1,2]`), want: record.Protocol},
		{name: "usage of minus nothing", body: counting(`{"completion_tokens":-0}`), want: record.OK},
		{name: "usage with a point", body: counting(`{"completion_tokens":1.0}`), want: record.OK},
		{name: "usage of null", body: counting(`{"completion_tokens":null}`), want: record.OK, flag: "no_usage"},
		{name: "usage of 2^31 - 1", body: counting(`{"completion_tokens":2147483647}`), want: record.OK, flag: "more_than_asked"},
	}
}

// oddBodies are short and strange.
func oddBodies() []*answer {
	long := strings.Repeat("x", 100<<10)
	return []*answer{
		{name: "nothing", body: say(""), want: record.Empty},
		{name: "line ends alone", body: say("\n\n\r\n\r\r"), want: record.Truncated},
		{name: "comments alone", body: say(": a\n\n: b\n\n"), want: record.Truncated},
		{name: "half an event", body: say(hello, `data: {"choi`), want: record.Truncated},
		{name: "[DONE] alone", body: say(done), want: record.Empty},
		{name: "[DONE] inside of text", body: event(`{"choices":[{"index":0,"delta":{"content":"data: [DONE]"}}]}`), want: record.OK},
		{name: "event of nothing", body: event(""), want: record.Protocol},
		{name: "event that is no JSON", body: event("<html>"), want: record.Protocol},
		{name: "event that is a number", body: event("5"), want: record.Protocol},
		{name: "event that is null", body: event("null"), want: record.OK},
		{name: "event with control characters", body: event("{\"id\":\"\x00\x01\"}"), want: record.Protocol},
		{name: "invalid UTF-8 in text", body: event("{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\xff\xfe\"}}]}"), want: record.OK},
		{name: "half of a surrogate pair", body: event(`{"choices":[{"index":0,"delta":{"content":"\ud800"}}]}`), want: record.OK},
		{name: "arrays inside of arrays", body: event(strings.Repeat("[", 100_000)), want: record.Protocol},
		{name: "objects inside of objects", body: event(strings.Repeat(`{"a":`, 100_000)), want: record.Protocol},
		{name: "a field beside the rest, 9000 deep", body: event(`{"x":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `}`), want: record.OK},
		{name: "a million choices", body: event(`{"choices":[` + strings.Repeat("{},", 1<<20) + `{}]}`), change: roomy, want: record.OK},
		{name: "a million choices, not streamed", unary: true, header: []string{"Content-Type", "application/json"}, body: say(`{"choices":[` + strings.Repeat("{},", 1<<20) + `{}]}`), change: roomy, want: record.TooLarge},
		{name: "a million choices that are none", body: event(`{"choices":[` + strings.Repeat("0,", 1<<20) + `0]}`), change: roomy, want: record.Protocol},
		{name: "choices that are an object", body: event(`{"choices":{"a":1}}`), want: record.Protocol},
		{name: "choice below zero", body: say(`data: {"choices":[{"index":-1,"delta":{"content":"a"},"finish_reason":"stop"}]}`+"\n\n", done), want: record.OK},
		{name: "choice of 100 000 digits", body: event(`{"choices":[{"index":` + strings.Repeat("9", 100_000) + `}]}`), want: record.Protocol},
		{name: "finish reason of 100 kB", body: event(`{"choices":[{"index":0,"delta":{},"finish_reason":"` + long + `"}]}`), want: record.TooLarge},
		{name: "id of 100 kB", body: event(`{"id":"` + long + `","choices":[]}`), want: record.TooLarge},
		{name: "error of 100 kB", body: event(`{"error":"` + long + `"}`), want: record.StreamErr},
		{name: "error of null", body: event(`{"error":null}`), want: record.OK},
		{name: "tool call of 100 kB", body: event(`{"choices":[{"index":0,"delta":{"tool_calls":["` + long + `"]}}]}`), want: record.OK},
		{name: "ten thousand finish reasons", body: say(hello, strings.Repeat(finish+strings.ReplaceAll(finish, "stop", "length"), 5000), done), change: roomy, want: record.OK, flag: "finish_reasons_differ"},
		{name: "the same name twice", body: event(`{"choices":[],"choices":[{"index":0,"delta":{"content":"a"}}]}`), want: record.OK},
		{name: "JSON where a stream was asked", header: []string{"Content-Type", "application/json"}, body: say("{}"), want: record.NotAStream},
		{name: "type that cannot be read", header: []string{"Content-Type", ";;;="}, body: say(hello, finish, done), want: record.OK},
		{name: "empty JSON", unary: true, header: []string{"Content-Type", "application/json"}, body: say("{}"), want: record.Empty},
		{name: "JSON cut off", unary: true, header: []string{"Content-Type", "application/json"}, body: say(`{"choices":[{`), want: record.Protocol},
		{name: "JSON of 17 MB", unary: true, header: []string{"Content-Type", "application/json"}, body: say(`{"x":"` + strings.Repeat("a", 17<<20) + `"}`), change: roomy, want: record.TooLarge},
		{name: "redirect to 100 kB", status: 307, header: []string{"Location", "/" + long}, body: say(""), want: record.Redirected},
		{name: "Retry-After of 100 kB", status: 429, header: []string{"Retry-After", long}, body: say("no"), want: record.HTTPError},
		{name: "attempts of 100 digits", header: []string{"X-Envoy-Attempt-Count", long[:100]}, body: say(hello, finish, done), want: record.OK},
		{name: "status 599", status: 599, body: say("\x1b[2J"), want: record.HTTPError},
		{name: "status 299", status: 299, body: say(hello, finish, done), want: record.OK},
		{name: "status 304", status: 304, body: say(""), want: record.Redirected},
	}
}
