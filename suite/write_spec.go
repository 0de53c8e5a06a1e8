package suite

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"assay/spec"
	"assay/unit"
)

// Spec is the whole spec of a step.
func (s Step) Spec(size Size, h Host) []byte {
	worlds := h.worlds()
	words := strings.NewReplacer(
		"{exchange}", h.exchange(s), "{on}", h.on(), "{backend}", h.backend(), "{algorithms}", h.algorithms(), "{settings}", h.settings(),
		"{compared}", h.compared(s), "{nodes}", h.nodes(s), "{shapes}", h.shapes(),
		"{worlds}", join(worlds), "{batch}", strconv.Itoa(4*worlds[len(worlds)-1]), "{device}", h.Device,
		"{each}", unit.Duration(s.Each(size, h)).String(), "{load}", unit.Duration(size.Load).String(), "{warmup}", unit.Duration(size.Warmup).String(),
		"{bytes}", size.Bytes, "{fileSize}", size.FileSize, "{steps}", strconv.Itoa(size.Steps),
		"{concurrency}", "["+join(size.Concurrency)+"]", "{rates}", "["+join(size.Rates)+"]", "{target}", h.Target, "{slo}", slo,
	)
	model := "closed_loop"
	if strings.Contains(s.Fragment, "{rates}") {
		model = "open_loop"
	}
	trials := fmt.Sprintf("{minReplicates: %d}", size.Launches)
	if s.launches(size, h) == 1 {
		trials = "{quick: true}"
	}
	return []byte(size.Counts.apply(fmt.Sprintf(`apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: %s}
spec:
  workload: {model: %s, tokenizer: {kind: server}, sequenceLengthMix: [{inputTokens: %d, outputTokens: %d, weight: 1}], concurrencyModel: %s}
  trials: %s
  %s
`, strings.ReplaceAll(s.Name, "_", "-"), h.Model, size.Input, size.Output, model, trials, words.Replace(s.Fragment))))
}

// slo are the limits of the reference for serving.
const slo = `[{metric: ttft, percentile: 99, max: 2s}, {metric: tpot, percentile: 99, max: 200ms}]`

func join[T int | float64](list []T) string {
	var parts []string
	for _, v := range list {
		parts = append(parts, fmt.Sprint(v))
	}
	return strings.Join(parts, ", ")
}

// mostRanks is the largest world that a suite starts.
const mostRanks = 8

// nccl says that a step exchanges the memory of accelerators. One accelerator is a
// world of one rank, which shows what a call costs and exchanges nothing; what takes
// two ranks is then left to processors.
func (h Host) nccl(s Step) bool {
	return h.Device == "cuda" && (h.Accelerators > 1 || !s.Two)
}

// exchange is where the ranks of a step are and who carries their bytes.
func (h Host) exchange(s Step) string {
	switch {
	case h.spans(s) && h.Device == "cuda":
		return fmt.Sprintf("backend: nccl, %s, ranks: [%d]%s", h.on(), h.Nodes, h.nodes(s))
	case h.spans(s):
		return fmt.Sprintf("ranks: [%d]%s", h.Nodes, h.nodes(s))
	case h.nccl(s):
		return fmt.Sprintf("backend: nccl, %s, ranks: [%d]", h.on(), max(1, min(h.Ranks, h.Accelerators, mostRanks)))
	case s.Library:
		return fmt.Sprintf("backend: gloo, device: cpu%s, ranks: [%d]", h.python(), h.hostRanks())
	}
	return fmt.Sprintf("ranks: [%d]", h.hostRanks())
}

// spans says that a step goes over several hosts.
func (h Host) spans(s Step) bool { return s.Nodes && h.Nodes > 1 }

// nodes is where the ranks of a step are, where it is about every host.
func (h Host) nodes(s Step) string {
	if !h.spans(s) {
		return ""
	}
	return ", launch: " + h.Launch
}

func (h Host) hostRanks() int { return max(2, min(h.Ranks, mostRanks)) }

// worlds are the sizes of worlds that train: powers of two.
func (h Host) worlds() (list []int) {
	most := h.hostRanks()
	if h.Device == "cuda" {
		most = max(1, min(h.Ranks, h.Accelerators, mostRanks)) // NCCL refuses two ranks on one device
	}
	for n := 1; n <= most; n *= 2 {
		list = append(list, n)
	}
	return list
}

// on is the device that probes and training use, and the Python that reaches it.
func (h Host) on() string { return "device: " + h.Device + h.python() }

func (h Host) python() string {
	if h.Python == "" {
		return ""
	}
	return fmt.Sprintf(", python: %q", h.Python)
}

// backend is that of training on accelerators; processors have the default.
func (h Host) backend() string {
	if h.Device == "cuda" {
		return "backend: " + spec.BackendNCCL + ", "
	}
	return ""
}

// algorithms are those that the backend of the host can be told to take.
func (h Host) algorithms() string {
	switch {
	case h.Device != "cuda":
		return "[auto, ring, tree, halving_doubling]"
	case h.Multicast && h.Accelerators > 2:
		return "[auto, ring, tree, nvls]"
	}
	return "[auto, ring, tree]"
}

// compared are the algorithms that a small target holds against each other.
func (h Host) compared(s Step) string {
	if h.nccl(s) {
		return h.algorithms()
	}
	return "[direct, ring, tree, halving_doubling]"
}

// shapes are what training is measured as: worlds of ranks against the plain program,
// or, where there is one accelerator, less precision against float32.
func (h Host) shapes() string {
	worlds := h.worlds()
	if len(worlds) == 1 {
		return "ranks: [1], vary: {knob: precision, values: [fp32, bf16]}"
	}
	return "ranks: [" + join(worlds) + "], single: true"
}

// settings are what may matter on one host: how many blocks of threads carry an
// exchange, and how large its buffers are; on processors, how many threads add.
func (h Host) settings() string {
	if h.Device == "cuda" {
		return "[{name: ctas_16_16, env: [NCCL_MIN_CTAS=16, NCCL_MAX_CTAS=16]}, {name: buffers_16MiB, env: [NCCL_BUFFSIZE=16777216]}]"
	}
	return "[{name: one_thread, env: [OMP_NUM_THREADS=1]}, {name: two_threads, env: [OMP_NUM_THREADS=2]}]"
}

// shortest is the least that a variant of a probe is measured: ten replicates of some
// milliseconds, which is a thousand times what the clock can be off.
const shortest = 30 * time.Millisecond

// Each is how long one variant of a probe is measured: its share of what the size
// gives the step.
func (s Step) Each(size Size, h Host) time.Duration {
	n := max(1, s.Parts.of(h.Device))
	return max(shortest, min(size.Each, size.Step/time.Duration(n))).Round(time.Millisecond)
}
