package target

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/record"
	"assay/spec"
)

var update = flag.Bool("update", false, "write the golden files of recordings anew")

// recordingTypes are the content types of recordings, by the end of their names.
var recordingTypes = map[string]string{
	".sse":         "text/event-stream",
	".eventstream": "application/vnd.amazon.eventstream",
	".json":        "application/json",
	".bin":         "audio/wav",
	".ndjson":      "application/x-ndjson",
	".grpc":        "application/grpc",
	".grpcstream":  "application/grpc",
}

// A sighting is everything about an exchange that must not depend on time or on
// how the network cut the bytes.
type sighting struct {
	Path, Query string
	Header      http.Header
	Body        string

	Outcome, Error, Flags string
	FinishReason          string
	ServerID              string
	Text                  string
	Input, Output         *int32
	Reasoning, Cached     *int32
	BodyBytes             int64
	Chunks                []string // kind, choice, bytes of text, bytes on the wire
}

// TestDialects replays every recording of every dialect over a real connection,
// cut in hostile ways, and compares what is recorded with a golden file. A
// dialect without recordings fails.
func TestDialects(t *testing.T) {
	t.Parallel()
	for _, named := range All {
		t.Run(named.Name, func(t *testing.T) {
			stream := Ask{Model: "a/b:1", Stream: true}
			needed := []string{"stream", "unary", "error"}
			if shapeOf(named.Dialect, stream).Unary {
				needed = needed[1:]
			}
			files := recordings(t, named.Name)
			for _, kind := range needed {
				if !slices.ContainsFunc(files, func(f string) bool { return strings.HasPrefix(filepath.Base(f), kind+".") }) {
					t.Errorf("want a recording testdata/dialects/%s/%s.*", named.Name, kind)
				}
			}
			for _, file := range files {
				t.Run(filepath.Base(file), func(t *testing.T) { replay(t, named.Dialect, file) })
			}
		})
	}
}

// Recordings of dialects that no longer exist would prove nothing.
func TestRecordingsAreUsed(t *testing.T) {
	folders, err := os.ReadDir(filepath.Join("testdata", "dialects"))
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		if _, err := Find(folder.Name()); err != nil {
			t.Errorf("recordings of %s: %v", folder.Name(), err)
		}
	}
}

func recordings(t *testing.T, name string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "dialects", name, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, ".golden") })
}

