package suite

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	accelerator = "an accelerator"
	server      = "a server under test"
)

// steps lists every step in the order in which suites take them: parts before paths
// before the whole, and what is required first.
var steps = []Step{
	{Name: "connectivity_probe", Role: "connectivity", Layer: Micro, Question: "do ranks reach each other and agree on a sum", Required: true,
		Fragment: "collectives: {ranks: [{ranks}], operations: [all_reduce, barrier], sizes: [8MiB], iterations: 5, warmup: 1, place: out_of_place}"},
	{Name: "gemm_sanity", Role: "gemm_sanity", Layer: Micro, Question: "how fast are matrix products", Stand: accelerator,
		Fragment: "probe: {probes: [matmul], device: {device}, duration: {duration}}"},
	{Name: "gpu_stream", Role: "gpu_stream", Layer: Micro, Question: "how fast is memory", Stand: accelerator,
		Fragment: "probe: {probes: [memory], device: {device}, duration: {duration}}"},
	{Name: "numa_mem_bw", Role: "host_memory", Layer: Micro, Question: "how far away are the caches and the memory of the host",
		Fragment: "probe: {probes: [cache], duration: {duration}}"},
	{Name: "nvbandwidth", Role: "nvbandwidth", Layer: Micro, Question: "how fast are copies between host and accelerator", Needs: []Need{Accelerator, Torch},
		Fragment: "probe: {probes: [transfer], device: cuda, duration: {duration}}"},
	{Name: "fio_all_nodes", Role: "fio", Layer: Micro, Question: "how fast is storage",
		Fragment: "probe: {probes: [disk], fileSize: {fileSize}, duration: {duration}}"},
	{Name: "network", Role: "network", Layer: Micro, Question: "how fast is the network stack",
		Fragment: "probe: {probes: [network], duration: {duration}}"},
	{Name: "nccl_single_node", Role: "nccl_allreduce", Layer: Micro, Question: "what do collectives cost", Stand: accelerator,
		Fragment: "collectives: {ranks: [{ranks}], operations: [all_reduce, all_gather, reduce_scatter], sizes: [1KiB, 32KiB, {bytes}], iterations: 20}"},
	{Name: "nccl_multi_node", Layer: Micro, Question: "what do collectives cost between hosts", Needs: []Need{Hosts},
		Absent: "assay starts ranks on this host; on several, start assay comm under srun, mpirun or torchrun and import nothing: it seals its own bundle"},
	{Name: "allreduce_stability", Role: "allreduce_stability", Layer: Micro, Question: "how steady is one exchange", Stand: accelerator,
		Fragment: "collectives: {ranks: [{ranks}], operations: [all_reduce], sizes: [{bytes}], stability: 200, iterations: 5, place: out_of_place}"},
	{Name: "allreduce_latency_comp", Role: "allreduce_latency_comp", Layer: Micro, Question: "what do many small exchanges cost against one", Stand: accelerator,
		Fragment: "collectives: {ranks: [{ranks}], operations: [all_reduce], sizes: [{bytes}], chunks: [100], iterations: 5, place: out_of_place}"},
	{Name: "allgather_control_plane", Role: "allgather_control_plane", Layer: Micro, Question: "how fast do ranks tell each other small things", Stand: accelerator,
		Fragment: "collectives: {ranks: [{ranks}], operations: [all_gather, all_reduce, barrier], sizes: [64B], iterations: 500, place: out_of_place}"},
	{Name: "nccl_alltoall", Role: "nccl_alltoall", Layer: Micro, Question: "what does everybody to everybody cost", Stand: accelerator,
		Fragment: "collectives: {ranks: [{ranks}], operations: [all_to_all], sizes: [32KiB, {bytes}], iterations: 20}"},
	{Name: "nccl_algo_comparison", Role: "nccl_algo_comparison", Layer: Micro, Question: "which algorithm is best, and is it the one that is taken", Stand: accelerator,
		Fragment: "collectives: {ranks: [{ranks}], operations: [all_reduce], sizes: [{bytes}], algorithms: [auto, ring, tree, halving_doubling], iterations: 10, place: out_of_place}"},
	{Name: "pairs", Role: "pairs", Layer: Micro, Question: "which link is slow", Stand: accelerator,
		Fragment: "collectives: {ranks: [{ranks}], operations: [barrier], pairs: true, iterations: 20}"},
	{Name: "quick_friction", Role: "quick_friction", Layer: Component, Question: "how long until a worker is ready",
		Fragment: "probe: {probes: [startup], duration: {duration}}"},
	{Name: "dataloader", Role: "dataloader", Layer: Component, Question: "can the input keep up", Needs: []Need{Torch},
		Fragment: "probe: {probes: [dataloader], duration: {duration}}"},
	{Name: "train_step", Role: "train_step", Layer: Component, Question: "where does the time of a training step go, and how does it grow", Needs: []Need{Torch}, Stand: accelerator,
		Fragment: "intent: {workloadType: training}\n  train: {ranks: [{worlds}], single: true, device: {device}, batchSize: {batch}, steps: {steps}, warmupSteps: 3}"},
	{Name: "checkpoint_io", Layer: Component, Question: "how fast are checkpoints", Absent: "no such measurement; fio_all_nodes has the sequential writes under it"},
	{Name: "vllm_serve_sweep", Role: "vllm_concurrency_sweep", Layer: EndToEnd, Question: "how does serving answer more users at once", Stand: server,
		Fragment: "target: {target}\n  load: {concurrency: {concurrency}, duration: {duration}, warmup: {duration: 1s}}\n  slo: {slo}"},
	{Name: "vllm_request_rate_sweep", Role: "vllm_request_rate_sweep", Layer: EndToEnd, Question: "up to which arrival rate are the limits kept", Stand: server,
		Fragment: "target: {target}\n  load: {rate: {rates}, duration: {duration}, warmup: {duration: 1s}}\n  slo: {slo}"},
	{Name: "vllm_serve_multinode", Layer: EndToEnd, Question: "what does serving over two hosts cost", Needs: []Need{Hosts}, Absent: "give the address of a server that spans the hosts as --url"},
	{Name: "mamf_finder", Layer: Micro, Question: "what is the best matrix product of any shape", Needs: []Need{Accelerator}, Absent: "gemm_sanity measures a ladder of sizes, not every shape"},
	{Name: "nccl_env_sensitivity", Layer: Micro, Question: "which setting of the library matters", Needs: []Need{Accelerator}, Absent: "set NCCL_* and compare two bundles of assay comm: settings are recorded with each"},
	{Name: "ib_sharp_check", Layer: Micro, Question: "does the fabric reduce by itself", Needs: []Need{Hosts}, Absent: "needs the fabric's own tools"},
	{Name: "fabric_eval", Layer: Micro, Question: "is the fabric what it should be", Needs: []Need{Hosts}, Absent: "no fabric inventory; assay doctor lists the interfaces of this host"},
}

