package hostile

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// spellings are the ways in which a server may write a key.
var spellings = []struct {
	name  string
	spell func(key string) string
}{
	{"plain", func(s string) string { return s }},
	{"upper case", strings.ToUpper},
	{"lower case", strings.ToLower},
	{"reversed", func(s string) string { b := []byte(s); slices.Reverse(b); return string(b) }},
	{"JSON", asJSON},
	{"JSON of PHP", func(s string) string { return strings.ReplaceAll(asJSON(s), "/", `\/`) }},
	{"JSON, all escaped", eachByte(`\u%04x`)},
	{"JSON in JSON", func(s string) string { return asJSON(strings.ReplaceAll(s, "/", `\/`)) }},
	{"hex escapes", eachByte(`\x%02x`)},
	{"query", url.QueryEscape},
	{"all percent", eachByte("%%%02X")},
	{"all percent, lower case", eachByte("%%%02x")},
	{"percent twice", func(s string) string { return url.QueryEscape(url.QueryEscape(s)) }},
	{"HTML", html.EscapeString},
	{"HTML, decimal", eachByte("&#%d;")},
	{"HTML, hex", eachByte("&#x%x;")},
	{"hex", func(s string) string { return hex.EncodeToString([]byte(s)) }},
	{"HEX", func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) }},
	{"base64", func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }},
	{"base64 for URLs", func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }},
	{"base64 after one byte", func(s string) string { return base64.StdEncoding.EncodeToString([]byte("u" + s + ":x")) }},
	{"base64 after two bytes", func(s string) string { return base64.StdEncoding.EncodeToString([]byte("u:" + s)) }},
}

func eachByte(format string) func(string) string {
	return func(s string) string {
		var out strings.Builder
		for _, c := range []byte(s) {
			fmt.Fprintf(&out, format, c)
		}
		return out.String()
	}
}

func asJSON(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always encodes
	}
	return string(text[1 : len(text)-1])
}

// A way is how a server hands a key back.
type way struct {
	name string
	send func(w http.ResponseWriter, key string)
}

// ways are all the places in an answer where a key may stand.
func ways() (list []way) {
	for _, s := range spellings {
		list = append(list, way{"error body, " + s.name, func(w http.ResponseWriter, key string) {
			refuse(w, `{"error": "key `+s.spell(key)+` is wrong"}`)
		}})
	}
	for _, limit := range []int{2000, 80} { // where texts are cut
		for _, shown := range []int{3, 9, 20, 30} {
			list = append(list, way{fmt.Sprintf("error body, %d characters before the cut at %d", shown, limit), func(w http.ResponseWriter, key string) {
				refuse(w, strings.Repeat("-", limit-shown)+key+strings.Repeat("-", 500))
			}}, way{fmt.Sprintf("event, %d characters before the cut at %d", shown, limit), func(w http.ResponseWriter, key string) {
				fmt.Fprintf(w, "data: %s%s%s\n\n", strings.Repeat("-", limit-shown), key, strings.Repeat("-", 500))
			}})
		}
	}
	return append(list, []way{
		{"error body, cut by the server", func(w http.ResponseWriter, key string) { refuse(w, "key "+key[:len(key)-1]) }},
		{"error body, end of the key", func(w http.ResponseWriter, key string) { refuse(w, key[3:]+" is wrong") }},
		{"error body, wrapped", func(w http.ResponseWriter, key string) { refuse(w, key[:15]+"\r\n  "+key[15:]) }},
		{"error body, packed", func(w http.ResponseWriter, key string) {
			w.Header().Set("Content-Encoding", "gzip")
			w.WriteHeader(500)
			packer := gzip.NewWriter(w)
			io.WriteString(packer, "key "+key)
			packer.Close()
		}},
		{"Location", func(w http.ResponseWriter, key string) {
			w.Header().Set("Location", "http://127.0.0.1:1/?key="+url.QueryEscape(key))
			w.WriteHeader(http.StatusFound)
		}},
		{"Retry-After", func(w http.ResponseWriter, key string) { w.Header().Set("Retry-After", key); refuse(w, "later") }},
		{"Content-Encoding", func(w http.ResponseWriter, key string) {
			w.Header().Set("Content-Encoding", key)
			io.WriteString(w, "data: x\n\n")
		}},
		{"HTML page", func(w http.ResponseWriter, key string) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, "<p>%s</p>", html.EscapeString(key))
		}},
		{"event of an error", func(w http.ResponseWriter, key string) {
			fmt.Fprintf(w, "data: {\"error\": {\"message\": \"no %s\"}}\n\n", asJSON(key))
		}},
		{"answer", func(w http.ResponseWriter, key string) { tell(w, "id", "stop", "I was told "+key) }},
		{"answer in two events", func(w http.ResponseWriter, key string) {
			tell(w, "id", "stop", "I was told "+key[:9], key[9:]+", I think")
		}},
		{"answer, a character an event", func(w http.ResponseWriter, key string) { tell(w, "id", "stop", strings.Split(key, "")...) }},
		{"id of the answer", func(w http.ResponseWriter, key string) { tell(w, key, "stop", "x") }},
		{"finish reason", func(w http.ResponseWriter, key string) { tell(w, "id", key, "x") }},
		{"usage", func(w http.ResponseWriter, key string) {
			fmt.Fprintf(w, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":\"%s\"}}\n\ndata: [DONE]\n\n", asJSON(key))
		}},
		{"trailer", func(w http.ResponseWriter, key string) {
			w.Header().Set("Trailer", "X-Key")
			tell(w, "id", "stop", "x")
			w.Header().Set("X-Key", key)
		}},
		{"status line", func(w http.ResponseWriter, key string) { raw(w, "HTTP/1.1 "+key+"\r\n\r\n") }},
		{"header line", func(w http.ResponseWriter, key string) { raw(w, "HTTP/1.1 200 OK\r\nContent-Length: "+key+"\r\n\r\n") }},
		{"chunk length", func(w http.ResponseWriter, key string) {
			raw(w, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"+key+"\r\n")
		}},
	}...)
}

