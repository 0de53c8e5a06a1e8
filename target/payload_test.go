package target

import (
	"bytes"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"assay/record"
)

// What a call carries beyond its prompt is in the body, in the words of each
// API.
func TestPayloads(t *testing.T) {
	image := record.Image{MediaType: "image/png", Data: []byte("pix")} // cGl4 in base 64
	look := &record.Payload{Task: "image-text-to-text", Images: []record.Image{image, image}}
	show := &record.Payload{Task: "image-to-embeddings", Images: []record.Image{image}}
	embed := &record.Payload{Task: "text-to-embeddings", Documents: []string{"a b", "c"}}
	rank := &record.Payload{Task: "text-to-rerank", Query: "q", Documents: []string{"a\nb", "c"}}
	paint := &record.Payload{Task: "text-to-image", Paint: record.Paint{Width: 64, Height: 32, Images: 2}}
	f := func(api, prompt string, payload *record.Payload, want string) {
		t.Helper()
		dialect, err := Find(api)
		if err != nil {
			t.Fatal(err)
		}
		body, err := dialect.Encode(record.Call{Prompt: prompt, Payload: payload}, Ask{Model: "m"})
		if err != nil || string(body) != want {
			t.Errorf("%s: %s, %v; want %s", api, body, err, want)
		}
	}
	const url = `"data:image/png;base64,cGl4"`
	const part = `{"image_url":{"url":` + url + `},"type":"image_url"}`
	f("openai-chat", "see", look, `{"messages":[{"content":[{"text":"see","type":"text"},`+part+`,`+part+`],"role":"user"}],"model":"m"}`)
	f("azure-openai", "see", look, `{"messages":[{"content":[{"text":"see","type":"text"},`+part+`,`+part+`],"role":"user"}],"model":"m"}`)
	const input = `{"image_url":` + url + `,"type":"input_image"}`
	f("openai-responses", "see", look, `{"input":[{"content":[{"text":"see","type":"input_text"},`+input+`,`+input+`],"role":"user"}],"model":"m","store":false}`)
	const block = `{"source":{"data":"cGl4","media_type":"image/png","type":"base64"},"type":"image"}`
	f("anthropic-messages", "see", look, `{"max_tokens":4096,"messages":[{"content":[{"text":"see","type":"text"},`+block+`,`+block+`],"role":"user"}],"model":"m"}`)
	f("openai-embeddings", "", show, `{"encoding_format":"float","messages":[{"content":[`+part+`],"role":"user"}],"model":"m"}`)
	f("openai-embeddings", "", embed, `{"encoding_format":"float","input":["a b","c"],"model":"m"}`)
	f("cohere-embed", "", show, `{"embedding_types":["float"],"images":[`+url+`],"input_type":"image","model":"m"}`)
	f("cohere-embed", "", embed, `{"embedding_types":["float"],"input_type":"search_document","model":"m","texts":["a b","c"]}`)
	f("tei-embed", "", embed, `{"inputs":["a b","c"]}`)
	f("tei-rerank", "q", rank, `{"query":"q","texts":["a\nb","c"]}`)
	f("rerank", "q", rank, `{"documents":["a\nb","c"],"model":"m","query":"q"}`)
	f("cohere-rerank", "q", rank, `{"documents":["a\nb","c"],"model":"m","query":"q"}`)
	f("openai-images", "cat", paint, `{"model":"m","n":2,"prompt":"cat","size":"64x32"}`)
	f("openai-speech", "hi", &record.Payload{Voice: "onyx"}, `{"input":"hi","model":"m","voice":"onyx"}`)
}

// A recording goes out byte for byte, under a name that tells its format.
func TestTranscriptionPayload(t *testing.T) {
	sound := []byte("ID3\x00\r\n--assay\xff")
	body, err := transcription{}.Encode(record.Call{Payload: &record.Payload{Sound: &record.Sound{MediaType: "audio/mpeg", Data: sound}}}, Ask{Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	form, err := multipart.NewReader(bytes.NewReader(body), formBoundary).ReadForm(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	header := form.File["file"][0]
	file, err := header.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if got, err := io.ReadAll(file); err != nil || !bytes.Equal(got, sound) || header.Filename != "audio.mp3" {
		t.Errorf("%s holds %q, %v; want %q", header.Filename, got, err, sound)
	}
}

// The outputs of an answer that is not text are counted; text has none, and a
// failure has none.
func TestItems(t *testing.T) {
	f := func(api, body string, want int) {
		t.Helper()
		url := serve(t, func(conn net.Conn, _ *http.Request) {
			atOnce(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n", []byte(body))
		})
		dialect, err := Find(api)
		if err != nil {
			t.Fatal(err)
		}
		clock, err := record.StartClock()
		if err != nil {
			t.Fatal(err)
		}
		c, err := New(Config{URLs: []string{url}, Timeout: 20 * time.Second, Ask: Ask{Model: "m"}}, dialect, clock)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		p, err := c.Prepare(record.Call{Payload: &record.Payload{Documents: []string{"a"}}})
		if err != nil {
			t.Fatal(err)
		}
		r, _ := c.Decode(c.Do(t.Context(), p, clock.Now()))
		switch {
		case want == 0 && r.Items != nil:
			t.Errorf("%s: %d items, want none", api, *r.Items)
		case want > 0 && (r.Items == nil || *r.Items != int32(want)):
			t.Errorf("%s: items %v of outcome %s %s, want %d", api, r.Items, r.Result, r.Error, want)
		}
		if r.PromptHash == promptHash("") {
			t.Errorf("%s: a call without a prompt has the hash of nothing", api)
		}
	}
	f("openai-embeddings", `{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":"AAAA"}],"usage":{"prompt_tokens":4,"completion_tokens":0}}`, 2)
	f("rerank", `{"results":[{"index":3},{"index":0},{"index":1}]}`, 3)
	f("openai-images", `{"data":[{"b64_json":"AA=="},{"url":"x"}]}`, 2)
	f("tei-embed", `[[1],[2],[3]]`, 3)
	f("tei-rerank", `[{"index":1},{"index":0}]`, 2)
	f("cohere-embed", `{"embeddings":{"float":[[1],[2]]}}`, 2)
	f("openai-speech", strings.Repeat("x", 500), 1)
	f("openai-speech", `{"error":"no voice"}`, 0)
	f("openai-chat", `{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}`, 0)
}
