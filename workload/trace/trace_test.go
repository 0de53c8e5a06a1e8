package trace

import (
	"crypto/sha256"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"assay/workload"
)

func sample(t *testing.T, format string) []Record {
	t.Helper()
	file, err := os.Open("testdata/" + format + ".txt")
	if err != nil {
		t.Fatalf("format %s has no sample: %v", format, err)
	}
	defer file.Close()
	records, err := Read(format, file)
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// Every format reads its sample into records in order of time, of which every
// prompt can be rebuilt with its length, and the same twice.
func TestFormats(t *testing.T) {
	for _, f := range All {
		t.Run(f.Name, func(t *testing.T) {
			records := sample(t, f.Name)
			if !reflect.DeepEqual(records, sample(t, f.Name)) {
				t.Error("read twice, it differs")
			}
			a, err := NewSource(1, records, nil)
			if err != nil {
				t.Fatal(err)
			}
			b, _ := NewSource(1, records, nil)
			for i, r := range records {
				if i > 0 && r.At < records[i-1].At {
					t.Errorf("record %d comes before the one before it", i)
				}
				call := a.Call(0, int64(i))
				if got := len(strings.Fields(call.Prompt)); r.Text == "" && got != int(r.Input) || got != int(call.InputTokens) {
					t.Errorf("record %s: %d words, %d counted, %d recorded", r.ID, got, call.InputTokens, r.Input)
				}
				if call != b.Call(0, int64(i)) || call.OutputTokens != max(1, r.Output) {
					t.Errorf("record %s is asked differently by two sources", r.ID)
				}
			}
		})
	}
}

func TestRecords(t *testing.T) {
	f := func(format string, want ...Record) {
		t.Helper()
		got := sample(t, format)
		if len(got) != len(want) {
			t.Errorf("%s: %d records, want %d", format, len(got), len(want))
			return
		}
		for i := range want {
			if !reflect.DeepEqual(got[i], want[i]) {
				t.Errorf("%s record %d:\n got %+v\nwant %+v", format, i, got[i], want[i])
			}
		}
	}
	const s, ms = time.Second, time.Millisecond
	f("mooncake",
		Record{ID: "1", Input: 1100, Output: 20, Blocks: []uint64{0, 1, 2}, BlockTokens: 512},
		Record{ID: "2", At: 250 * ms, Input: 1536, Output: 30, Blocks: []uint64{0, 1, 3}, BlockTokens: 512},
		Record{ID: "3", At: 500 * ms, Input: 40, Output: 10, Session: "s", BlockTokens: 512},
		Record{ID: "5", At: 500 * ms, Input: 90, Output: 10, Session: "s", Turn: 1, After: []string{"3"}, Think: 1500 * ms, BlockTokens: 512},
		Record{ID: "6", At: 600 * ms, Output: 5, Text: "why is it so?", BlockTokens: 512})
	f("bailian",
		Record{ID: "7", At: 500 * ms, Input: 40, Output: 9, Session: "7", Turn: 1, Kind: "text", Blocks: []uint64{100, 101, 102}, BlockTokens: 16},
		Record{ID: "8", At: 12250 * ms, Input: 60, Output: 9, Session: "7", Turn: 2, After: []string{"7"}, Kind: "search", Blocks: []uint64{100, 101, 103, 104}, BlockTokens: 16},
		Record{ID: "9", At: 13 * s, Input: 16, Output: 9, Session: "9", Turn: 4, Kind: "text", Blocks: []uint64{105}, BlockTokens: 16})
	f("azure-2023", Record{ID: "2", Input: 374, Output: 44}, Record{ID: "3", At: 4314579 * time.Microsecond, Input: 396, Output: 109})
	f("azure-2024", Record{ID: "2", Input: 2162, Output: 5}, Record{ID: "3", At: s, Input: 2399, Output: 6})
	f("azure-2025", Record{ID: "2", Input: 900, Output: 15, Images: 2}, Record{ID: "3", At: 2500 * ms, Input: 100, Output: 25})
	f("burstgpt",
		Record{ID: "2", At: 5 * s, Input: 472, Output: 18, Model: "ChatGPT", Kind: "API log"},
		Record{ID: "3", At: 45 * s, Input: 100, Output: 40, Session: "c1", Model: "GPT-4", Kind: "Conversation log"},
		Record{ID: "4", At: 60500 * ms, Input: 150, Failed: true, Session: "c1", Turn: 1, After: []string{"3"}, Think: 12 * s, Model: "GPT-4", Kind: "Conversation log"})
	one := Record{Session: "k1", Model: "m", Kind: "n", Blocks: []uint64{1}, BlockTokens: 64}
	with := func(r Record, change func(*Record)) Record { change(&r); return r }
	f("weka",
		Record{ID: "k1#0", Input: 130, Output: 20, Session: "k1", Model: "m", Kind: "s", Blocks: []uint64{1, 2}, BlockTokens: 64, Scope: "k1"},
		Record{ID: "k2#0", At: s, Input: 64, Output: 5, Session: "k2", Kind: "s", Blocks: []uint64{1}, BlockTokens: 64, Scope: "k2"},
		with(one, func(r *Record) {
			r.ID, r.At, r.Input, r.Output, r.Scope, r.After = "k1#1", 2500*ms, 64, 5, "k1/a", []string{"k1#0"}
		}),
		with(one, func(r *Record) {
			r.ID, r.At, r.Input, r.Output, r.Scope, r.After = "k1#3", 3*s, 64, 5, "k1/b", []string{"k1#0"}
		}),
		with(one, func(r *Record) {
			r.ID, r.At, r.Input, r.Output, r.Scope, r.After, r.Turn, r.Think = "k1#2", 4*s, 100, 5, "k1/a", []string{"k1#1"}, 1, 500*ms
		}),
		Record{ID: "k1#4", At: 6 * s, Input: 200, Output: 20, Session: "k1", Turn: 1, After: []string{"k1#0", "k1#2", "k1#3"}, Think: 250 * ms,
			Model: "m", Kind: "s", Blocks: []uint64{1, 2, 3}, BlockTokens: 64, Scope: "k1"})
	f("otel",
		Record{ID: "a", Input: 100, Output: 10, Session: "t1", Model: "m", Kind: "chat"},
		Record{ID: "x", At: 20 * ms, Input: 50, Failed: true, Session: "t2", Model: "m", Kind: "chat"},
		Record{ID: "b", At: 700 * ms, Input: 200, Output: 10, Session: "t1", Model: "m", Kind: "chat", After: []string{"a"}, Think: 150 * ms, Tool: 250 * ms},
		Record{ID: "c", At: 750 * ms, Input: 210, Output: 10, Session: "t1", Model: "m", Kind: "chat", After: []string{"a"}, Think: 200 * ms, Tool: 250 * ms},
		Record{ID: "d", At: 1050 * ms, Input: 300, Output: 10, Session: "t1", Model: "m", Kind: "chat", After: []string{"b", "c"}, Think: 50 * ms})
}

// Rows out of order are put in order, from the earliest on.
func TestAzureOutOfOrder(t *testing.T) {
	records, err := Read("azure-2023", strings.NewReader("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:47,2,2\n2023-11-16 18:15:46.5,1,1\n"))
	want := []Record{{ID: "3", Input: 1, Output: 1}, {ID: "2", At: 500 * time.Millisecond, Input: 2, Output: 2}}
	if err != nil || !reflect.DeepEqual(records, want) {
		t.Errorf("got %+v, %v; want %+v", records, err, want)
	}
}

// Equal blocks give equal text and no others do; what is shared is a prefix.
func TestBlocksAreShared(t *testing.T) {
	source := func(format string, seed int64) (*Source, []Record) {
		records := sample(t, format)
		s, err := NewSource(seed, records, nil)
		if err != nil {
			t.Fatal(err)
		}
		return s, records
	}
	shared := func(a, b string) int {
		x, y := strings.Fields(a), strings.Fields(b)
		n := 0
		for n < min(len(x), len(y)) && x[n] == y[n] {
			n++
		}
		return n
	}
	f := func(format string, a, b, lo, hi int) {
		t.Helper()
		s, records := source(format, 1)
		first, _ := s.Prompt(records[a])
		second, _ := s.Prompt(records[b])
		if got := shared(first, second); got < lo || got > hi {
			t.Errorf("%s: records %d and %d share %d words, want %d to %d", format, a, b, got, lo, hi)
		}
	}
	f("mooncake", 0, 1, 1024, 1030)
	f("bailian", 0, 1, 32, 38)
	f("bailian", 0, 2, 0, 5)
	f("weka", 0, 5, 128, 134) // one agent
	f("weka", 0, 2, 0, 5)     // the same name in another agent
	f("weka", 0, 1, 0, 5)     // the same name in another conversation
	s1, records := source("mooncake", 1)
	s2, _ := source("mooncake", 2)
	a, _ := s1.Prompt(records[0])
	b, _ := s2.Prompt(records[0])
	if got := shared(a, b); got > 5 {
		t.Errorf("two seeds share %d words", got)
	}
	if got := fmt.Sprintf("%x", sha256.Sum256([]byte(a)))[:16]; got != "727e5f4ab8f0c8bd" {
		t.Errorf("the prompt's hash is %s: published traces would be asked otherwise", got)
	}
}

type threeLetters struct{}

func (threeLetters) Count(text string) int {
	n := 0
	for _, word := range strings.Fields(text) {
		n += (len(word) + 2) / 3
	}
	return n
}

// With a tokenizer the whole prompt has the recorded length.
func TestPromptsAreExact(t *testing.T) {
	for _, f := range All {
		records := sample(t, f.Name)
		s, err := NewSource(1, records, workload.Counter(threeLetters{}))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			text, count := s.Prompt(r)
			if r.Text == "" && (count != int(r.Input) || threeLetters{}.Count(text) != count) {
				t.Errorf("%s %s: %d tokens, says %d, want %d", f.Name, r.ID, threeLetters{}.Count(text), count, r.Input)
			}
		}
	}
}

