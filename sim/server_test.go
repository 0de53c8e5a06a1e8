package sim

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// serve runs a server on a loopback port until the test ends.
func serve(t testing.TB, cfg Config) (*Server, string) {
	t.Helper()
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("Serve returned %v, want %v", err, http.ErrServerClosed)
		}
	})
	return s, l.Addr().String()
}

const (
	chatPath = "/v1/chat/completions"
	textPath = "/v1/completions"
)

// chatBody asks for a stream of n tokens with usage.
func chatBody(n int) string {
	return fmt.Sprintf(`{"model":"sim","messages":[{"role":"user","content":"hello there"}],"max_tokens":%d,"ignore_eos":true,"stream":true,"stream_options":{"include_usage":true}}`, n)
}

// post sends a request by hand and returns the connection with its reader.
func post(t testing.TB, addr, path, body string, headers ...string) (net.Conn, *bufio.Reader) {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	writeRequest(t, c, path, body, headers...)
	return c, bufio.NewReader(c)
}

func writeRequest(t testing.TB, c net.Conn, path, body string, headers ...string) {
	t.Helper()
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: sim\r\nContent-Length: %d\r\n", path, len(body))
	for _, h := range headers {
		head += h + "\r\n"
	}
	if _, err := io.WriteString(c, head+"\r\n"+body); err != nil {
		t.Fatal(err)
	}
}

// call sends a request with the standard library's client.
func call(t *testing.T, method, url, body string) (status int, reply []byte) {
	t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	reply, err = io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, reply
}

// An answer as the tests read it.
type answer struct {
	Object  string
	Choices []struct {
		Index   int
		Text    string
		Message struct{ Content string }
		Delta   struct {
			Content          string
			ReasoningContent string `json:"reasoning_content"`
		}
		FinishReason *string `json:"finish_reason"`
	}
	Usage *struct {
		PromptTokens     int `json:"prompt_tokens"`
		CompletionTokens int `json:"completion_tokens"`
		Details          struct {
			CachedTokens int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	}
}

// events reads a plain stream into its events, [DONE] left out.
func events(t *testing.T, body []byte) []answer {
	t.Helper()
	var list []answer
	done := false
	for part := range strings.SplitSeq(string(body), "\n\n") {
		data, ok := strings.CutPrefix(part, "data: ")
		if !ok || done {
			continue
		}
		if data == "[DONE]" {
			done = true
			continue
		}
		var a answer
		if err := json.Unmarshal([]byte(data), &a); err != nil {
			t.Fatalf("event %q: %v", data, err)
		}
		list = append(list, a)
	}
	if !done {
		t.Errorf("the stream %q has no [DONE]", body)
	}
	return list
}

func TestStreamAgreesWithAnswer(t *testing.T) {
	for name, cfg := range map[string]Config{
		"engine": {Engine: Engine{Cost: Cost{Base: time.Millisecond}}},
		"fixed":  {Fixed: &Fixed{TTFT: time.Millisecond, ITL: time.Millisecond}},
	} {
		for _, path := range []string{chatPath, textPath} {
			t.Run(name+path, func(t *testing.T) {
				_, addr := serve(t, cfg)
				const ask = `{"messages":[{"role":"user","content":[{"type":"text","text":"good morning"}]}],"prompt":"good morning","max_tokens":9,"ignore_eos":true,"n":2`
				status, reply := call(t, "POST", "http://"+addr+path, ask+"}")
				var whole answer
				if err := json.Unmarshal(reply, &whole); err != nil || status != 200 {
					t.Fatalf("status %d, %v in %s", status, err, reply)
				}
				_, reply = call(t, "POST", "http://"+addr+path, ask+`,"stream":true,"stream_options":{"include_usage":true}}`)
				var text [2]string
				var usage int
				for _, e := range events(t, reply) {
					for _, c := range e.Choices {
						text[c.Index] += c.Text + c.Delta.Content
					}
					if e.Usage != nil {
						usage = e.Usage.CompletionTokens
					}
				}
				for i, c := range whole.Choices {
					want := c.Text + c.Message.Content
					if text[i] != want || want == "" {
						t.Errorf("choice %d streamed %q, answered whole %q", i, text[i], want)
					}
					if n := len(tokenize(text[i])); n != 9 {
						t.Errorf("choice %d has %d tokens by the tokenizer, want 9", i, n)
					}
				}
				if usage != 18 || whole.Usage.CompletionTokens != 18 {
					t.Errorf("usage is %d streamed and %d whole, want 18", usage, whole.Usage.CompletionTokens)
				}
			})
		}
	}
}

func TestRefusals(t *testing.T) {
	_, addr := serve(t, Config{MaxModelLen: 50})
	tests := []struct {
		name, path, body string
		status           int
		param            string
	}{
		{"not JSON", chatPath, `{"messages":`, 400, ""},
		{"wrong type", chatPath, `{"messages":[{"role":"user","content":"x"}],"max_tokens":"many"}`, 400, ""},
		{"no messages", chatPath, `{}`, 400, "messages"},
		{"bad content", chatPath, `{"messages":[{"role":"user","content":7}]}`, 400, "messages"},
		{"unknown model", chatPath, `{"model":"other","messages":[{"role":"user","content":"x"}]}`, 404, "model"},
		{"unknown fault", chatPath, `{"model":"sim@nonsense","messages":[{"role":"user","content":"x"}]}`, 400, "x-assay-fault"},
		{"no prompt", textPath, `{}`, 400, "prompt"},
		{"bad token", textPath, `{"prompt":[-1]}`, 400, "prompt"},
		{"zero tokens", textPath, `{"prompt":"x","max_tokens":0}`, 400, "max_tokens"},
		{"too many choices", textPath, `{"prompt":["x","y"],"n":100}`, 400, "n"},
		{"prompt over the context", textPath, `{"prompt":"` + strings.Repeat(" abc", 60) + `"}`, 400, "max_tokens"},
		{"answer over the context", textPath, `{"prompt":"x","max_tokens":60}`, 400, "max_tokens"},
		{"stream options without stream", textPath, `{"prompt":"x","stream_options":{"include_usage":true}}`, 400, "stream_options"},
		{"no such page", "/v2", `{}`, 404, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			status, reply := call(t, "POST", "http://"+addr+tt.path, tt.body)
			var got struct {
				Error struct {
					Message string
					Param   *string
					Code    int
				}
			}
			if err := json.Unmarshal(reply, &got); err != nil {
				t.Fatalf("%v in %s", err, reply)
			}
			param := ""
			if got.Error.Param != nil {
				param = *got.Error.Param
			}
			if status != tt.status || got.Error.Code != tt.status || param != tt.param || got.Error.Message == "" {
				t.Errorf("status %d, error %s; want status %d, param %q", status, reply, tt.status, tt.param)
			}
		})
	}
}

