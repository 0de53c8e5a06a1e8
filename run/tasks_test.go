package run

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/bundle"
	"assay/plan"
	"assay/record"
	"assay/sim"
	"assay/sim/simtest"
	"assay/spec"
	"assay/tests/whole"
	"assay/workload/dataset"
	"assay/workload/token"

	"github.com/parquet-go/parquet-go"
)

var quick = sim.Config{Fixed: &sim.Fixed{TTFT: time.Millisecond, ITL: 100 * time.Microsecond, Tokens: 12}}

// fewCalls is a plan of one launch that asks eight requests.
func fewCalls(t *testing.T, url, workload, target string) plan.Plan {
	t.Helper()
	p := planOf(t, fmt.Sprintf(`workload: {model: sim, %s}, target: {url: %q, timeout: 20s%s},
		load: {concurrency: [2], requests: 8, duration: 20s, warmup: {requests: 2}}`, workload, url, target))
	p.Launches = p.Launches[:1]
	return p
}

// asked runs p and returns the measured requests, which must all succeed.
func asked(t *testing.T, p plan.Plan) ([]record.Request, *bundle.Bundle) {
	t.Helper()
	b := carryOut(t, p)
	var list []record.Request
	for _, r := range rows[record.Request](t, b, bundle.Requests) {
		if r.Result != record.OK && r.Result != record.Cut {
			t.Fatalf("request %d: %s %s", r.ID, r.Result, r.Error)
		}
		if r.Phase == record.Measure && r.Result == record.OK {
			list = append(list, r)
		}
	}
	if len(list) < 8 {
		t.Fatalf("%d requests, want at least 8", len(list))
	}
	return list, b
}

// Every task runs from the spec to the records, with every API that serves it in
// the simulator.
func TestTasksRun(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	url := simtest.Serve(t, quick)
	f := func(prompt, api string, items, input int32) {
		t.Helper()
		if api != "" {
			api = ", api: " + api
		}
		list, _ := asked(t, fewCalls(t, url, "prompt: {"+prompt+"}", api))
		seen := map[int64]bool{}
		for _, r := range list {
			seen[r.PromptHash] = true
			switch {
			case items > 0 && (r.Items == nil || *r.Items != items):
				t.Errorf("%s%s: items %v, want %d", prompt, api, r.Items, items)
			case items == 0 && (r.Items != nil || r.UsageOutput == nil || *r.UsageOutput == 0):
				t.Errorf("%s%s: items %v, output tokens %v, want text alone", prompt, api, r.Items, r.UsageOutput)
			case r.AskedInput != input:
				t.Errorf("%s%s: %d tokens in, want %d", prompt, api, r.AskedInput, input)
			case items > 0 && r.Chunks != 0:
				t.Errorf("%s%s: %d events in an answer that is not streamed", prompt, api, r.Chunks)
			}
		}
		if len(seen) != len(list) {
			t.Errorf("%s%s: %d different calls of %d", prompt, api, len(seen), len(list))
		}
	}
	for _, api := range []string{"", "cohere-embed", "tei-embed"} {
		f(`task: text-to-embeddings, scenario: "E(20)", details: {documents: 3}`, api, 3, 60)
	}
	for _, api := range []string{"", "cohere-rerank", "tei-rerank"} {
		f(`task: text-to-rerank, scenario: "R(20,10)", details: {documents: 4}`, api, 4, 90)
	}
	f(`task: image-text-to-text, scenario: "I(64,32,2)", details: {outputTokens: 5, textTokens: 7}`, "", 0, 7)
	for _, api := range []string{"", "cohere-embed"} {
		f(`task: image-to-embeddings, scenario: "I(64,32)"`, api, 1, 0)
	}
	f(`task: text-to-image, scenario: "I(64,32,2)"`, "", 2, 32)
	f(`task: speech-to-text, details: {sound: 600ms}`, "", 0, 0)

	list, _ := asked(t, fewCalls(t, url, `prompt: {task: text-to-speech, scenario: "A(50)", details: {voice: onyx}}`, ""))
	for _, r := range list {
		if r.Items == nil || *r.Items != 1 || r.Bytes < 50*1000 || r.First == nil {
			t.Errorf("speech: items %v, %d bytes, first byte %v", r.Items, r.Bytes, r.First)
		}
	}
}