func TestFaults(t *testing.T) {
	f := func(format, text, want string) {
		t.Helper()
		if got, err := Read(format, strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s %q: got %+v, %v; want %q", format, text, got, err, want)
		}
	}
	f("pcap", "", "want one of mooncake, bailian, azure-2023")
	for _, format := range All {
		f(format.Name, "\x00{", format.Name)
	}
	f("mooncake", "", "no request")
	f("mooncake", "{\"timestamp\":0,\"input_length\":5}\n{\"timestamp\":", "line 2: ")
	f("mooncake", `{"timestamp":-1,"input_length":5}`, "line 1: -1 is no time")
	f("mooncake", `{"input_length":5}`, "no timestamp")
	f("mooncake", `{"timestamp":0,"input_length":5,"text_input":"a"}`, "want exactly one of")
	f("mooncake", `{"timestamp":0,"input_length":-5}`, "-5 tokens in")
	f("mooncake", `{"timestamp":0,"input_length":512,"hash_ids":[1,2]}`, "2 blocks of 512 tokens for 512 tokens")
	f("bailian", `{"chat_id":1,"input_length":5}`, "no timestamp")
	f("bailian", "{\"chat_id\":1,\"timestamp\":1}\n{\"chat_id\":1,\"timestamp\":2}", "request 1 comes twice")
	f("azure-2023", "TIMESTAMP,ContextTokens\n", `no column "GeneratedTokens"`)
	f("azure-2025", "TIMESTAMP,ContextTokens,GeneratedTokens\n", `no column "NumImages"`)
	f("azure-2023", "TIMESTAMP,ContextTokens,GeneratedTokens\nnoon,1,2\n", `line 2: TIMESTAMP: got "noon"`)
	f("azure-2023", "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46,1,x\n", `line 2: GeneratedTokens: got "x", want a number`)
	f("azure-2023", "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46,1.5,2\n", "ContextTokens: got 1.5, want a whole number")
	f("burstgpt", "Timestamp,Model,Request tokens,Response tokens,Log Type\n1,m,2\n", "wrong number of fields")
	f("weka", `{"id":"a","requests":[]}`, "block_size 0")
	f("weka", `{"id":"a","block_size":64,"requests":[{"t":-1}]}`, "request 0 of a: -1 is no time")
	f("otel", `{"resourceSpans":[{"scopeSpans":[{"spans":[{"spanId":"a","startTimeUnixNano":"5","endTimeUnixNano":"4"}]}]}]}`, "span a runs from 5 to 4")
	f("otel", `{"resourceSpans":[{"scopeSpans":[{"spans":[{"startTimeUnixNano":"soon"}]}]}]}`, "want a whole number")
}

// Whatever a file holds, it is read into sound records or refused.
func FuzzRead(f *testing.F) {
	for i, format := range All {
		data, err := os.ReadFile("testdata/" + format.Name + ".txt")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data), uint8(i))
	}
	f.Fuzz(func(t *testing.T, text string, which uint8) {
		format := All[int(which)%len(All)].Name
		records, err := Read(format, strings.NewReader(text))
		if err != nil {
			return
		}
		if err := check(records); err != nil {
			t.Error(err)
		}
	})
}
