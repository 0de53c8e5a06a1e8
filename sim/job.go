package sim

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"time"
)

// A job is work whose answer comes whole: vectors, ranks, images, sound, a
// transcript. It takes the time of a first token (fixed mode) or of an iteration
// that computes its prompt alone (engine mode): jobs do not share the batch, and
// faults are not made for them.
type job func(s *Server, head *http.Request, body []byte) (jobAnswer, *refusal)

// A jobAnswer is the answer of a job and the prompt tokens it cost.
type jobAnswer struct {
	contentType string
	reply       []byte
	tokens      int
}

var jobs = map[string]job{
	"POST /v1/embeddings":           embedJob,
	"POST /v2/embed":                cohereEmbedJob,
	"POST /embed":                   teiEmbedJob,
	"POST /v1/rerank":               rerankJob,
	"POST /v2/rerank":               rerankJob,
	"POST /rerank":                  teiRerankJob,
	"POST /v1/images/generations":   imageJob,
	"POST /v1/audio/speech":         speechJob,
	"POST /v1/audio/transcriptions": transcriptJob,
}

// carryOut answers a job when its time has passed.
func (s *Server) carryOut(c *conn, head *http.Request, do job, body []byte) {
	arrival := s.clock.now()
	status, contentType, reply := 200, "", []byte(nil)
	out, bad := jobAnswer{}, &refusal{503, "ServiceUnavailableError", "", "the simulated engine is still starting"}
	if s.ready() {
		out, bad = do(s, head, body)
	}
	if bad != nil {
		s.meter.refused.Add(1)
		status, contentType, reply = refusalPage(bad)
	} else {
		contentType, reply = out.contentType, out.reply
		s.sleepUntil(arrival + int64(s.jobTime(out.tokens)))
	}
	c.send(append(httpHead(status, contentType, len(reply), closeHeader(head.Close)...), reply...))
	s.log.page(head, status, s.clock.now()-arrival)
}

// jobTime is how long a job of so many prompt tokens takes.
func (s *Server) jobTime(tokens int) time.Duration {
	if s.cfg.Fixed != nil {
		return s.cfg.Fixed.TTFT
	}
	cost := s.cfg.Engine.Cost
	return time.Duration(s.factor * float64(cost.Base+time.Duration(tokens)*cost.PerPrefillToken))
}

// sleepUntil waits for a stamp in steps short enough for a server that closes.
func (s *Server) sleepUntil(at int64) {
	for !s.isClosed() {
		left := time.Duration(at - s.clock.now())
		if left <= 0 {
			return
		}
		time.Sleep(min(left, 50*time.Millisecond))
	}
}

// read takes a JSON body apart and checks the model that it names.
func (s *Server) read(body []byte, into any, model *string) *refusal {
	if err := json.Unmarshal(body, into); err != nil {
		return badRequest("", "the body is not a valid request: %v", err)
	}
	return s.serves(*model)
}

func (s *Server) serves(model string) *refusal {
	name, faults := splitModel(model)
	if len(faults) > 0 {
		return badRequest("model", "model: faults are made for completions alone")
	}
	if name != "" && name != s.cfg.Model {
		return &refusal{404, "NotFoundError", "model", fmt.Sprintf("model: got %q, want %q", name, s.cfg.Model)}
	}
	return nil
}

func asJSON(tokens int, v any) (jobAnswer, *refusal) {
	_, contentType, reply := jsonPage(v)
	return jobAnswer{contentType, reply, tokens}, nil
}

// vector says the same of the same text.
func vector(text string) []float64 {
	sum := sha256.Sum256([]byte(text))
	var list []float64
	for i := range 8 {
		list = append(list, float64(int32(binary.BigEndian.Uint32(sum[4*i:])))/(1<<31))
	}
	return list
}

func countTokens(texts ...string) int {
	n := 0
	for _, text := range texts {
		n += len(tokenize(text))
	}
	return n
}

// textList accepts a text or a list of texts.
func textList(name string, raw json.RawMessage) ([]string, *refusal) {
	var one string
	var several []string
	if raw = orNull(raw); json.Unmarshal(raw, &one) == nil && raw[0] == '"' {
		return []string{one}, nil
	}
	if json.Unmarshal(raw, &several) != nil || len(several) == 0 {
		return nil, badRequest(name, "%s: got %.40s, want a text or a list of texts", name, raw)
	}
	return several, nil
}

