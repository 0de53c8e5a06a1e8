package foreign

import (
	"testing"

	"assay/bundle"
)

// What the files say beside their requests reaches the manifest.
func TestStated(t *testing.T) {
	for _, tt := range []struct {
		tool Tool
		path string
		want bundle.Stated // of the last point
	}{
		{GenAIBench, "testdata/genai-bench/warmup-ms", bundle.Stated{
			Point: 1, File: "D16_20_text-to-text_num_concurrency_4_time_2s.json", AskedRequests: 20, AskedInput: 16, AskedOutput: 20,
			Completed: 33, Statistics: 21, Seconds: 2.0267813829996157, NamedSeconds: 2,
		}},
		{GenAIBench, "testdata/genai-bench/embeddings", bundle.Stated{
			Point: 1, File: "E64_text-to-embeddings_batch_size_8_time_1s.json", AskedRequests: 20, AskedInput: 512,
			Completed: 39, Statistics: 39, Seconds: 1.0138101769998684, NamedSeconds: 1,
		}},
		{VLLM, "testdata/vllm/c2.json", bundle.Stated{File: "c2.json", AskedRequests: 12, Completed: 12, Statistics: 12, Seconds: 1.5007796260033501}},
		{SGLang, "testdata/sglang/online.jsonl", bundle.Stated{Point: 1, File: "online.jsonl", AskedInput: 16, AskedOutput: 20, Completed: 10, Statistics: 10, Seconds: 0.7338328969999566}},
		{AIPerf, "testdata/aiperf/c2", bundle.Stated{File: aiperfSummary, AskedRequests: 8, AskedInput: 16, AskedOutput: 20, Completed: 8, Statistics: 8, Seconds: 1.107002112}},
		{GuideLLM, "testdata/guidellm/c2.json", bundle.Stated{File: "c2.json", AskedRequests: 8, AskedInput: 16, AskedOutput: 20, Completed: 8, Statistics: 8, Seconds: 1.0096118450164795}},
		{InferencePerf, "testdata/inference-perf/concurrent", bundle.Stated{
			Point: 1, File: "stage_1_lifecycle_metrics.json", AskedRequests: 12, AskedInput: 16, AskedOutput: 20, Completed: 10, Seconds: 1.1651282890015864,
		}},
		{MLPerf, "testdata/mlperf/server", bundle.Stated{File: mlperfDetail, AskedRequests: 144, Completed: 144}},
	} {
		t.Run(tt.path, func(t *testing.T) {
			m, err := tt.tool.Read([]string{tt.path})
			if err != nil {
				t.Fatal(err)
			}
			b, _ := write(t, m)
			list := b.Manifest.Source.Stated
			if len(list) == 0 || list[len(list)-1] != tt.want {
				t.Errorf("stated %+v, want in the end %+v", list, tt.want)
			}
		})
	}
}

// The name that vLLM gives a result tells its load.
func TestServingName(t *testing.T) {
	f := func(name string, concurrency, rate float64) {
		t.Helper()
		got := nameOf(bundle.Stated{}, name)
		if got.NamedConcurrency != concurrency || got.NamedRate != rate {
			t.Errorf("%s: %v in flight at %v/s, want %v and %v", name, got.NamedConcurrency, got.NamedRate, concurrency, rate)
		}
	}
	f("openai-chat-infqps-concurrency16-sim-20261115-130603.json", 16, 0)
	f("vllm-10.0qps-sim-20261115-130603.json", 0, 10)
	f("vllm-1e400qps-sim.json", 0, 0)
	f("c2.json", 0, 0)
}

// A scenario tells the lengths that were asked for.
func TestGenAILengths(t *testing.T) {
	f := func(scenario string, input, output float64) {
		t.Helper()
		if in, out := genaiLengths(scenario); in != input || out != output {
			t.Errorf("%s: %v and %v, want %v and %v", scenario, in, out, input, output)
		}
	}
	f("D(100,200)", 100, 200)
	f("N(480,240)/(300,150)", 480, 300)
	f("U(20,40)/(10,20)", 30, 15)
	f("U(99,19)", 50, 10)
	f("E(64)", 64, 0)
	f("I(512,512)", 0, 0)
	f("dataset", 0, 0)
	f("D(100,200)/(1,2)", 0, 0)
	f("D(99999999999999999999,1)", 0, 0)
}
