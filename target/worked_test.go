package target

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"assay/record"
)

// A worked stream is what the decoder makes of the stream of
// docs/reference/metrics-worked.md. Package metric, which may not know this one,
// reads it from its testdata and compares every metric with that page.
type worked struct {
	Request record.Request
	Events  []record.Chunk
}

// workedRow is a row of the page's table of events; workedFact of its facts.
var (
	workedRow  = regexp.MustCompile("(?m)^\\| (\\d+) \\| (\\w+) \\| `(.*)` \\|$")
	workedFact = regexp.MustCompile(`(?m)^\| (due|sent|first byte) \| (\d+) \|$`)
)

const millisecond = int64(1e6)

// TestWorkedStream decodes the page's stream, with and without its usage.
func TestWorkedStream(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "reference", "metrics-worked.md"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]worked{
		"with usage":    decodeWorked(t, string(page), true),
		"without usage": decodeWorked(t, string(page), false),
	}
	data, err := json.MarshalIndent(got, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	data = append(data, '\n')
	golden := filepath.Join("..", "metric", "testdata", "worked.json")
	if *update {
		if err := os.WriteFile(golden, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || string(want) != string(data) {
		t.Errorf("%s is not what the decoder makes of the page (%v); go test ./target -run TestWorkedStream -update writes it", golden, err)
	}
}

// decodeWorked stamps the events of the page with their times, as if each had
// come in a read of its own, and decodes them.
func decodeWorked(t *testing.T, page string, usage bool) worked {
	t.Helper()
	facts := map[string]int64{}
	for _, m := range workedFact.FindAllStringSubmatch(page, -1) {
		facts[m[1]] = number(t, m[2]) * millisecond
	}
	raw := &Raw{reading: &stampedBody{}, header: http.Header{"Content-Type": {"text/event-stream"}}}
	raw.request = record.Request{
		ID: 0, Phase: record.Measure, Due: facts["due"], Sent: facts["sent"], Status: http.StatusOK,
	}
	raw.phases.first.Store(facts["first byte"])
	var kinds []string
	for _, m := range workedRow.FindAllStringSubmatch(page, -1) {
		if m[2] == string(record.Usage) && !usage {
			continue
		}
		kinds = append(kinds, m[2])
		raw.Done = number(t, m[1]) * millisecond
		raw.reading.body = append(raw.reading.body, m[3]+"\n\n"...)
		raw.reading.marks = append(raw.reading.marks, mark{end: len(raw.reading.body), at: raw.Done})
	}
	dialect, err := Find("openai-chat")
	if err != nil {
		t.Fatal(err)
	}
	clock, err := record.StartClock()
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(Config{URLs: []string{"http://127.0.0.1:1"}, KeepText: true, Ask: Ask{Model: "m", Stream: true}}, dialect, clock)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	r, chunks := c.Decode(raw)
	var seen []string
	for _, chunk := range chunks {
		seen = append(seen, string(chunk.Kind))
	}
	if !slices.Equal(seen, kinds) || r.Result != record.OK {
		t.Errorf("outcome %s %s, kinds %v; the page has %v", r.Result, r.Error, seen, kinds)
	}
	words := int32(len(strings.Fields(r.Text))) // the tokenizer of the page counts words
	r.TokenizerOutput = &words
	return worked{r, chunks}
}

func number(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