func embedJob(s *Server, _ *http.Request, body []byte) (jobAnswer, *refusal) {
	var in struct {
		Model    string          `json:"model"`
		Input    json.RawMessage `json:"input"`
		Messages json.RawMessage `json:"messages"`
	}
	if bad := s.read(body, &in, &in.Model); bad != nil {
		return jobAnswer{}, bad
	}
	texts, tokens := []string{string(in.Messages)}, 0
	if in.Messages != nil {
		prompts, bad := chatPrompt(in.Messages)
		if bad != nil {
			return jobAnswer{}, bad
		}
		tokens = len(prompts[0])
	} else {
		var bad *refusal
		if texts, bad = textList("input", in.Input); bad != nil {
			return jobAnswer{}, bad
		}
		tokens = countTokens(texts...)
	}
	data := []any{}
	for i, text := range texts {
		data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": vector(text)})
	}
	return asJSON(tokens, map[string]any{"object": "list", "model": s.cfg.Model, "data": data,
		"usage": map[string]int{"prompt_tokens": tokens, "total_tokens": tokens, "completion_tokens": 0}})
}

func cohereEmbedJob(s *Server, _ *http.Request, body []byte) (jobAnswer, *refusal) {
	var in struct {
		Model  string   `json:"model"`
		Texts  []string `json:"texts"`
		Images []string `json:"images"`
	}
	if bad := s.read(body, &in, &in.Model); bad != nil {
		return jobAnswer{}, bad
	}
	if len(in.Texts)+len(in.Images) == 0 {
		return jobAnswer{}, badRequest("texts", "texts: got none, want texts or images")
	}
	var list [][]float64
	for _, item := range append(in.Texts, in.Images...) {
		list = append(list, vector(item))
	}
	tokens := countTokens(in.Texts...)
	return asJSON(tokens, map[string]any{"id": "embed", "embeddings": map[string]any{"float": list},
		"meta": map[string]any{"billed_units": map[string]int{"input_tokens": tokens}}})
}

