package run

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"math"
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
	"assay/workload/trace"
)

// write puts a file into a folder of the test and returns its path and digest.
func write(t *testing.T, name, text string) (path, digest string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path, fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(text)))
}

// A trace of 24 requests, 50 ms apart. Every third begins with two blocks that
// all of those share.
func mooncakeTrace() string {
	var b strings.Builder
	for i := range 24 {
		ids := fmt.Sprintf("[%d]", 100+i)
		input := 300
		if i%3 == 0 {
			ids, input = fmt.Sprintf("[1, 2, %d]", 200+i), 1200
		}
		fmt.Fprintf(&b, "{\"timestamp\": %d, \"input_length\": %d, \"output_length\": %d, \"hash_ids\": %s}\n", 1000+50*i, input, 2+i%4, ids)
	}
	return b.String()
}

func tracePlan(t *testing.T, url, load string) plan.Plan {
	t.Helper()
	p := planOf(t, fmt.Sprintf(`workload: {model: sim, concurrencyModel: open_loop}, target: {url: %q, timeout: 20s}, load: %s`, url, load))
	p.Launches = p.Launches[:1]
	return p
}

// A replay asks what was recorded, when it was recorded, and the simulator's
// prefix cache finds what the recorded prompts shared.
func TestReplay(t *testing.T) {
	t.Parallel()
	path, digest := write(t, "trace.jsonl", mooncakeTrace())
	url := simtest.Serve(t, sim.Config{Engine: sim.Engine{KVBlocks: 100_000}})
	p := tracePlan(t, url, fmt.Sprintf(`{traceRef: "mine@%s", trace: {path: %q, format: mooncake, from: 1100ms, limit: 20}, traceScale: 2, duration: 10s, warmup: {duration: 250ms}}`, digest, path))
	b := carryOut(t, p)

	begin := event(t, b, record.WindowBegin).At
	byID := map[int64]record.Request{}
	for _, r := range rows[record.Request](t, b, bundle.Requests) {
		byID[r.ID] = r
	}
	if len(byID) != 20 {
		t.Fatalf("%d requests, want 20", len(byID))
	}
	cached := 0
	for k := range 20 {
		r := byID[int64(k)]
		i := k + 2 // those before 1.1 s are left out
		due := int64(k) * 100e6
		phase := record.Measure
		if due < 250e6 {
			phase = record.Warmup
		}
		input := int32(300)
		if i%3 == 0 {
			input = 1200
		}
		if r.Result != record.OK || r.Due-begin != due-250e6 || r.Phase != phase || r.AskedInput != input || r.AskedOutput != int32(2+i%4) {
			t.Errorf("request %d: %s %s, due %d, %s, %d in, %d out", k, r.Result, r.Error, r.Due-begin, r.Phase, r.AskedInput, r.AskedOutput)
		}
		if r.UsageOutput == nil || *r.UsageOutput != r.AskedOutput {
			t.Errorf("request %d: the server says %v tokens, want %d", k, r.UsageOutput, r.AskedOutput)
		}
		if r.UsageCached != nil && *r.UsageCached > 0 {
			cached++
			// The simulator has a tokenizer of its own, so the share is what holds.
			share := float64(*r.UsageCached) / float64(*r.UsageInput)
			if input != 1200 || math.Abs(share-1024.0/1200) > 0.03 {
				t.Errorf("request %d of %d tokens found %v of them in the cache, want the 1024 that are shared", k, input, share)
			}
		}
	}
	if cached != 6 {
		t.Errorf("%d requests found their prefix in the cache, want 6: all that share one but the first", cached)
	}

	data, err := b.ReadFile("raw/launch-00/trace-00.json")
	if err != nil {
		t.Fatal(err)
	}
	var used Replayed
	if err := json.Unmarshal(data, &used); err != nil {
		t.Fatal(err)
	}
	if used.Name != "mine" || used.Digest != digest || used.Requests != 24 || used.Chosen != 20 || used.Used != 20 || math.Abs(used.Share-20.0/24) > 1e-9 || used.Scale != 2 {
		t.Errorf("used %+v", used)
	}
	if want := 6 * 1024.0 / (7*1200 + 13*300); math.Abs(used.SharedInput-want) > 1e-9 {
		t.Errorf("shared input %v, want %v", used.SharedInput, want)
	}
	// Calls 3 to 19 are measured, from 250 ms to the last at 1,900 ms.
	if want := 17 / 1.65; math.Abs(used.OfferedRate-want) > 0.01 || math.Abs(used.RecordedRate-20/0.95) > 1e-9 {
		t.Errorf("offered %v/s, recorded %v/s; want %v and %v", used.OfferedRate, used.RecordedRate, want, 20/0.95)
	}
	if got := b.Manifest.Inputs.Datasets; len(got) != 1 || got[0].Name != "mine" || got[0].Digest != digest {
		t.Errorf("the manifest names %+v", got)
	}
	file, err := b.ReadFile("raw/launch-00/schedule-00.json")
	if err != nil {
		t.Fatal(err)
	}
	var stored struct{ Gaps []int64 }
	last := int64(0)
	err = json.Unmarshal(file, &stored)
	for _, gap := range stored.Gaps {
		last += gap
	}
	if err != nil || len(stored.Gaps) != 20 || last != 1900e6 {
		t.Errorf("the stored schedule has %+v (%v)", stored, err)
	}
}

