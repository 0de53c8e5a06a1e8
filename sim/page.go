package sim

import (
	"bytes"
	"encoding/json"

	"github.com/prometheus/common/expfmt"
)

func (s *Server) health([]byte) (int, string, []byte) {
	if !s.ready() {
		return 503, "text/plain", []byte("starting\n")
	}
	return 200, "text/plain", []byte("ok\n")
}

func (s *Server) models([]byte) (int, string, []byte) {
	type model struct {
		ID          string `json:"id"`
		Object      string `json:"object"`
		Created     int64  `json:"created"`
		OwnedBy     string `json:"owned_by"`
		MaxModelLen int    `json:"max_model_len"`
	}
	return jsonPage(struct {
		Object string  `json:"object"`
		Data   []model `json:"data"`
	}{"list", []model{{s.cfg.Model, "model", s.started.Unix(), "assay-sim", s.cfg.MaxModelLen}}})
}

// Version is the version of the simulator's behaviour. It grows when the same
// configuration and seeds would give another schedule or other words.
const Version = "1"

func (s *Server) version([]byte) (int, string, []byte) {
	return jsonPage(struct {
		Version string `json:"version"`
	}{Version})
}

// tokenizePage answers as vLLM's route does, for a prompt or for messages.
func (s *Server) tokenizePage(body []byte) (int, string, []byte) {
	var in struct {
		Prompt   json.RawMessage `json:"prompt"`
		Messages json.RawMessage `json:"messages"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return refusalPage(badRequest("", "the body is not a valid request: %v", err))
	}
	var prompts [][]token
	var bad *refusal
	if in.Messages != nil {
		prompts, bad = chatPrompt(in.Messages)
	} else {
		prompts, bad = textPrompts(in.Prompt)
	}
	if bad != nil {
		return refusalPage(bad)
	}
	return jsonPage(struct {
		Count       int     `json:"count"`
		MaxModelLen int     `json:"max_model_len"`
		Tokens      []token `json:"tokens"`
	}{len(prompts[0]), s.cfg.MaxModelLen, prompts[0]})
}

func (s *Server) detokenizePage(body []byte) (int, string, []byte) {
	var in struct {
		Tokens []token `json:"tokens"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return refusalPage(badRequest("tokens", "the body is not a valid request: %v", err))
	}
	text, err := detokenize(in.Tokens)
	if err != nil {
		return refusalPage(badRequest("tokens", "%v", err))
	}
	return jsonPage(struct {
		Prompt string `json:"prompt"`
	}{text})
}

func jsonPage(v any) (int, string, []byte) {
	body, _ := json.Marshal(v) // plain structs always have a JSON form
	return 200, "application/json", body
}

func refusalPage(r *refusal) (int, string, []byte) { return r.status, "application/json", r.body() }

// metricsPage shows what vLLM shows, in Prometheus' text format.
func (s *Server) metricsPage([]byte) (int, string, []byte) {
	var b bytes.Buffer
	for _, f := range s.meter.families(s.factor, s.cfg.Model) {
		_, _ = expfmt.MetricFamilyToText(&b, f) // a buffer takes everything, and our families are whole
	}
	return 200, string(expfmt.NewFormat(expfmt.TypeTextPlain)), b.Bytes()
}
