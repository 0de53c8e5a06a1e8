package workload

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"assay/record"
	"assay/spec"
	"assay/workload/dataset"
)

// Every row is asked once before any is asked again, in another order each
// pass, and the same in each source of one seed.
func TestRowsOrder(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, 16, 100, 1000} {
		rows := make([]dataset.Row, n)
		for i := range rows {
			rows[i].Prompt = fmt.Sprint(i)
		}
		pass := func(seed int64, number int) []string {
			s, err := NewRows(seed, rows, Options{Lengths: mix})
			if err != nil {
				t.Fatal(err)
			}
			var asked []string
			for id := number * n; id < (number+1)*n; id++ {
				asked = append(asked, s.Call(0, int64(id)).Prompt)
			}
			return asked
		}
		first := pass(1, 0)
		if got := slices.Compact(slices.Sorted(slices.Values(first))); len(got) != n {
			t.Errorf("%d of %d rows were asked in a pass", len(got), n)
		}
		if !slices.Equal(first, pass(1, 0)) {
			t.Errorf("%d rows: two sources of one seed differ", n)
		}
		if n >= 100 && (slices.Equal(first, pass(1, 1)) || slices.Equal(first, pass(2, 0))) {
			t.Errorf("%d rows: another pass or seed has the same order", n)
		}
	}
	if _, err := NewRows(1, nil, Options{Lengths: mix}); err == nil {
		t.Error("no rows were accepted")
	}
}

func TestRowsLengths(t *testing.T) {
	f := func(row dataset.Row, counter Counter, in, out int32) {
		t.Helper()
		s, err := NewRows(1, []dataset.Row{row}, Options{Lengths: []Length{{100, 9, 1}}, Counter: counter})
		if err != nil {
			t.Fatal(err)
		}
		if c := s.Call(0, 0); c.InputTokens != in || c.OutputTokens != out || c.Prompt != row.Prompt {
			t.Errorf("%+v: %d in, %d out; want %d and %d", row, c.InputTokens, c.OutputTokens, in, out)
		}
	}
	words := counterFunc(func(s string) int { return len(strings.Fields(s)) })
	f(dataset.Row{Prompt: "a b c", Answer: "d e", OutputTokens: 7}, nil, 0, 7)
	f(dataset.Row{Prompt: "a b c", Answer: "d e"}, nil, 0, 9)
	f(dataset.Row{Prompt: "a b c", Answer: "d e"}, words, 3, 2)
	f(dataset.Row{Prompt: "a b c", Messages: []record.Message{{Role: "system", Content: "x y"}}}, words, 5, 9)
}

func TestRowsHistory(t *testing.T) {
	row := dataset.Row{Prompt: "now", Messages: []record.Message{{Role: "system", Content: "be"}}}
	s, err := NewRows(1, []dataset.Row{row, row}, Options{Lengths: mix})
	if err != nil {
		t.Fatal(err)
	}
	want := []record.Message{{Role: "system", Content: "be"}, {Role: "user", Content: "now"}}
	if got := s.Call(0, 0).Payload.Messages; !slices.Equal(got, want) {
		t.Errorf("messages %v, want %v", got, want)
	}
}

// Rows carry what their task asks, and rows that lack it are refused.
func TestRowsTasks(t *testing.T) {
	image, sound := &record.Image{MediaType: "image/png", Data: []byte("i")}, &record.Sound{Data: []byte("s")}
	words := counterFunc(func(s string) int { return len(strings.Fields(s)) })
	call := func(task string, row dataset.Row) record.Call {
		t.Helper()
		s, err := NewRows(1, []dataset.Row{row}, Options{Task: task, Counter: words, PromptTokens: 9, OutputTokens: 4, Voice: "v"})
		if err != nil {
			t.Fatal(err)
		}
		return s.Call(0, 0)
	}
	if c := call(spec.TextToEmbeddings, dataset.Row{Prompt: "a b"}); !slices.Equal(c.Payload.Documents, []string{"a b"}) || c.InputTokens != 2 {
		t.Errorf("embeddings of a prompt: %+v, %d tokens", c.Payload, c.InputTokens)
	}
	if c := call(spec.TextToRerank, dataset.Row{Query: "q", Documents: []string{"a b", "c"}}); c.Prompt != "q" || c.Payload.Query != "q" || len(c.Payload.Documents) != 2 || c.InputTokens != 4 || c.OutputTokens != 0 {
		t.Errorf("rerank: %q %+v, %d tokens", c.Prompt, c.Payload, c.InputTokens)
	}
	if c := call(spec.ImageTextToText, dataset.Row{Image: image}); len(c.Payload.Images) != 1 || c.InputTokens != 9 || len(strings.Fields(c.Prompt)) != 9 || c.OutputTokens != 4 {
		t.Errorf("image to text: %q, %d in, %d out", c.Prompt, c.InputTokens, c.OutputTokens)
	}
	if c := call(spec.TextToSpeech, dataset.Row{Prompt: "say it"}); c.Payload.Voice != "v" || c.Prompt != "say it" {
		t.Errorf("speech: %+v", c.Payload)
	}
	if c := call(spec.SpeechToText, dataset.Row{Sound: sound, InputTokens: 7}); c.Payload.Sound != sound || c.InputTokens != 7 {
		t.Errorf("transcript: %+v, %d tokens", c.Payload, c.InputTokens)
	}
	for task, lacks := range map[string]string{
		spec.TextToText: "prompt", spec.TextToEmbeddings: "documents", spec.TextToRerank: "query", spec.ImageToEmbeddings: "image", spec.SpeechToText: "sound", "smell": "way",
	} {
		row := dataset.Row{Line: 3, Documents: nil}
		if task == spec.TextToRerank {
			row.Documents = []string{"a"}
		}
		if _, err := NewRows(1, []dataset.Row{row}, Options{Task: task, Lengths: mix}); err == nil || !strings.Contains(err.Error(), lacks) || !strings.Contains(err.Error(), "row at 3") {
			t.Errorf("%s of an empty row: %v, want one that names %s", task, err, lacks)
		}
	}
}