// Spec is the whole spec of a step.
func (s Step) Spec(size Size, h Host) []byte {
	ranks := max(2, min(h.Ranks, 8))
	var worlds []string
	for n := 1; n <= ranks; n *= 2 {
		worlds = append(worlds, strconv.Itoa(n))
	}
	words := strings.NewReplacer(
		"{ranks}", strconv.Itoa(ranks), "{worlds}", strings.Join(worlds, ", "), "{batch}", strconv.Itoa(4*ranks), "{device}", h.Device,
		"{duration}", size.Duration, "{bytes}", size.Bytes, "{fileSize}", size.FileSize, "{steps}", strconv.Itoa(size.Steps),
		"{concurrency}", size.Concurrency, "{rates}", size.Rates, "{target}", h.Target, "{slo}", slo,
	)
	model := "closed_loop"
	if strings.Contains(s.Fragment, "{rates}") {
		model = "open_loop"
	}
	return fmt.Appendf(nil, `apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: %s}
spec:
  workload: {model: %s, tokenizer: {kind: server}, sequenceLengthMix: [{inputTokens: %d, outputTokens: %d, weight: 1}], concurrencyModel: %s}
  trials: {minReplicates: %d}
  %s
`, strings.ReplaceAll(s.Name, "_", "-"), h.Model, size.Input, size.Output, model, size.Launches, words.Replace(s.Fragment))
}

// slo are the limits of the reference for serving.
const slo = `[{metric: ttft, percentile: 99, max: 2s}, {metric: tpot, percentile: 99, max: 200ms}]`
