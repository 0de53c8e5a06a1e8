package sim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"
)

// jobCall posts a body and returns status, body and how long it took.
func jobCall(t *testing.T, url, contentType, body string) (int, string, time.Duration) {
	t.Helper()
	began := time.Now()
	r, err := http.Post(url, contentType, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(data), time.Since(began)
}

// Every job answers in its API's words, and not before its time.
func TestJobs(t *testing.T) {
	const wait = 30 * time.Millisecond
	_, addr := serve(t, Config{Fixed: &Fixed{TTFT: wait}})
	asked := map[string]bool{}
	f := func(path, body string, status int, want ...string) {
		t.Helper()
		asked["POST "+path] = true
		code, got, took := jobCall(t, "http://"+addr+path, "application/json", body)
		if code != status || status == 200 && took < wait {
			t.Errorf("%s: status %d after %v, want %d after %v: %.200s", path, code, took, status, wait, got)
		}
		for _, part := range want {
			if !strings.Contains(got, part) {
				t.Errorf("%s: %.300s lacks %s", path, got, part)
			}
		}
	}
	f("/v1/embeddings", `{"model":"sim","input":["the end","b"]}`, 200, `"index":1`, `"prompt_tokens":3`)
	f("/v1/embeddings", `{"model":"sim","input":"the"}`, 200, `"index":0`, `"prompt_tokens":1`)
	f("/v1/embeddings", `{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:"}}]}]}`, 200, `"embedding":[`)
	f("/v1/embeddings", `{"input":[]}`, 400, "input")
	f("/v1/embeddings", `{"model":"gpt","input":"a"}`, 404, "gpt")
	f("/v1/embeddings", `{"model":"sim@stall","input":"a"}`, 400, "faults")
	f("/v2/embed", `{"model":"sim","images":["data:image/png;base64,AA"],"input_type":"image"}`, 200, `"float":[[`)
	f("/v2/embed", `{"model":"sim"}`, 400, "texts or images")
	f("/embed", `{"inputs":["a","b"]}`, 200, `],[`)
	f("/v1/rerank", `{"query":"q","documents":["a","b"]}`, 200, `"index":0`, `"index":1`, `"prompt_tokens":3`)
	f("/v2/rerank", `{"query":"q"}`, 400, "want both")
	f("/rerank", `{"query":"q","texts":["a"]}`, 200, `[{"index":0,"score":`)
	f("/v1/images/generations", `{"prompt":"a","n":2,"size":"32x32"}`, 200, strings.Repeat("A", 40))
	f("/v1/images/generations", `{"prompt":"a","size":"huge"}`, 400, "WIDTHxHEIGHT")
	f("/v1/audio/speech", `{"input":"hello"}`, 200, "RIFF")
	f("/v1/audio/transcriptions", `{}`, 400, "multipart")
	for route := range jobs {
		if !asked[route] {
			t.Errorf("%s was not asked", route)
		}
	}
}

func TestTranscript(t *testing.T) {
	_, addr := serve(t, Config{Fixed: &Fixed{}})
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	w.WriteField("model", "sim")
	file, err := w.CreateFormFile("file", "a.wav")
	if err != nil {
		t.Fatal(err)
	}
	file.Write(make([]byte, 40_000))
	w.Close()
	status, body, _ := jobCall(t, "http://"+addr+"/v1/audio/transcriptions", w.FormDataContentType(), form.String())
	var answer struct{ Text string }
	if err := json.Unmarshal([]byte(body), &answer); err != nil || status != 200 || answer.Text != "word word word" {
		t.Errorf("status %d, %s, %v; want three words", status, body, err)
	}
}

// In the engine mode a job takes base and its prompt; a longer one takes longer.
func TestJobTime(t *testing.T) {
	s, err := New(Config{Engine: Engine{Cost: Cost{Base: 5 * time.Millisecond, PerPrefillToken: time.Millisecond}}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got, want := fmt.Sprint(s.jobTime(0), s.jobTime(7)), "5ms 12ms"; got != want {
		t.Errorf("jobs take %s, want %s", got, want)
	}
}

// A server that closes does not wait for its jobs.
func TestJobEndsWithServer(t *testing.T) {
	s, addr := serve(t, Config{Fixed: &Fixed{TTFT: time.Hour}})
	done := make(chan struct{})
	go func() {
		defer close(done)
		http.Post("http://"+addr+"/embed", "application/json", strings.NewReader(`{"inputs":"a"}`))
	}()
	time.Sleep(20 * time.Millisecond)
	began := time.Now()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	<-done
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("closing took %v", took)
	}
}