// replay compares what comes of one recording, however it is cut.
func replay(t *testing.T, dialect Dialect, file string) {
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	kind := filepath.Ext(file)
	got := see(t, dialect, kind, body, atOnce)
	golden := file + ".golden"
	if *update {
		data, err := json.MarshalIndent(got, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, append(data, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(golden)
	if err != nil {
		t.Fatalf("every recording needs a golden file (-update writes it, a person reads it): %v", err)
	}
	var want sighting
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	compare(t, "all at once", got, want)
	compare(t, "each byte alone", see(t, dialect, kind, body, byteByByte), want)
	compare(t, "until the connection closes", see(t, dialect, kind, body, untilClosed), want)
	for seed := range uint64(3) {
		compare(t, fmt.Sprintf("random cuts, seed %d", seed), see(t, dialect, kind, body, randomCuts(seed)), want)
	}
	if kind == ".sse" {
		text := strings.ReplaceAll(string(body), "\r\n", "\n")
		for _, end := range []string{"\n", "\r\n", "\r"} {
			other := see(t, dialect, kind, []byte(strings.ReplaceAll(text, "\n", end)), byteByByte)
			compare(t, fmt.Sprintf("lines ended by %q", end), sizeless(other), sizeless(want))
		}
	}
}

// sizeless leaves out the counts of bytes, which line ends change.
func sizeless(s sighting) sighting {
	s.BodyBytes = 0
	s.Chunks = slices.Clone(s.Chunks)
	for i, c := range s.Chunks {
		s.Chunks[i], _, _ = strings.Cut(c, " wire ")
	}
	return s
}

func compare(t *testing.T, how string, got, want sighting) {
	t.Helper()
	a, _ := json.MarshalIndent(got, "", "  ")
	b, _ := json.MarshalIndent(want, "", "  ")
	if string(a) != string(b) {
		t.Errorf("%s: got\n%s\nwant\n%s", how, a, b)
	}
}

// see sends one call to a server that answers with body, cut by write.
func see(t *testing.T, dialect Dialect, kind string, body []byte, write func(conn net.Conn, head string, body []byte)) sighting {
	t.Helper()
	var s sighting
	asked := make(chan *http.Request, 1)
	server := serve
	if strings.HasPrefix(kind, ".grpc") {
		server = serveGRPC
	}
	url := server(t, func(conn net.Conn, r *http.Request) {
		asked <- r
		write(conn, "HTTP/1.1 200 OK\r\nContent-Type: "+recordingTypes[kind]+"\r\n", body)
	})
	clock, err := record.StartClock()
	if err != nil {
		t.Fatal(err)
	}
	half := 0.5
	streamed := kind == ".sse" || kind == ".eventstream" || kind == ".ndjson" || kind == ".grpcstream"
	c, err := New(Config{
		URLs: []string{url}, Timeout: 20 * time.Second, KeepText: true,
		Ask: Ask{Model: "a/b:1", Stream: streamed, Temperature: &half, ExtraBody: extraOf(kind)},
	}, dialect, clock)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	call := record.Call{ID: 7, Prompt: "hello\nworld", OutputTokens: 9}
	p, err := c.Prepare(call)
	if err != nil {
		t.Fatal(err)
	}
	asText, err := dialect.Encode(call, c.cfg.Ask)
	if err != nil {
		t.Fatal(err)
	}
	r, chunks := c.Decode(c.Do(t.Context(), p, clock.Now()))
	request := <-asked
	s.Path, s.Query, s.Header, s.Body = request.URL.EscapedPath(), request.URL.RawQuery, request.Header, strings.ToValidUTF8(string(asText), "\ufffd")
	s.Header.Del("User-Agent")
	s.Outcome, s.Error, s.Flags = string(r.Result), r.Error, r.Flags
	s.FinishReason, s.ServerID, s.Text, s.BodyBytes = r.FinishReason, r.ServerID, r.Text, r.Bytes
	s.Input, s.Output, s.Reasoning, s.Cached = r.UsageInput, r.UsageOutput, r.UsageReasoning, r.UsageCached
	for i, c := range chunks {
		if c.Seq != int32(i) || c.Request != 7 || c.At < r.Sent || c.At > r.Done {
			t.Errorf("chunk %d = %+v of a request sent at %d and done at %d", i, c, r.Sent, r.Done)
		}
		s.Chunks = append(s.Chunks, fmt.Sprintf("%s choice %d text %d wire %d", c.Kind, c.Choice, c.TextBytes, c.Bytes))
	}
	return s
}

// extraOf is an extra field that the dialect lets through.
func extraOf(kind string) map[string]any {
	if strings.HasPrefix(kind, ".grpc") {
		return map[string]any{"parameters": map[string]any{"user": "u"}}
	}
	return map[string]any{"user": "u"}
}

func atOnce(conn net.Conn, head string, body []byte) {
	fmt.Fprintf(conn, "%sContent-Length: %d\r\n\r\n%s", head, len(body), body)
}

func byteByByte(conn net.Conn, head string, body []byte) {
	fmt.Fprintf(conn, "%sContent-Length: %d\r\n\r\n", head, len(body))
	for i := range body {
		conn.Write(body[i : i+1])
	}
}

func untilClosed(conn net.Conn, head string, body []byte) {
	fmt.Fprintf(conn, "%sConnection: close\r\n\r\n%s", head, body)
	conn.Close()
}

// randomCuts sends transfer chunks of random sizes, some joined in one write,
// some with a pause in which the client reads what there is.
func randomCuts(seed uint64) func(net.Conn, string, []byte) {
	return func(conn net.Conn, head string, body []byte) {
		rng := rand.New(rand.NewPCG(seed, uint64(len(body))))
		io.WriteString(conn, head+"Transfer-Encoding: chunked\r\n\r\n")
		var pending string
		for len(body) > 0 {
			n := min(len(body), 1+rng.IntN(60))
			pending += fmt.Sprintf("%x\r\n%s\r\n", n, body[:n])
			body = body[n:]
			if rng.IntN(3) > 0 {
				io.WriteString(conn, pending)
				pending = ""
				time.Sleep(time.Duration(rng.IntN(100)) * time.Microsecond)
			}
		}
		io.WriteString(conn, pending+"0\r\n\r\n")
	}
}

// A dialect that a spec cannot name is of no use, and the other way round.
func TestNamesAreInTheVocabulary(t *testing.T) {
	if got, want := names(), spec.Vocabularies["apis"]; !slices.Equal(got, want) {
		t.Errorf("target.All names %v, the vocabulary of target.api has %v", got, want)
	}
}
