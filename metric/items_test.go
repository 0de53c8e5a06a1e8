package metric

import (
	"math"
	"slices"
	"testing"

	"assay/record"
	"assay/spec"
)

// ended is a successful answer of a millisecond that was not streamed.
func ended(done int64, items, input int32) *Timeline {
	first := done - ms
	return &Timeline{Request: record.Request{
		Phase: record.Measure, Result: record.OK, Sent: first, Done: done, First: &first, Bytes: 1000,
		Items: &items, UsageInput: &input, AskedInput: input - 2,
	}}
}

func TestItems(t *testing.T) {
	failed := ended(150*ms, 9, 9)
	failed.Result = record.HTTPError
	p := &Point{Begin: 100 * ms, End: 200 * ms, Requests: []*Timeline{
		ended(99*ms, 50, 50), ended(120*ms, 8, 64), ended(180*ms, 8, 60), ended(201*ms, 50, 50), failed,
	}}
	f := func(m Metric, want float64) {
		t.Helper()
		if got, ok := m.Whole(p); !ok || math.Abs(got-want) > 1e-9 {
			t.Errorf("%s = %v, %v; want %v", m.ID, got, ok, want)
		}
	}
	f(ItemThroughput, 16/0.1)
	f(InputThroughput, 124/0.1)
	f(SoundThroughput, 2000/0.1)
	over := ended(260*ms, 10, 40)
	over.Sent = 180 * ms // a quarter of its time is inside
	p.Requests = append(p.Requests, over)
	f(ItemThroughput, (16+2.5)/0.1)
	p.Requests = p.Requests[:5]
	p.Requests[1].User = -1 // counted from when it was due
	if got := FirstByte.Each(p.Requests[1]); len(got) != 1 || math.Abs(got[0]-0.119) > 1e-12 {
		t.Errorf("first byte after %v, want 0.119", got)
	}
	p.Requests[1].Items, p.Requests[1].UsageInput = nil, nil
	for _, m := range []Metric{ItemThroughput, InputThroughput} {
		if got, ok := m.Whole(p); ok {
			t.Errorf("%s = %v where a request cannot tell, want unknown", m.ID, got)
		}
	}
}

// Five tokens by the server's count, nine by the tokenizer's.
func TestCounted(t *testing.T) {
	r := timeline(5, 110, 150)
	nine := int32(9)
	r.TokenizerOutput = &nine
	if got := TPOTCounted.Each(r); len(got) != 1 || math.Abs(got[0]-0.040/8) > 1e-12 {
		t.Errorf("TPOT = %v, want %v", got, 0.040/8)
	}
	p := &Point{Begin: 100 * ms, End: 200 * ms, Requests: []*Timeline{r}}
	r.UsageOutput = nil // a server that counts nothing
	if got, ok := OutputThroughputCounted.Whole(p); !ok || math.Abs(got-90) > 1e-9 {
		t.Errorf("throughput = %v, %v; want 90", got, ok)
	}
	if got, ok := OutputThroughput.Whole(p); ok {
		t.Errorf("throughput by usage = %v where there is none", got)
	}
}

// A metric that has no meaning for a task is not computed for it.
func TestApplies(t *testing.T) {
	f := func(w spec.Workload, want ...string) {
		t.Helper()
		var got []string
		for _, m := range []Metric{TTFT, TPOT, E2E, OutputThroughput, RequestThroughput, InputThroughput, ItemThroughput, SoundThroughput, FirstByte, TPOTCounted} {
			if m.Has(w) {
				got = append(got, m.ID)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", w.Prompt.Task, got, want)
		}
	}
	task := func(name string) spec.Workload { return spec.Workload{Prompt: spec.Prompt{Task: name}} }
	f(task(spec.TextToText), "ttft.v2", "tpot.v1", "e2e.v2", "output_throughput.v1", "request_throughput.v2", "input_throughput.v2")
	f(task(spec.TextToEmbeddings), "e2e.v2", "request_throughput.v2", "input_throughput.v2", "item_throughput.v2")
	f(task(spec.TextToImage), "e2e.v2", "request_throughput.v2", "item_throughput.v2")
	f(task(spec.TextToSpeech), "e2e.v2", "request_throughput.v2", "item_throughput.v2", "sound_throughput.v2", "first_byte.v2")
	named := task(spec.TextToText)
	named.Tokenizer.Kind = spec.TokenizerFile
	f(named, "ttft.v2", "tpot.v1", "e2e.v2", "output_throughput.v1", "request_throughput.v2", "input_throughput.v2", "tpot_tokenizer.v1")
}

func TestCounts(t *testing.T) {
	three, warm, failed := ended(1, 1, 30), ended(1, 1, 90), ended(1, 1, 90)
	three.AskedInput = 27
	warm.Phase, failed.Result = record.Warmup, record.Reset
	unknown := ended(1, 1, 90)
	unknown.AskedInput = 0
	p := &Point{Requests: []*Timeline{ended(1, 1, 10), three, warm, failed, unknown}}
	got := sumCounts([]judgedPoint{{counts: p.tokenCounts()}})
	want := []Count{{Of: OfPrompt, Requests: 2, Ours: 17.5, Server: 20, Least: 2, Most: 3}}
	if !slices.Equal(got, want) {
		t.Errorf("counts %+v, want %+v", got, want)
	}
}
