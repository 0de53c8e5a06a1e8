package main

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/bundle"
	"assay/plan"
	"assay/report/faces"
	"assay/sim"
	"assay/tests/whole"
)

// manual is the first command line of genai-bench's manual, option by option.
var manual = [][]string{
	{"--api-backend", "openai"},
	{"--api-base", "http://localhost:8082"},
	{"--api-key", "your-openai-api-key"},
	{"--api-model-name", "meta-llama/Meta-Llama-3-70B-Instruct"},
	{"--model-tokenizer", "/mnt/data/models/Meta-Llama-3.1-70B-Instruct"},
	{"--task", "text-to-text"},
	{"--max-time-per-run", "15"},
	{"--max-requests-per-run", "300"},
	{"--server-engine", "SGLang"},
	{"--server-gpu-type", "H100"},
	{"--server-version", "v0.6.0"},
	{"--server-gpu-count", "4"},
}

// manualFor is that command line pointed at another server, with more options
// behind it or in place of its own.
func manualFor(url string, more ...[]string) [][]string {
	list := slices.Clone(manual)
	for _, option := range append([][]string{{"--api-base", url}}, more...) {
		if i := slices.IndexFunc(manual, func(o []string) bool { return o[0] == option[0] }); i >= 0 {
			list[i] = option
			continue
		}
		list = append(list, option)
	}
	return list
}

// shuffled is the command line with its options in another order.
func shuffled(rng *rand.Rand, verb string, options [][]string) []string {
	options = slices.Clone(options)
	rng.Shuffle(len(options), func(i, j int) { options[i], options[j] = options[j], options[i] })
	return append([]string{verb}, slices.Concat(options...)...)
}

// benchServer is a simulator that serves the manual's model.
func benchServer(t *testing.T) string {
	t.Helper()
	s, err := sim.New(sim.Config{
		Model: "meta-llama/Meta-Llama-3-70B-Instruct",
		Fixed: &sim.Fixed{TTFT: 5 * time.Millisecond, ITL: time.Millisecond, Tokens: 6},
	})
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
			t.Error(err)
		}
		if err := <-served; err != http.ErrServerClosed {
			t.Error(err)
		}
	})
	return "http://" + l.Addr().String()
}

// The manual's command line, pointed at the simulator, asks for all 45 points, in
// whatever order its options come.
func TestBenchTakesTheManual(t *testing.T) {
	options := append(manualFor(benchServer(t)), []string{"--print-spec"}, []string{"--genai-bench-sweep"}, []string{"--seed", "1"})
	rng := rand.New(rand.NewPCG(1, 2))
	var first string
	for range 10 {
		printed, story, code := call(t, shuffled(rng, "bench", options)...)
		if code != exitOK {
			t.Fatalf("exit %d\n%s", code, story)
		}
		if first == "" {
			first = printed
		}
		if printed != first {
			t.Fatalf("another order gives another spec:\n%s\nand\n%s", first, printed)
		}
		if text := printed + story; strings.Contains(text, "your-openai-api-key") || !strings.Contains(story, "set ASSAY_API_KEY before assay run") {
			t.Errorf("the key is shown, or nobody says where it must be:\n%s", text)
		}
	}
	document, err := parseRun("printed.yaml", []byte(first))
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(document)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Points) != 45 || p.Points[44].Name != "D(7800,200) concurrency=256" || p.Points[44].Requests != 300 || p.Points[44].Duration.Seconds() != 900 {
		t.Errorf("%d points, the last %+v", len(p.Points), p.Points[len(p.Points)-1])
	}
}

