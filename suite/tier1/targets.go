package tier1

import (
	"maps"
	"slices"
	"time"

	"assay/report"
	"assay/suite"
)

// All lists the targets in the order of reports.
var All = []Target{
	{Key: "gemm", Category: "gemm", Goal: "speed", Rationale: "matrix products: all processors against one, or less precision against float32", read: ofProducts,
		Step: suite.Step{Name: "tier1_gemm", Worker: suite.OnDevice, Parts: suite.Parts{CPU: 4, CUDA: 10}, Fragment: "probe: {probes: [matmul], {on}, duration: {each}}"}},
	{Key: "attention", Category: "attention", Goal: "speed", Rationale: "the library's attention against its formula as it is written", read: ofAttention,
		Step: suite.Step{Name: "tier1_attention", Needs: []suite.Need{suite.Torch}, Worker: suite.Always, Parts: suite.Parts{CPU: 3, CUDA: 3}, Fragment: "probe: {probes: [attention], {on}, duration: {each}}"}},
	{Key: "kv_memory", Category: "kv_memory", Goal: "memory", Rationale: "a KV cache with room taken before against one that grows by copying", read: ofCache,
		Step: suite.Step{Name: "tier1_kv_memory", Needs: []suite.Need{suite.Torch}, Worker: suite.Always, Parts: suite.Parts{CPU: 4, CUDA: 4}, Fragment: "probe: {probes: [kv_cache], {on}, duration: {each}}"}},
	{Key: "all_reduce", Category: "communication", Goal: "speed", Rationale: "the best algorithm against sending everything to everybody, or against the library's own choice", read: ofAlgorithms,
		Step: suite.Step{Name: "tier1_all_reduce", Exchange: true, Two: true, Worlds: 3, Fixed: time.Second,
			Fragment: "collectives: {{exchange}, operations: [all_reduce], sizes: [{bytes}], algorithms: {compared}, iterations: 10, place: out_of_place}"}},
	{Key: "train_step", Category: "end_to_end", Goal: "speed", Rationale: "training over ranks against the plain program on one, or less precision against float32 on a single accelerator", read: ofTraining,
		Step: suite.Step{Name: "tier1_train_step", Needs: []suite.Need{suite.Torch}, Worker: suite.Always, Worlds: 2, Fixed: 3 * time.Second,
			Fragment: "intent: {workloadType: training}\n  train: {{shapes}, {on}, {backend}batchSize: {batch}, steps: {steps}, warmupSteps: 3}"}},
	{Key: "decode", Category: "decode", Goal: "speed", Rationale: "tokens of many users at once against few", read: ofUsers,
		Step: suite.Step{Name: "tier1_decode", Levels: func(s suite.Size) int { return len(s.Concurrency) },
			Fragment: "target: {target}\n  load: {concurrency: {concurrency}, duration: {load}, warmup: {duration: {warmup}}}"}},
}

// result is what a report says of the target.
func (t Target) result(r report.Report) Result {
	out := t.blank()
	got, ok := t.read(r)
	if !ok || len(got.others) == 0 {
		out.Status, out.Reason = Failed, "its bundle does not have both shapes"
		return out
	}
	for _, name := range slices.Sorted(maps.Keys(got.others)) {
		e := got.others[name]
		if out.Optimized == nil || e.Value < *out.Optimized {
			out.Optimized, out.Best, out.Interval = &e.Value, name, &e.Interval
		}
	}
	out.Status, out.Baseline, out.MemoryMB, out.MemorySavings = Succeeded, &got.baseline.Value, got.memoryMB, got.savings
	gain := got.baseline.Value / *out.Optimized
	out.Speedup = &gain
	if !finite(got.baseline.Value, *out.Optimized, gain) {
		out.Status, out.Reason = Failed, "a time is not a positive number"
	}
	return out
}

func (t Target) blank() Result {
	return Result{Key: t.Key, Target: t.Name, Category: t.Category, Rationale: t.Rationale, Goal: t.Goal, Status: Skipped, Artifacts: map[string]string{}}
}