// Every format of data set runs from its file to the records.
func TestDatasetsRun(t *testing.T) {
	whole.Only(t)
	t.Parallel()
	url := simtest.Serve(t, quick)
	task := map[string]string{"images": "task: image-text-to-text, details: {outputTokens: 4}, ", "sounds": "task: speech-to-text, "}
	for _, format := range dataset.All {
		t.Run(format.Name, func(t *testing.T) {
			path := datasetFile(t, format.Name)
			set, err := dataset.Open(path, dataset.Options{Format: format.Name})
			if err != nil {
				t.Fatal(err)
			}
			list, b := asked(t, fewCalls(t, url, fmt.Sprintf(`datasetRef: "mine@%s", prompt: {%sdataset: {path: %q, format: %s}}`, set.Digest, task[format.Name], path, format.Name), ""))
			seen := map[int64]bool{}
			for _, r := range list {
				seen[r.PromptHash] = true
			}
			if len(seen) != 3 && format.Name != "images" { // each of which goes with another text
				t.Errorf("%d different calls, want the three rows", len(seen))
			}
			if got := b.Manifest.Inputs.Datasets; len(got) != 1 || got[0].Digest != set.Digest {
				t.Errorf("the manifest names %+v", got)
			}
		})
	}
}

// datasetFile writes three rows in a format.
func datasetFile(t *testing.T, format string) string {
	t.Helper()
	files := map[string]map[string]string{
		"text":     {"a.txt": "one\ntwo\nthree\n"},
		"jsonl":    {"a.jsonl": `{"prompt":"one"}` + "\n" + `"two"` + "\n" + `{"prompt":"three","outputTokens":3}` + "\n"},
		"json":     {"a.json": `[{"prompt":"one"},{"prompt":"two"},{"prompt":"three"}]`},
		"sharegpt": {"a.json": `[` + strings.Join([]string{turns("one"), turns("two"), turns("three")}, ",") + `]`},
		"csv":      {"a.csv": "prompt,answer\none,x\ntwo,y\nthree,z\n"},
		"images":   {"a.png": "one", "b.jpg": "two", "c.webp": "three"},
		"sounds":   {"a.wav": "one", "b.mp3": "two", "c.flac": "three"},
	}
	dir := t.TempDir()
	if format == "parquet" {
		return parquetFile(t, dir)
	}
	last := ""
	for name, text := range files[format] {
		last = filepath.Join(dir, name)
		if err := os.WriteFile(last, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if len(files[format]) == 3 {
		return dir
	}
	return last
}

func parquetFile(t *testing.T, dir string) string {
	t.Helper()
	type row struct {
		Prompt string `parquet:"prompt"`
	}
	path := filepath.Join(dir, "a.parquet")
	if err := parquet.WriteFile(path, []row{{"one"}, {"two"}, {"three"}}); err != nil {
		t.Fatal(err)
	}
	return path
}

func turns(prompt string) string {
	return fmt.Sprintf(`{"conversations":[{"from":"human","value":%q},{"from":"gpt","value":"yes"}]}`, prompt)
}

// Prompts that share a prefix find it in the server's cache, others do not; the
// mix of lengths is what is asked.
func TestPrefixRuns(t *testing.T) {
	t.Parallel()
	url := simtest.Serve(t, sim.Config{Engine: sim.Engine{Cost: sim.Cost{Base: 100 * time.Microsecond}}})
	const mix = `tokenizer: {kind: server}, sequenceLengthMix: [{inputTokens: 200, outputTokens: 2, weight: 0.5}, {inputTokens: 300, outputTokens: 3, weight: 0.5}], `
	f := func(prompt string, least, most int32) {
		t.Helper()
		list, _ := asked(t, fewCalls(t, url, mix+"prompt: {"+prompt+"}", ""))
		for _, r := range list {
			if r.UsageCached == nil || *r.UsageCached < least || *r.UsageCached > most {
				t.Errorf("%s: %v tokens from the cache, want %d to %d", prompt, *r.UsageCached, least, most)
			}
			if !(r.AskedInput == 200 && r.AskedOutput == 2 || r.AskedInput == 300 && r.AskedOutput == 3) {
				t.Errorf("%d in and %d out are not in the mix", r.AskedInput, r.AskedOutput)
			}
		}
	}
	// The cache holds blocks of 16 tokens, and the template stands before.
	f("prefixTokens: 160", 144, 176)
	f("prefixRatio: 0.5", 80, 176)
	f("distribution: fixed", 0, 15)
}

// tokenizerFile writes the embedded tokenizer, which is a valid file of its kind.
func tokenizerFile(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "workload", "token", "default.tokenizer.json"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "tokenizer.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A named file makes prompts of exactly the asked length and counts answers,
// however the server packs them and whatever it counts.
func TestTokenizerFile(t *testing.T) {
	cfg := quick
	cfg.TokensPerChunk = 5
	url := simtest.Serve(t, cfg)
	path := tokenizerFile(t)
	fields := fmt.Sprintf(`tokenizer: {path: %q, digest: %q}, prompt: {scenario: "D(100,12)"}`, path, token.Default().Digest())
	list, b := asked(t, fewCalls(t, url, fields, ""))
	keep := fewCalls(t, url, fields, "")
	keep.Run.Spec.Load.KeepAnswers = true
	kept, _ := asked(t, keep)
	for i, r := range list {
		if r.AskedInput != 100 || r.TokenizerOutput == nil || r.Text != "" {
			t.Fatalf("%d tokens in, %v counted out, text %q; want 100, a count and no text", r.AskedInput, r.TokenizerOutput, r.Text)
		}
		want, err := token.Default().Count(kept[i].Text)
		if err != nil || kept[i].Text == "" || int(*kept[i].TokenizerOutput) != want {
			t.Errorf("%d tokens counted in %q, want %d, %v", *kept[i].TokenizerOutput, kept[i].Text, want, err)
		}
		if r.Chunks >= 12 {
			t.Errorf("%d events for 12 tokens: the server did not pack them", r.Chunks)
		}
	}
	in := b.Manifest.Inputs.Tokenizer
	if in == nil || in.Name != "tokenizer.json" || in.Digest != token.Default().Digest() || b.Manifest.Environment["tokenizer.kind"].Value != spec.TokenizerFile {
		t.Errorf("the manifest names %+v, kind %v", in, b.Manifest.Environment["tokenizer.kind"])
	}
	other := fewCalls(t, url, fmt.Sprintf(`tokenizer: {path: %q, digest: "sha256:%s"}`, path, strings.Repeat("0", 64)), "")
	if _, err := readInputs(other); err == nil || !strings.Contains(err.Error(), token.Default().Digest()) {
		t.Errorf("another content: %v, want an error that names its digest", err)
	}
}

// The server's own count: what is asked is what it counts, and the template on
// top is the same for every request.
func TestTokenizerServer(t *testing.T) {
	url := simtest.Serve(t, quick)
	list, b := asked(t, fewCalls(t, url, `tokenizer: {kind: server}, prompt: {scenario: "N(80,20)/(5,1)"}`, ""))
	lengths := map[int32]bool{}
	for _, r := range list {
		lengths[r.AskedInput] = true
		if more := *r.UsageInput - r.AskedInput; more != *list[0].UsageInput-list[0].AskedInput || more < 1 || more > 9 {
			t.Errorf("the server counts %d for %d asked", *r.UsageInput, r.AskedInput)
		}
	}
	if len(lengths) < 2 {
		t.Error("all prompts have one length")
	}
	if in := b.Manifest.Inputs.Tokenizer; in == nil || !strings.HasSuffix(in.Name, "/tokenize") || in.Unavailable == "" {
		t.Errorf("the manifest names %+v", in)
	}
	plain, _ := asked(t, fewCalls(t, url, `tokenizer: {kind: server}, prompt: {scenario: "D(100,5)"}`, ", api: openai-completions"))
	for _, r := range plain {
		if *r.UsageInput != 100 || r.AskedInput != 100 {
			t.Errorf("the server counts %d for %d asked, want 100 without a template", *r.UsageInput, r.AskedInput)
		}
	}
}

// A server without /tokenize is told, with what to do.
func TestTokenizerServerMissing(t *testing.T) {
	url := serverOf(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/tokenize" {
			http.NotFound(w, r)
			return
		}
		reply(w)
	})
	p := fewCalls(t, url, `tokenizer: {kind: server}`, "")
	in, err := readInputs(p)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := connect(p, lookup(nil))
	if err != nil {
		t.Fatal(err)
	}
	if err := in.learn(t.Context(), conn); err == nil || !strings.Contains(err.Error(), "name the tokenizer's file instead") || !strings.Contains(err.Error(), "404") {
		t.Errorf("got %v", err)
	}
}
