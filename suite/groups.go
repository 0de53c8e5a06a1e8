package suite

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A Group is the steps about one subject, whatever layer they are of.
type Group struct {
	Name  string
	Steps []string
}

// Groups lists the groups. Every step is of one.
var Groups = []Group{
	{"communication", []string{"connectivity_probe", "nccl_single_node", "nccl_multi_node", "allreduce_stability", "allreduce_latency_comp", "allgather_control_plane",
		"nccl_alltoall", "nccl_algo_comparison", "nccl_env_sensitivity", "pairs", "network", "ib_sharp_check", "fabric_eval"}},
	{"compute", []string{"gemm_sanity", "mamf_finder", "attention"}},
	{"memory", []string{"gpu_stream", "numa_mem_bw", "nvbandwidth", "kv_cache"}},
	{"storage", []string{"fio_all_nodes", "checkpoint_io"}},
	{"input", []string{"dataloader", "quick_friction"}},
	{"training", []string{"train_step"}},
	{"serving", []string{"vllm_serve_sweep", "vllm_request_rate_sweep", "vllm_serve_multinode"}},
}

// AllGroups is the name of all of them together.
const AllGroups = "all"

// Only is the preset with the steps of one group.
func (p Preset) Only(group string) (Preset, error) {
	if group == AllGroups {
		return p, nil
	}
	names := []string{}
	for _, g := range Groups {
		names = append(names, g.Name)
		if g.Name != group {
			continue
		}
		p.Steps = slices.DeleteFunc(slices.Clone(p.Steps), func(name string) bool { return !slices.Contains(g.Steps, name) })
		if len(p.Steps) == 0 {
			return p, fmt.Errorf("preset %s has no step about %s", p.Name, group)
		}
		p.Strict = false // its gates are about the whole
		return p, nil
	}
	return p, fmt.Errorf("no group %q: want %s or %s", group, strings.Join(names, ", "), AllGroups)
}

// Counts are how often everything is done, in place of what the steps say; zero leaves it
// to them.
type Counts struct {
	Iterations int // timed calls, steps, replicates or requests
	Warmup     int // of them before measuring; probes warm up by themselves
}

// counted are the fields that counts stand in, by the part of the spec.
var counted = []struct{ part, iterations, warmup string }{
	{"collectives", "iterations: %d", "warmup: %d"},
	{"train", "steps: %d", "warmupSteps: %d"},
	{"probe", "replicates: %d", ""},
	{"load", "requests: %d", "warmup: {requests: %d}"},
}

// apply writes the counts into a spec.
func (c Counts) apply(text string) string {
	for _, f := range counted {
		if !strings.Contains(text, " "+f.part+": {") {
			continue
		}
		if c.Iterations > 0 {
			text = setField(text, f.part, fmt.Sprintf(f.iterations, c.Iterations))
		}
		if c.Warmup > 0 && f.warmup != "" {
			text = setField(text, f.part, fmt.Sprintf(f.warmup, c.Warmup))
		}
	}
	return text
}

// setField gives a part of a spec a field, in place of the one that it has.
func setField(text, part, field string) string {
	head := " " + part + ": {"
	before, after, _ := strings.Cut(text, head)
	line, rest, _ := strings.Cut(after, "\n")
	name, _, _ := strings.Cut(field, ":")
	old := regexp.MustCompile(`\b` + name + `: (\{[^}]*\}|[^,}]*)`)
	if old.MatchString(line) {
		line = old.ReplaceAllLiteralString(line, field)
	} else {
		line = field + ", " + line
	}
	return before + head + line + "\n" + rest
}