func refuse(w http.ResponseWriter, body string) {
	w.WriteHeader(http.StatusInternalServerError)
	io.WriteString(w, body)
}

// say answers as a server of chats does.
func tell(w http.ResponseWriter, id, reason string, words ...string) {
	event := func(v any) {
		text, err := json.Marshal(v)
		if err != nil {
			panic(err) // maps of text always encode
		}
		fmt.Fprintf(w, "data: %s\n\n", text)
		w.(http.Flusher).Flush()
	}
	for _, word := range words {
		event(map[string]any{"id": id, "choices": []any{map[string]any{"index": 0, "delta": map[string]any{"content": word}}}})
	}
	event(map[string]any{"id": id, "choices": []any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": reason}}})
	event(map[string]any{"choices": []any{}, "usage": map[string]any{"prompt_tokens": 8, "completion_tokens": 4}})
	io.WriteString(w, "data: [DONE]\n\n")
}

// raw answers with bytes that no HTTP library would send.
func raw(w http.ResponseWriter, text string) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return // the client is gone
	}
	io.WriteString(conn, text)
	conn.Close()
}

// An echo is a server that hands every one of its keys back, in every way, and
// answers well in between.
type echo struct {
	keys []string
	ways []way

	mu    sync.Mutex
	next  int
	calls int
}

func newEcho(t *testing.T, keys []string) (*echo, string) {
	t.Helper()
	e := &echo{keys: keys, ways: ways()}
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	return e, strings.TrimPrefix(server.URL, "http://")
}

func (e *echo) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	all := strings.Join(e.keys, " ")
	switch {
	case strings.HasSuffix(r.URL.Path, "/health"):
	case strings.HasSuffix(r.URL.Path, "/models"):
		fmt.Fprintf(w, `{"data":[{"id":"m","owned_by":"%s","root":"%[1]s"}]}`, asJSON(all))
	case strings.HasSuffix(r.URL.Path, "/metrics"):
		for i, key := range e.keys {
			fmt.Fprintf(w, "vllm:num_requests_running{model_name=%q,engine=\"%d\"} 1\n", key, i)
		}
	case r.Method == http.MethodGet:
		fmt.Fprintf(w, `{"version":"%s","model_path":"%[1]s"}`, asJSON(all))
	default:
		io.Copy(io.Discard, r.Body)
		e.answer(w)
	}
}

// answer gives the next echo in every other call.
func (e *echo) answer(w http.ResponseWriter) {
	e.mu.Lock()
	e.calls++
	well, turn := e.calls%2 == 1, e.next
	if !well {
		e.next++
	}
	e.mu.Unlock()
	if well {
		tell(w, "chat-1", "stop", "one", " two")
		return
	}
	e.ways[turn/len(e.keys)%len(e.ways)].send(w, e.keys[turn%len(e.keys)])
}

// pairs is how many keys were handed back in how many ways.
func (e *echo) pairs() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return min(e.next, len(e.keys)*len(e.ways))
}

// forms are the spellings of key to search for, in lower case, and the parts of it
// that must not be left over by a cut.
func forms(key string) [][]byte {
	list := [][]byte{[]byte(strings.ToLower(key[:8])), []byte(strings.ToLower(key[len(key)-8:]))}
	for _, s := range spellings {
		text := s.spell(key)
		if strings.HasPrefix(s.name, "base64 after") {
			text = text[4 : len(text)-4] // what its neighbours do not change
		}
		list = append(list, bytes.ToLower([]byte(text)))
	}
	return list
}