func teiEmbedJob(_ *Server, _ *http.Request, body []byte) (jobAnswer, *refusal) {
	var in struct {
		Inputs json.RawMessage `json:"inputs"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return jobAnswer{}, badRequest("", "the body is not a valid request: %v", err)
	}
	texts, bad := textList("inputs", in.Inputs)
	if bad != nil {
		return jobAnswer{}, bad
	}
	var list [][]float64
	for _, text := range texts {
		list = append(list, vector(text))
	}
	return asJSON(countTokens(texts...), list)
}

// A rank is one document in the order of its score.
type rank struct {
	Index int     `json:"index"`
	Score float64 `json:"relevance_score"`
}

func ranks(query string, documents []string) []rank {
	var list []rank
	for i, document := range documents {
		list = append(list, rank{i, (1 + vector(query + "\x00" + document)[0]) / 2})
	}
	slices.SortFunc(list, func(a, b rank) int {
		if a.Score > b.Score {
			return -1
		}
		return 1
	})
	return list
}

func rerankJob(s *Server, _ *http.Request, body []byte) (jobAnswer, *refusal) {
	var in struct {
		Model     string   `json:"model"`
		Query     string   `json:"query"`
		Documents []string `json:"documents"`
	}
	if bad := s.read(body, &in, &in.Model); bad != nil {
		return jobAnswer{}, bad
	}
	if in.Query == "" || len(in.Documents) == 0 {
		return jobAnswer{}, badRequest("query", "query, documents: want both")
	}
	tokens := countTokens(append(in.Documents, in.Query)...)
	return asJSON(tokens, map[string]any{"id": "rerank", "model": s.cfg.Model, "results": ranks(in.Query, in.Documents),
		"usage": map[string]int{"prompt_tokens": tokens, "total_tokens": tokens}})
}

func teiRerankJob(_ *Server, _ *http.Request, body []byte) (jobAnswer, *refusal) {
	var in struct {
		Query string   `json:"query"`
		Texts []string `json:"texts"`
	}
	if err := json.Unmarshal(body, &in); err != nil || in.Query == "" || len(in.Texts) == 0 {
		return jobAnswer{}, badRequest("query", "query, texts: want both (%v)", err)
	}
	list := []any{}
	for _, r := range ranks(in.Query, in.Texts) {
		list = append(list, map[string]any{"index": r.Index, "score": r.Score})
	}
	return asJSON(countTokens(append(in.Texts, in.Query)...), list)
}

// maxPaint bounds what a request can make the server send.
const maxPaint = 16

// imageJob answers with bytes that are no image, a thirty-second of the pixels,
// which is the size that drawings have.
func imageJob(s *Server, _ *http.Request, body []byte) (jobAnswer, *refusal) {
	var in struct {
		Model  string `json:"model"`
		Prompt string `json:"prompt"`
		N      int    `json:"n"`
		Size   string `json:"size"`
	}
	if bad := s.read(body, &in, &in.Model); bad != nil {
		return jobAnswer{}, bad
	}
	width, height := 1024, 1024
	if in.Size != "" {
		if _, err := fmt.Sscanf(in.Size, "%dx%d", &width, &height); err != nil || width < 1 || height < 1 || width > 8192 || height > 8192 {
			return jobAnswer{}, badRequest("size", "size: got %q, want WIDTHxHEIGHT up to 8192", in.Size)
		}
	}
	if in.N = max(1, in.N); in.N > maxPaint {
		return jobAnswer{}, badRequest("n", "n: got %d, want at most %d", in.N, maxPaint)
	}
	data := []any{}
	for range in.N {
		data = append(data, map[string]string{"b64_json": base64.StdEncoding.EncodeToString(make([]byte, width*height/32+1))})
	}
	tokens := countTokens(in.Prompt)
	return asJSON(tokens, map[string]any{"created": time.Now().Unix(), "data": data})
}

// speechJob answers with silence, 60 ms for each character, which is how fast
// people speak.
func speechJob(s *Server, _ *http.Request, body []byte) (jobAnswer, *refusal) {
	var in struct {
		Model string `json:"model"`
		Input string `json:"input"`
	}
	if bad := s.read(body, &in, &in.Model); bad != nil {
		return jobAnswer{}, bad
	}
	if in.Input == "" || len(in.Input) > 100_000 {
		return jobAnswer{}, badRequest("input", "input: got %d characters, want 1 to 100000", len(in.Input))
	}
	samples := make([]byte, 44+len(in.Input)*1920) // 16 kHz, 16 bits
	copy(samples, "RIFF")
	copy(samples[8:], "WAVE")
	return jobAnswer{"audio/wav", samples, countTokens(in.Input)}, nil
}

// transcriptJob hears a word in every 16,000 bytes, which is half a second of
// a plain recording.
func transcriptJob(s *Server, head *http.Request, body []byte) (jobAnswer, *refusal) {
	_, params, err := mime.ParseMediaType(head.Header.Get("Content-Type"))
	if err != nil || params["boundary"] == "" {
		return jobAnswer{}, badRequest("file", "Content-Type: got %q, want multipart/form-data with its boundary", head.Header.Get("Content-Type"))
	}
	form := multipart.NewReader(strings.NewReader(string(body)), params["boundary"])
	heard, found := 0, false
	for {
		part, err := form.NextPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			return jobAnswer{}, badRequest("file", "the form cannot be read: %v", err)
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return jobAnswer{}, badRequest("file", "the form cannot be read: %v", err)
		}
		switch part.FormName() {
		case "file":
			heard, found = len(data), true
		case "model":
			if bad := s.serves(string(data)); bad != nil {
				return jobAnswer{}, bad
			}
		}
	}
	if !found {
		return jobAnswer{}, badRequest("file", "file: want the recording")
	}
	text := strings.TrimSpace(strings.Repeat("word ", 1+heard/16_000))
	tokens := 1 + heard/1600 // twenty a second
	return asJSON(tokens, map[string]any{"text": text,
		"usage": map[string]any{"type": "tokens", "input_tokens": tokens, "output_tokens": countTokens(text), "total_tokens": tokens + countTokens(text)}})
}
