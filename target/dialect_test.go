package target

import (
	"encoding/json"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"

	"assay/record"
)

// What the user adds wins, in the object it is meant for, and false stays false.
func TestEncodeKeepsTheUsersFields(t *testing.T) {
	off, zero := false, 0.0
	tests := []struct {
		api   string
		extra map[string]any
		want  []string
	}{
		{"openai-responses", map[string]any{"store": true}, []string{`"ignore_eos":false`, `"store":true`, `"temperature":0`}},
		{"sglang", map[string]any{"sampling_params": map[string]any{"top_k": 5, "max_new_tokens": 2}}, []string{`"ignore_eos":false`, `"top_k":5`, `"max_new_tokens":2`, `"temperature":0`}},
		{"llamacpp", map[string]any{"cache_prompt": false}, []string{`"ignore_eos":false`, `"cache_prompt":false`, `"n_predict":9`}},
		{"tgi", map[string]any{"parameters": map[string]any{"top_n_tokens": 1}}, []string{`"do_sample":false`, `"details":true`, `"top_n_tokens":1`}},
		{"anthropic-messages", map[string]any{"thinking": map[string]any{"type": "enabled"}}, []string{`"max_tokens":9`, `"type":"enabled"`}},
		{"aws-bedrock", map[string]any{"inferenceConfig": map[string]any{"topP": 0.5}}, []string{`"topP":0.5`, `"maxTokens":9`}},
		{"gcp-gemini", map[string]any{"generationConfig": map[string]any{"topK": 3}}, []string{`"topK":3`, `"maxOutputTokens":9`}},
		{"oci-genai", map[string]any{"compartmentId": "c", "servingMode": map[string]any{"servingType": "DEDICATED"}, "chatRequest": map[string]any{"topK": 1}},
			[]string{`"compartmentId":"c"`, `"servingType":"DEDICATED"`, `"topK":1`, `"maxTokens":9`, `"isIncludeUsage":true`}},
		{"openai-images", map[string]any{"n": 3, "size": "64x64"}, []string{`"n":3`, `"size":"64x64"`}},
		{"openai-speech", map[string]any{"voice": "onyx"}, []string{`"voice":"onyx"`}},
		{"openai-transcription", map[string]any{"language": "de", "logprobs": true}, []string{"name=\"language\"\r\n\r\nde\r\n", "name=\"logprobs\"\r\n\r\ntrue\r\n", "filename=\"audio.wav\""}},
		{"rerank", map[string]any{"top_n": 1}, []string{`"top_n":1`, `"query":"q"`, `"documents":["a","b"]`}},
	}
	for _, tt := range tests {
		t.Run(tt.api, func(t *testing.T) {
			dialect, err := Find(tt.api)
			if err != nil {
				t.Fatal(err)
			}
			ask := Ask{Model: "m", Stream: true, Temperature: &zero, IgnoreEOS: &off, ExtraBody: tt.extra}
			before, _ := json.Marshal(tt.extra)
			body, err := dialect.Encode(record.Call{Prompt: "q\na\nb", OutputTokens: 9}, ask)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range tt.want {
				if !strings.Contains(string(body), want) {
					t.Errorf("body %s lacks %s", body, want)
				}
			}
			if after, _ := json.Marshal(tt.extra); string(after) != string(before) {
				t.Errorf("the user's fields became %s, were %s", after, before)
			}
		})
	}
}

// A body of JSON that says nothing is no answer.
func TestNothingIsNoAnswer(t *testing.T) {
	for _, body := range []string{`{}`, `{"choices":[]}`, `null`} {
		url := serve(t, func(conn net.Conn, _ *http.Request) { atOnce(conn, "HTTP/1.1 200 OK\r\n", []byte(body)) })
		r, chunks := ask1(t, t.Context(), newClient(t, url, func(cfg *Config) { cfg.Ask.Stream = false }))
		if r.Result != record.Empty || len(chunks) != 0 {
			t.Errorf("%s: outcome %q with %d chunks, want %q", body, r.Result, len(chunks), record.Empty)
		}
	}
}

// The user's query and headers win over the dialect's, and base URLs keep their
// own path.
func TestAddress(t *testing.T) {
	f := func(api, base string, query map[string][]string, want string) {
		t.Helper()
		dialect, err := Find(api)
		if err != nil {
			t.Fatal(err)
		}
		u, err := shapeOf(dialect, Ask{Model: "m/x:1", Stream: true}).address(base, query)
		if err != nil || u.String() != want {
			t.Errorf("%s at %s: %v, %v; want %s", api, base, u, err, want)
		}
	}
	f("openai-chat", "http://h:1/v1/", nil, "http://h:1/v1/chat/completions")
	f("openai-chat", "http://h:1/team%2Fa", nil, "http://h:1/team%2Fa/v1/chat/completions")
	f("azure-openai", "https://h", nil, "https://h/openai/deployments/m%2Fx:1/chat/completions?api-version=2024-10-21")
	f("azure-openai", "https://h", map[string][]string{"api-version": {"v9"}}, "https://h/openai/deployments/m%2Fx:1/chat/completions?api-version=v9")
	f("azure-openai", "https://h?api-version=v8", nil, "https://h/openai/deployments/m%2Fx:1/chat/completions?api-version=v8")
	f("aws-bedrock", "https://bedrock-runtime.us-east-1.amazonaws.com", nil, "https://bedrock-runtime.us-east-1.amazonaws.com/model/m%2Fx%3A1/converse-stream")
	f("gcp-vertex", "https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/l", nil,
		"https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/l/publishers/google/models/m%2Fx:1:streamGenerateContent?alt=sse")
}

// Whatever a server sends, a dialect answers with pieces or an error, and never
// with neither.
func FuzzDecode(f *testing.F) {
	for _, named := range All {
		files, err := os.ReadDir("testdata/dialects/" + named.Name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile("testdata/dialects/" + named.Name + "/" + file.Name())
			if err != nil {
				f.Fatal(err)
			}
			if strings.HasSuffix(file.Name(), ".json") {
				f.Add(data)
			}
			if strings.HasSuffix(file.Name(), ".sse") {
				events(data, func(event []byte, _ int) { f.Add(event) })
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, named := range All {
			pieces, err := named.Dialect.Decode(data)
			if (err == nil) == (len(pieces) == 0) {
				t.Errorf("%s: %d pieces and error %v", named.Name, len(pieces), err)
			}
			for _, piece := range pieces {
				if piece.Kind == "" {
					t.Errorf("%s: piece %+v has no kind", named.Name, piece)
				}
			}
		}
	})
}