// Load goes on with the recording until the last measured call has ended.
func TestReplayGoesOn(t *testing.T) {
	path, _ := write(t, "trace.jsonl", mooncakeTrace())
	url := simtest.Serve(t, sim.Config{Fixed: &sim.Fixed{TTFT: 300 * time.Millisecond}})
	b := carryOut(t, tracePlan(t, url, fmt.Sprintf(`{traceRef: %q, trace: {format: mooncake}, duration: 300ms, warmup: {}}`, path)))
	phases := map[record.Phase]int{}
	for _, r := range rows[record.Request](t, b, bundle.Requests) {
		phases[r.Phase]++
	}
	if phases[record.Measure] != 6 || phases[record.Cooldown] < 3 {
		t.Errorf("phases %v, want 6 measured and the calls behind them", phases)
	}
}

// Parts of a plan that replays a trace ask together what the whole asks.
func TestReplayShards(t *testing.T) {
	t.Parallel()
	path, _ := write(t, "trace.jsonl", mooncakeTrace())
	url := serverOf(t, func(w http.ResponseWriter, _ *http.Request) { reply(w) })
	whole := tracePlan(t, url, fmt.Sprintf(`{traceRef: %q, trace: {format: mooncake}, traceScale: 0.2, duration: 10s, warmup: {}}`, path))
	type call struct{ due, hash int64 }
	of := func(p plan.Plan) map[int64]call {
		b := carryOut(t, p)
		begin := event(t, b, record.WindowBegin).At
		calls := map[int64]call{}
		for _, r := range rows[record.Request](t, b, bundle.Requests) {
			calls[r.ID] = call{r.Due - begin, r.PromptHash}
		}
		return calls
	}
	union := map[int64]call{}
	for index := range 2 {
		shard, err := whole.Shard(index, 2)
		if err != nil {
			t.Fatal(err)
		}
		part := of(shard)
		if len(part) != 12 {
			t.Errorf("shard %d sent %d calls, want 12", index, len(part))
		}
		maps.Copy(union, part)
	}
	if want := of(whole); !maps.Equal(union, want) || len(want) != 24 {
		t.Errorf("two shards sent %d calls, the whole %d: want the same 24", len(union), len(want))
	}
}

// Every format that can be read can be replayed, and two plans of one document
// ask the same.
func TestReplayFormats(t *testing.T) {
	guide, err := os.ReadFile("../docs/guides/replay.md")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, format := range trace.All {
		names = append(names, format.Name)
		if !strings.Contains(string(guide), "`"+format.Name+"`") {
			t.Errorf("the guide does not name %s", format.Name)
		}
		path, err := filepath.Abs("../workload/trace/testdata/" + format.Name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		load := fmt.Sprintf(`{traceRef: %q, trace: {format: %s, ignoreImages: true}, duration: 1h, warmup: {}}`, path, format.Name)
		var calls [2][]record.Call
		for i := range calls {
			p := tracePlan(t, "http://127.0.0.1:1", load)
			r, err := readTrace(p)
			if err != nil {
				t.Fatal(err)
			}
			s, err := r.schedule(p, p.Points[0])
			if err != nil {
				t.Fatalf("%s: %v", format.Name, err)
			}
			source, err := r.source(plan.Seed(p.Launches[0].Seed, "workload", 0), nil)
			if err != nil {
				t.Fatal(err)
			}
			for k := range s.Due {
				calls[i] = append(calls[i], source.Call(0, int64(k)))
			}
		}
		a, _ := json.Marshal(calls[0])
		b, _ := json.Marshal(calls[1])
		if string(a) != string(b) || len(calls[0]) == 0 {
			t.Errorf("%s: two plans ask %d and %d calls: want the same", format.Name, len(calls[0]), len(calls[1]))
		}
	}
	if got := spec.Vocabularies["traceFormats"]; strings.Join(got, " ") != strings.Join(names, " ") {
		t.Errorf("a spec may name %v, there are %v", got, names)
	}
}

func TestReplayRefusals(t *testing.T) {
	path, digest := write(t, "trace.jsonl", mooncakeTrace())
	images, _ := write(t, "images.csv", "TIMESTAMP,ContextTokens,GeneratedTokens,NumImages\n2025-01-01 00:00:00,10,5,2\n")
	chat, _ := write(t, "chat.jsonl", `{"timestamp": 0, "output_length": 4, "messages": [{"role": "user", "content": "hi"}]}`)
	f := func(load, target, want string) {
		t.Helper()
		_, err := accept(planOf(t, `workload: {model: m, concurrencyModel: open_loop}, target: {url: "http://127.0.0.1:1"`+target+`}, load: `+load))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", load, err, want)
		}
	}
	f(fmt.Sprintf(`{traceRef: %q, trace: {format: mooncake}}`, path), "", "")
	f(fmt.Sprintf(`{traceRef: "%s", trace: {path: %q, format: mooncake}}`, digest, path), "", "")
	f(fmt.Sprintf(`{traceRef: "sha256:%s", trace: {path: %q, format: mooncake}}`, strings.Repeat("0", 64), path), "", digest)
	f(`{traceRef: none.jsonl, trace: {format: mooncake}}`, "", "none.jsonl")
	f(fmt.Sprintf(`{traceRef: %q, trace: {format: weka}}`, path), "", "weka trace")
	f(fmt.Sprintf(`{traceRef: %q, trace: {format: mooncake, from: 1h}}`, path), "", "widen spec.load.trace")
	f(fmt.Sprintf(`{traceRef: %q, trace: {format: azure-2025}}`, images), "", "ignoreImages")
	f(fmt.Sprintf(`{traceRef: %q, trace: {format: azure-2025, ignoreImages: true}}`, images), "", "")
	f(fmt.Sprintf(`{traceRef: %q, trace: {format: mooncake}}`, chat), ", api: tgi", "want a chat API")
	f(fmt.Sprintf(`{traceRef: %q, trace: {format: mooncake}}`, chat), "", "")
}
