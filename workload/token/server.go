package token

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"assay/secret"
	"assay/visible"
)

// A Server asks an inference server for the tokens of a text, as vLLM and those
// that follow it, llama.cpp and others offer at /tokenize and /detokenize. It has the last word on
// what the server counts, and costs a request for each text.
type Server struct {
	// HTTP makes the requests; its Timeout bounds each of them. Nil means
	// http.DefaultClient.
	HTTP *http.Client
	// URL is where the server lives, without /tokenize.
	URL string
	// Model is the model's name. Empty lets the server choose.
	Model string
	// Specials asks for the tokens a template adds, too.
	Specials bool

	form atomic.Int32 // one above the place in textFields that it understands; 0 before it was asked
}

var _ Tokenizer = (*Server)(nil)

// Name implements Tokenizer. A password in the URL is not reported.
func (s *Server) Name() string { return s.shown("/tokenize") }

// shown is an address of the server as it may be printed.
func (s *Server) shown(path string) string {
	u, err := url.Parse(strings.TrimSuffix(s.URL, "/") + path)
	if err != nil {
		return path
	}
	return u.Redacted()
}

// Digest implements Tokenizer. A server does not show its file, so it is empty.
func (s *Server) Digest() string { return "" }

// textFields are the names under which servers take the text to tokenize: vLLM and
// those that follow it, llama.cpp, GuideLLM's mock.
var textFields = []string{"prompt", "content", "text"}

type tokenizeResponse struct {
	Count  *int    `json:"count"`
	Tokens []int64 `json:"tokens"` // some servers number beyond 32 bits
}

// Encode implements Tokenizer.
func (s *Server) Encode(text string) ([]int32, error) {
	r, err := s.tokenize(text)
	ids := make([]int32, len(r.Tokens))
	for i, id := range r.Tokens {
		if ids[i] = int32(id); int64(ids[i]) != id {
			return nil, fmt.Errorf("%s: id %d does not fit into 32 bits", s.Name(), id)
		}
	}
	return ids, err
}

// Count implements Tokenizer.
func (s *Server) Count(text string) (int, error) {
	r, err := s.tokenize(text)
	return len(r.Tokens), err
}

// tokenize asks in the form that the server has understood before, or in each until
// it understands one.
func (s *Server) tokenize(text string) (tokenizeResponse, error) {
	if known := s.form.Load(); known > 0 {
		return s.tokenizeAs(textFields[known-1], text)
	}
	var first error
	for i, field := range textFields {
		r, err := s.tokenizeAs(field, text)
		if err == nil && (len(r.Tokens) > 0 || text == "") {
			s.form.Store(int32(i + 1))
			return r, nil
		}
		if err == nil {
			err = fmt.Errorf("%s: no tokens for a text", s.Name())
		}
		if first == nil {
			first = err
		}
	}
	return tokenizeResponse{}, first
}

func (s *Server) tokenizeAs(field, text string) (tokenizeResponse, error) {
	request := map[string]any{field: text, "add_special_tokens": s.Specials}
	if s.Model != "" {
		request["model"] = s.Model
	}
	var r tokenizeResponse
	if err := s.post("/tokenize", request, &r); err != nil {
		return tokenizeResponse{}, err
	}
	if r.Count != nil && *r.Count != len(r.Tokens) || r.Count == nil && r.Tokens == nil {
		return tokenizeResponse{}, fmt.Errorf("%s: the answer's count does not agree with its %d tokens", s.Name(), len(r.Tokens))
	}
	return r, nil
}

// Decode implements Tokenizer.
func (s *Server) Decode(ids []int32) (string, error) {
	var r struct{ Prompt, Content, Text *string }
	request := struct {
		Model  string  `json:"model,omitempty"`
		Tokens []int32 `json:"tokens"`
	}{s.Model, append([]int32{}, ids...)}
	if err := s.post("/detokenize", request, &r); err != nil {
		return "", err
	}
	if text := cmp.Or(r.Prompt, r.Content, r.Text); text != nil {
		return *text, nil
	}
	return "", fmt.Errorf("%s: the answer to /detokenize has no prompt", s.Name())
}

// maxAnswer bounds what a server can make us hold for a request of so many bytes. A
// text has no more tokens than bytes, and a token with its number and its spelling is
// written in well below 64.
func maxAnswer(request int) int64 { return 1<<20 + 64*int64(request) }

func (s *Server) post(path string, request, response any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	client := s.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	shown := s.shown(path)
	r, err := client.Post(strings.TrimSuffix(s.URL, "/")+path, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer r.Body.Close()
	limit := maxAnswer(len(body))
	answer, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	if err != nil {
		return fmt.Errorf("%s: %w", shown, err)
	}
	if int64(len(answer)) > limit {
		return fmt.Errorf("%s: the answer to %d bytes has more than %d", shown, len(body), limit)
	}
	if r.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s", shown, r.Status, visible.Line(secret.Head(string(answer), 200)))
	}
	if err := json.Unmarshal(answer, response); err != nil {
		return fmt.Errorf("%s: %w", shown, err)
	}
	return nil
}