// The same command line with smaller limits runs, leaves a sealed bundle with
// every face, follows the spec that it prints, and shows its key to nobody.
func TestBenchRunsTheManual(t *testing.T) {
	whole.Only(t)
	t.Parallel() // it mostly waits for what it measures
	const secret = "canary-bench-4d3a91"
	options := manualFor(benchServer(t),
		[]string{"--api-key", secret}, []string{"--max-time-per-run", "2s"}, []string{"--max-requests-per-run", "6"},
		[]string{"--traffic-scenario", "D(60,5)"}, []string{"--traffic-scenario", "N(40,10)/(8,2)"},
		[]string{"--num-concurrency", "1"}, []string{"--num-concurrency", "3"},
		[]string{"--seed", "5"}, []string{"--warmup-ratio", "0.1"}, []string{"--slo", "ttft:p99<300ms"}, []string{"--num-workers", "4"})
	rng := rand.New(rand.NewPCG(3, 4))
	out := t.TempDir()
	args := shuffled(rng, "benchmark", options)
	stdout, stderr, code := call(t, append(args, "--experiment-base-dir", out)...)
	if code != exitOK {
		t.Fatalf("exit %d\n%s\n%s", code, stdout, stderr)
	}
	if !strings.Contains(stdout, "N(40,10)/(8,2) × 3 ") {
		t.Errorf("no row of the last point:\n%s", stdout)
	}
	stdout, _, _ = call(t, "report", "--all", onlyBundle(t, out))
	for _, want := range []string{"N(40,10)/(8,2) concurrency=3", "SGLang v0.6.0, 4 × H100 (declared, not measured)", "3 of 3 planned launches completed"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the report does not say %q:\n%s", want, stdout)
		}
	}
	if !strings.Contains(stderr, "--num-workers does nothing here") {
		t.Errorf("nobody says what --num-workers does:\n%s", stderr)
	}
	dir := between(t, stderr, "bundle ", "\n")
	b, err := bundle.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range faces.All {
		if _, err := b.ReadFile("report/" + format.File); err != nil {
			t.Errorf("the bundle has no %s: %v", format.Name, err)
		}
	}
	if _, _, code := call(t, "verify", dir); code != exitOK {
		t.Errorf("the bundle does not verify: exit %d", code)
	}

	printed, _, code := call(t, append(args, "--print-spec")...)
	if code != exitOK {
		t.Fatalf("--print-spec: exit %d", code)
	}
	document, err := parseRun("printed.yaml", []byte(printed))
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(document)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if sealed, err := b.ReadFile(bundle.PlanFile); err != nil || !bytes.Equal(sealed, encoded) {
		t.Errorf("the printed spec has another plan than the bundle (%v)", err)
	}

	noSecret(t, secret, dir, stdout, stderr, printed)
}

// An address is enough: the model, the requests and the seed are found, and what was
// chosen is said in a few lines, with the time that it takes first.
func TestBenchOfAnAddress(t *testing.T) {
	whole.Only(t)
	t.Parallel() // it mostly waits for what it measures
	url, out := benchServer(t), t.TempDir()
	args := []string{"bench", url, "--num-prompts", "4", "--concurrency", "1", "--input-tokens", "20", "--output-tokens", "4", "--duration", "2s", "--warmup", "0s", "--out", out, "--progress", "none"}
	stdout, stderr, code := call(t, args...)
	if code != exitOK || !strings.Contains(stdout, "\nusers ") {
		t.Fatalf("exit %d\n%s\n%s", code, stdout, stderr)
	}
	for _, want := range []string{"model meta-llama/Meta-Llama-3-70B-Instruct, the only one at " + url, "measuring D(20,4) at 1 users", "takes at most 6 s (seed "} {
		if !strings.Contains(stderr, want) {
			t.Errorf("nobody says %q:\n%s", want, stderr)
		}
	}
	if lines := strings.Count(stderr, "\n"); lines > 6 {
		t.Errorf("%d lines before the results, want a few:\n%s", lines, stderr)
	}
	if _, stderr, code := call(t, append(args, "--quiet")...); code != exitOK || stderr != "" {
		t.Errorf("--quiet: exit %d, stderr %q", code, stderr)
	}
}

// noSecret looks for a secret in what was printed and in every file of a bundle.
func noSecret(t *testing.T, secret, dir string, printed ...string) {
	t.Helper()
	if strings.Contains(strings.Join(printed, ""), secret) {
		t.Error("the key is printed")
	}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(secret)) {
			t.Errorf("the key is in %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestBenchRefuses(t *testing.T) {
	t.Parallel()
	f := func(want string, args ...string) {
		t.Helper()
		_, stderr, code := call(t, append([]string{"bench"}, args...)...)
		if code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit %d, want %d and %q:\n%s", args, code, exitUsage, want, stderr)
		}
	}
	f("missing argument: the address of the server, as in assay bench")
	f("want at most one", "http://127.0.0.1:1", "http://127.0.0.1:2")
	f("unknown flag", "--frobnicate")
	f("--upload-results: assay does not upload", "--url", "http://127.0.0.1:1", "--model", "m", "--upload-results")
	f(`--slo "ttft>3": ttft is better when it is lower`, "--url", "http://127.0.0.1:1", "--model", "m", "--slo", "ttft>3")
	f("does not shape text-to-text", "--url", "http://127.0.0.1:1", "--model", "m", "--traffic-scenario", "E(64)")
	f("want one of", "--url", "http://127.0.0.1:1", "--model", "m", "--format", "pdf")
}
