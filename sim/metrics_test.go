package sim

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// scrape reads the metrics page with Prometheus' own parser.
func scrape(t *testing.T, addr string) map[string]*dto.MetricFamily {
	t.Helper()
	status, page := call(t, "GET", "http://"+addr+"/metrics", "")
	if status != 200 {
		t.Fatalf("status %d", status)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(page))
	if err != nil {
		t.Fatalf("%v in\n%s", err, page)
	}
	return families
}

// settled scrapes until the engine has counted so many choices as ended: a client
// may have its answer a moment earlier.
func settled(t *testing.T, addr string, ended float64) map[string]*dto.MetricFamily {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(ms) {
		families := scrape(t, addr)
		got := 0.0
		for _, m := range families["vllm:request_success_total"].GetMetric() {
			got += m.GetCounter().GetValue()
		}
		running := families["vllm:num_requests_running"].GetMetric()[0].GetGauge().GetValue()
		if got == ended && running == 0 || time.Now().After(deadline) {
			return families
		}
	}
}

// oddName has what a metrics page must escape, and what it must not.
const oddName = "quo\"ted\tname"

func TestMetricsPage(t *testing.T) {
	_, addr := serve(t, Config{Model: oddName, Engine: Engine{Cost: Cost{Base: ms}}})
	prompt := bytes.Repeat([]byte(" abc"), 40)
	for range 2 {
		status, reply := call(t, "POST", "http://"+addr+textPath, `{"prompt":"`+string(prompt)+`","max_tokens":6,"ignore_eos":true}`)
		if status != 200 {
			t.Fatalf("status %d, %s", status, reply)
		}
	}
	families := settled(t, addr, 2)
	values := map[string]float64{
		"vllm:num_requests_running": 0, "vllm:num_requests_waiting": 0,
		"vllm:kv_cache_usage_perc": 0, "vllm:gpu_cache_usage_perc": 0,
		"vllm:num_preemptions_total": 0,
		"vllm:prompt_tokens_total":   80, "vllm:generation_tokens_total": 12,
		"vllm:prefix_cache_queries_total": 80, "vllm:prefix_cache_hits_total": 32,
		"assay_sim_launch_factor": 1,
	}
	for name, want := range values {
		family := families[name]
		if family == nil {
			t.Errorf("%s is missing", name)
			continue
		}
		m := family.Metric[0]
		if got := m.GetGauge().GetValue() + m.GetCounter().GetValue(); got != want {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
		if label := m.Label[0]; label.GetName() != "model_name" || label.GetValue() != oddName {
			t.Errorf("%s has the label %v", name, label)
		}
	}
	counts := map[string]uint64{
		"vllm:time_to_first_token_seconds": 2, "vllm:inter_token_latency_seconds": 10,
		"vllm:time_per_output_token_seconds": 10, "vllm:e2e_request_latency_seconds": 2,
		"vllm:request_queue_time_seconds": 2,
	}
	for name, want := range counts {
		if got := families[name].GetMetric()[0].GetHistogram().GetSampleCount(); got != want {
			t.Errorf("%s has %d samples, want %d", name, got, want)
		}
	}
	success := families["vllm:request_success_total"].GetMetric()
	if len(success) != 2 || success[1].GetCounter().GetValue() != 2 {
		t.Errorf("vllm:request_success_total is %v, want 2 by length", success)
	}
}

func TestHistogramBuckets(t *testing.T) {
	h := newHistogram([]float64{0.001, 0.01})
	for _, ns := range []int64{1, 1e6, 1e6 + 1, 5e9} {
		h.observe(ns)
	}
	for i, want := range []int64{2, 1, 1} {
		if got := h.counts[i].Load(); got != want {
			t.Errorf("bucket %d holds %d, want %d", i, got, want)
		}
	}
}

func TestTokenizePages(t *testing.T) {
	_, addr := serve(t, Config{})
	_, reply := call(t, "POST", "http://"+addr+"/tokenize", `{"prompt":"hello world"}`)
	var split struct {
		Count  int
		Tokens []token
	}
	if err := json.Unmarshal(reply, &split); err != nil || split.Count != 4 || len(split.Tokens) != 4 {
		t.Fatalf("tokenize: %s, %v; want 4 tokens", reply, err)
	}
	ask, err := json.Marshal(map[string]any{"tokens": split.Tokens})
	if err != nil {
		t.Fatal(err)
	}
	if _, reply = call(t, "POST", "http://"+addr+"/detokenize", string(ask)); string(reply) != `{"prompt":"hello world"}` {
		t.Errorf("detokenize: %s", reply)
	}
	// What the tokenizer counts for messages is what the usage says.
	const chat = `{"messages":[{"role":"user","content":"hello"}]`
	_, reply = call(t, "POST", "http://"+addr+"/tokenize", chat+"}")
	if err := json.Unmarshal(reply, &split); err != nil {
		t.Fatal(err)
	}
	var whole answer
	_, reply = call(t, "POST", "http://"+addr+chatPath, chat+`,"max_tokens":1}`)
	if err := json.Unmarshal(reply, &whole); err != nil || whole.Usage.PromptTokens != split.Count {
		t.Errorf("tokenize counts %d, usage says %s (%v)", split.Count, reply, err)
	}
	for path, body := range map[string]string{"/tokenize": `{"prompt":7}`, "/detokenize": `{"tokens":[-5]}`} {
		if status, reply := call(t, "POST", "http://"+addr+path, body); status != 400 {
			t.Errorf("%s of %s: status %d, %s; want 400", path, body, status, reply)
		}
	}
}

// The answer of one turn, sent back as history, is found in the prefix cache.
func TestPrefixCacheHoldsOverTurns(t *testing.T) {
	_, addr := serve(t, Config{Engine: Engine{Cost: Cost{Base: ms}}})
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	history := []message{{"user", "tell me a story about the sea, and make it long"}}
	cached, total := 0, 0
	for range 3 {
		ask, err := json.Marshal(map[string]any{"messages": history, "max_tokens": 40, "ignore_eos": true})
		if err != nil {
			t.Fatal(err)
		}
		_, reply := call(t, "POST", "http://"+addr+chatPath, string(ask))
		var a answer
		if err := json.Unmarshal(reply, &a); err != nil {
			t.Fatalf("%v in %s", err, reply)
		}
		// All that came before this turn, but for the block it ends in.
		if want := total / blockTokens * blockTokens; a.Usage.Details.CachedTokens < want-blockTokens || want > 0 && a.Usage.Details.CachedTokens == 0 {
			t.Errorf("%d tokens cached, want about %d", a.Usage.Details.CachedTokens, want)
		}
		cached += a.Usage.Details.CachedTokens
		total = a.Usage.PromptTokens + a.Usage.CompletionTokens
		history = append(history, message{"assistant", a.Choices[0].Message.Content}, message{"user", "go on"})
	}
	if cached == 0 {
		t.Error("nothing was ever cached")
	}
}

// The page is read every second beside a measurement, by a thread that streams do not
// wait for; it should stay below a millisecond.
func BenchmarkMetricsPage(b *testing.B) {
	s := &Server{cfg: Config{Model: "sim"}, meter: newMeter(false), factor: 1}
	for b.Loop() {
		s.metricsPage(nil)
	}
}
