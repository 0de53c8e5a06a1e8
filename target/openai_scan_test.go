package target

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// usualEvents are events as servers send them. Nobody may need the general
// decoder for any of these.
var usualEvents = []string{
	`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"sim","system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}`,
	`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"sim","choices":[{"index":0,"delta":{"content":" wörd"},"logprobs":null,"finish_reason":null}],"usage":null}`,
	`{"id":"chatcmpl-1","choices":[{"index":2,"delta":{"content":"a \"quote\"\n\tand \\ \/ \u00e9 \ud83d\ude00","tool_calls":[]},"finish_reason":null,"stop_reason":null}]}`,
	`{"id": "x", "choices": [{"index": 0, "delta": {"reasoning_content": "hm", "reasoning": "hm"}}]}`,
	`{"id":"x","choices":[{"index":0,"delta":{"reasoning":"hm","refusal":"no"}},{"index":1,"delta":{"content":"b","function_call":null,"audio":null}}]}`,
	`{"id":"x","choices":[{"index":0,"delta":{},"finish_reason":"length"}]}`,
	`{"id":"cmpl-1","object":"text_completion","created":1,"model":"m","choices":[{"index":0,"text":" word","logprobs":null,"finish_reason":"stop","token_ids":null}]}`,
	`{"choices":[]}`,
	`{"error":null}`,
	` [DONE] `,
}

// unusualEvents are read by the general decoder, and by it alone.
var unusualEvents = []string{
	`{"id":"x","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":5}}`,
	`{"id":"x","choices":[{"index":0,"delta":{"content":"a"},"delta":{"content":"b"}}]}`,
	`{"ID":"x","choices":[{"index":0,"Delta":{"content":"a"}}]}`,
	`{"choices":[{"index":0,"delta":null,"message":{"content":"a"}}]}`,
	`{"choices":[{"index":1.0,"delta":{}}]}`,
	`{"choices":[{"index":01,"delta":{}}]}`,
	`{"choices":[{"index":12345678901}]}`,
	`{"choices":[{"delta":{"content":"\ud83d"}}]}`,
	"{\"choices\":[{\"delta\":{\"content\":\"\xff\"}}]}",
	"{\"choices\":[{\"delta\":{\"content\":\"a\nb\"}}]}",
	`{"choices":[{"delta":{"tool_calls":[{}]}}]}`,
	`{"error":{"message":"no"}}`,
	`{"choices":[{"delta":{"content":5}}]}`,
	`{"created":-1}`,
	`{"created":1e3}`,
	`{"choices":[]} x`,
	`{"choices":[],}`,
	`{"choices":[`,
	`[]`, `null`, ``,
}

func TestScanReadsTheUsual(t *testing.T) {
	for _, event := range usualEvents {
		if !(openAI{}).scan([]byte(event), &scratch{}) {
			t.Errorf("left to the general decoder: %s", event)
		}
		scansAlike(t, []byte(event))
	}
	for _, event := range unusualEvents {
		if (openAI{}).scan([]byte(event), &scratch{}) {
			t.Errorf("not left to the general decoder: %s", event)
		}
	}
}

// scansAlike fails if the scanner reads an event and reads it differently.
func scansAlike(t *testing.T, data []byte) (scanned bool) {
	t.Helper()
	var s scratch
	s.id = "what the event before said"
	if !(openAI{}).scan(data, &s) {
		return false
	}
	pieces, err := openAI{}.Decode(data)
	if err != nil || !reflect.DeepEqual(s.pieces, pieces) {
		got, _ := json.Marshal(s.pieces)
		want, _ := json.Marshal(pieces)
		t.Errorf("%q: scanned as %s, decoded as %s, %v", data, got, want, err)
	}
	return true
}

// openAIEvents are all events of the recordings and cases, and the usual and
// unusual ones.
func openAIEvents(t testing.TB) (list [][]byte) {
	t.Helper()
	files, err := filepath.Glob("testdata/dialects/*openai*/*.sse")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	for _, name := range append(files, "testdata/cases.txt") {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		events(data, func(event []byte, _ int) {
			if event != nil {
				list = append(list, event)
			}
		})
		for line := range strings.Lines(string(data)) {
			if _, event, ok := strings.Cut(line, "data:"); ok {
				list = append(list, []byte(strings.TrimSpace(event)))
			}
		}
	}
	for _, event := range append(usualEvents, unusualEvents...) {
		list = append(list, []byte(event))
	}
	return list
}

// Scanner and general decoder agree on every event and on broken ones: bytes
// changed, taken away, doubled, and pieces of two events joined.
func TestScanEqualsDecode(t *testing.T) {
	all := openAIEvents(t)
	rng := rand.New(rand.NewPCG(7, 7))
	scanned := 0
	for round := range 100_000 {
		event := append([]byte(nil), all[round%len(all)]...)
		for range rng.IntN(4) * min(1, round/len(all)) {
			if len(event) == 0 {
				break
			}
			at := rng.IntN(len(event))
			switch rng.IntN(5) {
			case 0:
				event[at] = byte(rng.IntN(256))
			case 1:
				event[at] = "{}[]\",:\\nu0e-. "[rng.IntN(15)]
			case 2:
				event = append(event[:at], event[at+rng.IntN(len(event)-at):]...)
			case 3:
				event = append(event[:at:at], event[at/2:]...)
			case 4:
				other := all[rng.IntN(len(all))]
				event = append(event[:at:at], other[rng.IntN(len(other)+1):]...)
			}
		}
		if scansAlike(t, event) {
			scanned++
		}
	}
	if scanned < 10_000 {
		t.Errorf("the scanner read %d of 100000 events: the test shows little", scanned)
	}
}

func FuzzScan(f *testing.F) {
	for _, event := range openAIEvents(f) {
		f.Add(event)
	}
	f.Fuzz(func(t *testing.T, data []byte) { scansAlike(t, data) })
}

func BenchmarkDecodeAnswer(b *testing.B) {
	dialect := openAI{path: "/v1/chat/completions", chat: true}
	for _, name := range []string{"scanner", "general"} {
		b.Run(name, func(b *testing.B) {
			c := Client{dialect: dialect, shape: shapeOf(dialect, Ask{Stream: true})}
			if name == "scanner" {
				c.scanner = dialect
			}
			var body strings.Builder
			for i := range 100 {
				fmt.Fprintf(&body, "data: {\"id\":\"chatcmpl-0123456789abcdef\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,\"model\":\"sim\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\" word%d\"},\"logprobs\":null,\"finish_reason\":null}]}\n\n", i)
			}
			read := &stampedBody{body: []byte(body.String())}
			for i := range 100 {
				read.marks = append(read.marks, mark{end: len(read.body) * (i + 1) / 100, at: int64(i)})
			}
			b.ReportAllocs()
			for b.Loop() {
				a := answer{client: &c}
				a.stream(read)
				if len(a.chunks) != 100 {
					b.Fatalf("%d chunks, want 100", len(a.chunks))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100, "ns/event")
		})
	}
}
