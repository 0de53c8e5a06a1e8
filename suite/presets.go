package suite

import "time"

// The sizes: quick enough for a first answer on any host, and the full ones.
var (
	quick = Size{Launches: 3, Once: true, Step: 4 * time.Second, Each: time.Second, Load: 2 * time.Second, Warmup: 500 * time.Millisecond,
		Bytes: "1MiB", FileSize: "64MiB", Concurrency: []int{4, 16}, Rates: []float64{5, 20}, Input: 256, Output: 32, Steps: 10}
	fast = Size{Launches: 3, Once: true, Step: 3 * time.Second, Each: time.Second, Load: 2500 * time.Millisecond, Warmup: 500 * time.Millisecond,
		Bytes: "64MiB", FileSize: "256MiB", Concurrency: []int{8, 32}, Rates: []float64{2, 8}, Input: 512, Output: 128, Steps: 30}
	full = Size{Launches: 3, Step: 5 * time.Minute, Each: time.Minute, Load: time.Minute, Warmup: 5 * time.Second,
		Bytes: "1GiB", FileSize: "8GiB", Concurrency: []int{32, 64, 128, 256, 512}, Rates: []float64{1, 2, 4, 8, 16}, Input: 1024, Output: 1024, Steps: 30}
)

// Sizes are the sizes by name.
var Sizes = map[string]Size{"quick": quick, "fast": fast, "full": full}

var (
	base   = []string{"connectivity_probe", "gemm_sanity", "gpu_stream", "nvbandwidth", "fio_all_nodes", "nccl_single_node", "nccl_multi_node", "vllm_serve_sweep", "vllm_request_rate_sweep"}
	modern = append(base[:len(base):len(base)], "numa_mem_bw", "allreduce_stability", "allreduce_latency_comp", "allgather_control_plane", "nccl_alltoall", "nccl_algo_comparison",
		"nccl_env_sensitivity", "pairs", "network", "mamf_finder", "attention", "kv_cache", "dataloader", "train_step", "checkpoint_io", "vllm_serve_multinode")
)

// All lists the presets in the order of help.
var All = []Preset{
	{Name: "micro", Doc: "every part of the machine by itself, and the links between ranks", Size: quick,
		Steps: []string{"connectivity_probe", "gemm_sanity", "gpu_stream", "numa_mem_bw", "nvbandwidth", "fio_all_nodes", "network", "nccl_single_node", "allreduce_stability", "pairs", "mamf_finder", "attention", "kv_cache"}},
	{Name: "component", Doc: "the paths: start-up, input, training steps, checkpoints", Size: quick,
		Steps: []string{"quick_friction", "dataloader", "train_step", "checkpoint_io"}},
	{Name: "end-to-end", Doc: "what a user feels: serving under load", Size: quick,
		Steps: []string{"vllm_serve_sweep", "vllm_request_rate_sweep"}},
	{Name: "all", Doc: "the three layers, one after the other", Size: quick, Steps: everything()},
	{Name: "tier1", Doc: "small targets in two shapes each, held against the last accepted run; see package suite/tier1", Size: quick},
	{Name: "common-answer-fast", Doc: "a first answer about a cluster, small and short", Size: fast, Steps: base},
	{Name: "core-system", Doc: "serving, collectives, memory, storage and matrix products at full size", Size: full, Steps: base},
	{Name: "modern-llm", Doc: "core-system, how steady collectives are, training, and gates on spread", Size: full, Strict: true, Steps: modern},
	{Name: "fabric-systems", Doc: "modern-llm without its gates, and the fabric", Size: full, Steps: append(modern[:len(modern):len(modern)], "ib_sharp_check", "fabric_eval")},
	{Name: "multinode-readiness", Doc: "whether several hosts could be measured; measures nothing", Checks: true},
}

func everything() []string {
	var names []string
	for _, s := range steps {
		names = append(names, s.Name)
	}
	return names
}

// Resolve are the steps of p, in the order of suites.
func (p Preset) Resolve() []Step {
	wanted := map[string]bool{}
	for _, name := range p.Steps {
		wanted[name] = true
	}
	var list []Step
	for _, s := range steps {
		if wanted[s.Name] {
			list = append(list, s)
		}
	}
	return list
}
