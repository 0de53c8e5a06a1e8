package metric

import (
	"encoding/json"
	"strings"

	"assay/record"
	"assay/unit"
)

// GPUMemoryShare is how much of the accelerators' memory was taken.
var GPUMemoryShare = Metric{
	ID: "gpu_memory_share.v1", Name: "GPU memory, share", Unit: unit.Share, Better: Higher, Scope: only(Telemetry),
	Doc: "Memory efficiency: gpu_memory.v1 divided by the memory of the accelerators that were read, as the environment has it, or spec.bounds.gpuMemory for each where it has none. Engines reserve their KV cache at the start, whatever they use of it; kv_cache_usage.v1 tells that.",
	Of: Whole(func(p *Point) (float64, bool) {
		list, read := p.gpuMean("memory.used")
		if !read {
			return 0, false
		}
		total, known := p.gpuMemory()
		return sumOf(list, mean) / total, known
	}),
}

// gpuMemory is the memory of all accelerators that were read.
func (p *Point) gpuMemory() (total float64, known bool) {
	devices := p.Samples.bySource[gpuSource+" memory.used"]
	for _, s := range devices {
		if p.Samples.memory[s.scope] == 0 {
			b := p.bounds()
			if b == nil || b.GPUMemory == 0 {
				return 0, false
			}
			return float64(len(devices)) * float64(b.GPUMemory), true
		}
		total += p.Samples.memory[s.scope]
	}
	return total, total > 0
}

// memoryOf finds how much memory each accelerator has among the facts of the
// machine, by UUID.
func memoryOf(e record.Environment) map[string]float64 {
	found := map[string]float64{}
	for name, fact := range e {
		device, ok := strings.CutSuffix(name, ".memory_total_bytes")
		if !ok || !strings.HasPrefix(name, "gpu.") {
			continue
		}
		uuid, named := e[device+".uuid"].Value.(string)
		if bytes, ok := asNumber(fact.Value); ok && named {
			found[uuid] = bytes
		}
	}
	return found
}

// asNumber reads a fact that is a number: as it was found, or as JSON gives it
// back.
func asNumber(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	case json.Number:
		n, err := v.Float64()
		return n, err == nil
	}
	return 0, false
}
