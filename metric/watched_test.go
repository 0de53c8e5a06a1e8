package metric

import "testing"

func TestWatched(t *testing.T) {
	f := func(name, scope, want string) {
		t.Helper()
		if got, _, ok := Watched(name, scope); got != want || ok != (want != "") {
			t.Errorf("Watched(%s, %s) = %q, %v; want %q", name, scope, got, ok, want)
		}
	}
	f("vllm:num_requests_waiting", `model="m"`, "waiting")
	f("sglang:num_running_reqs", "", "running")
	f("nv_trt_llm_request_metrics", `request_type="scheduled"`, "running")
	f("nv_trt_llm_request_metrics", `request_type="max"`, "")
	f("vllm:prompt_tokens_total", "", "")
	_, newer, _ := Watched("vllm:kv_cache_usage_perc", "")
	_, older, _ := Watched("vllm:gpu_cache_usage_perc", "")
	if newer >= older {
		t.Errorf("ranks %d and %d: the newest spelling comes first", newer, older)
	}
}