func TestQueueFull(t *testing.T) {
	_, addr := serve(t, Config{Engine: Engine{MaxSequences: 1, MaxQueue: 1, Cost: Cost{Base: 50 * ms}}})
	_, running := post(t, addr, chatPath, chatBody(500))
	if _, err := running.ReadString('}'); err != nil { // its first token: it is in the batch
		t.Fatal(err)
	}
	statuses := map[string]int{}
	for range 2 {
		_, r := post(t, addr, chatPath, chatBody(1))
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		statuses[strings.TrimSpace(line)]++
	}
	if statuses["HTTP/1.1 200 OK"] != 1 || statuses["HTTP/1.1 503 Service Unavailable"] != 1 {
		t.Errorf("a queue of 1 answered two more requests %v, want one 200 and one 503", statuses)
	}
}

func TestStartDelay(t *testing.T) {
	_, addr := serve(t, Config{StartDelay: 300 * ms})
	if status, _ := call(t, "GET", "http://"+addr+"/health", ""); status != 503 {
		t.Errorf("health at once: status %d, want 503", status)
	}
	if status, _ := call(t, "POST", "http://"+addr+chatPath, chatBody(1)); status != 503 {
		t.Errorf("completion at once: status %d, want 503", status)
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * ms) {
		if status, _ := call(t, "GET", "http://"+addr+"/health", ""); status == 200 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("not healthy after 10s")
		}
	}
}

func TestConfigFaults(t *testing.T) {
	_, err := New(Config{MaxModelLen: -1, Jitter: 2, Fixed: &Fixed{TTFT: -1}, Faults: []FaultRate{{"nonsense", 1}}})
	for _, want := range []string{"MaxModelLen", "Jitter", "Fixed.TTFT", "nonsense"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want it to name %s", err, want)
		}
	}
}
