package metric

import "testing"

func TestServerLevel(t *testing.T) {
	f := func(name, scope, want string) {
		t.Helper()
		if got, _, ok := ServerLevel(name, scope); got != want || ok != (want != "") {
			t.Errorf("ServerLevel(%s, %s) = %q, %v; want %q", name, scope, got, ok, want)
		}
	}
	f("vllm:num_requests_waiting", `model="m"`, "requests waiting")
	f("sglang:num_running_reqs", "", "requests running")
	f("nv_trt_llm_request_metrics", `request_type="scheduled"`, "requests running")
	f("nv_trt_llm_request_metrics", `request_type="max"`, "")
	f("vllm:prompt_tokens_total", "", "")
	_, newer, _ := ServerLevel("vllm:kv_cache_usage_perc", "")
	_, older, _ := ServerLevel("vllm:gpu_cache_usage_perc", "")
	if newer >= older {
		t.Errorf("ranks %d and %d: the newest spelling comes first", newer, older)
	}
}
