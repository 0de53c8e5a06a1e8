package run

import (
	"strings"
	"testing"

	"assay/record"
)

// The estimate of a run is corrected by the answers that its points wait for, where the
// server is slow enough for that to matter.
func TestNoteDrain(t *testing.T) {
	var chunks []record.Chunk
	for i := range int64(preflightTokens) {
		chunks = append(chunks, record.Chunk{Kind: record.Content, At: 3e9 + i*1e8})
	}
	slow, ok := paceOf(record.Request{Sent: 1e9}, chunks)
	if !ok || slow != (pace{2, .1}) {
		t.Fatalf("pace %+v, %v; want 2 s and 100 ms", slow, ok)
	}
	if _, ok := paceOf(record.Request{}, chunks[:3]); ok {
		t.Error("three tokens have no pace")
	}
	p := planOf(t, `workload: {model: m, sequenceLengthMix: [{inputTokens: 8, outputTokens: 80, weight: 1}]},
	target: {url: "http://127.0.0.1:9"}, load: {concurrency: [1, 4], duration: 40s, warmup: {duration: 10s}}`)
	s := &side{}
	s.noteDrain(p, slow) // two points of 50 s and 10 s in three launches
	if len(s.notes) != 1 || !strings.Contains(s.notes[0], "the run takes about 6 min, not 5 min: by the pace of the first answer one takes up to 10.0 s") {
		t.Errorf("notes %q", s.notes)
	}
	s = &side{}
	s.noteDrain(p, pace{.1, .01})
	if len(s.notes) != 0 {
		t.Errorf("a fast server needs no correction: %q", s.notes)
	}
}
