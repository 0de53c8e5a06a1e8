package telemetry

import (
	"context"
	"path"
	"strconv"
	"strings"

	"assay/record"
)

var numaSection = section{
	names: []string{"numa.nodes", "affinity.cpus", "affinity.memory_nodes", "affinity.numa_nodes"},
	read:  readNUMA,
}

func readNUMA(_ context.Context, h Host, env record.Environment) error {
	allowed := readAffinity(h, env)
	folders, err := h.glob("sys/devices/system/node/node[0-9]*")
	if err != nil {
		return err
	}
	spanned := []string{}
	for _, f := range folders {
		id := strings.TrimPrefix(path.Base(f), "node")
		name := "numa." + id
		h.record(env, fileFact{name + ".cpus", f + "/cpulist", anyText})
		h.record(env, fileFact{name + ".distance", f + "/distance", words})
		h.record(env, fileFact{name + ".memory_total_bytes", f + "/meminfo", nodeMemory})
		cpus, err := nodeCPUs(h, f)
		if err != nil {
			return err // without every node's CPUs nobody knows what the affinity spans
		}
		if overlap(allowed, cpus) {
			spanned = append(spanned, id)
		}
	}
	env.Set("numa.nodes", len(folders))
	if len(allowed) > 0 {
		env.Set("affinity.numa_nodes", spanned)
	}
	return nil
}

func nodeCPUs(h Host, folder string) ([]int, error) {
	text, err := h.text(folder + "/cpulist")
	if err != nil {
		return nil, err
	}
	return cpuList(text)
}

// readAffinity records where this process may run and returns those CPUs. The
// file speaks of the main thread; assay pins no thread before it captures.
func readAffinity(h Host, env record.Environment) []int {
	text, err := h.text("proc/self/status")
	if err != nil {
		for _, name := range []string{"affinity.cpus", "affinity.memory_nodes", "affinity.numa_nodes"} {
			env.Miss(name, err.Error())
		}
		return nil
	}
	values := keyValues(text, ":")
	for name, key := range map[string]string{"affinity.cpus": "Cpus_allowed_list", "affinity.memory_nodes": "Mems_allowed_list"} {
		if v, ok := values[key]; ok {
			env.Set(name, v)
		} else {
			env.Miss(name, "/proc/self/status: no "+key)
		}
	}
	cpus, err := cpuList(values["Cpus_allowed_list"])
	if err != nil || len(cpus) == 0 {
		env.Miss("affinity.numa_nodes", "/proc/self/status: no usable Cpus_allowed_list")
		return nil
	}
	return cpus
}

func overlap(a, b []int) bool {
	set := map[int]bool{}
	for _, n := range a {
		set[n] = true
	}
	for _, n := range b {
		if set[n] {
			return true
		}
	}
	return false
}

// nodeMemory reads the total from lines such as "Node 0 MemTotal:  65 kB".
func nodeMemory(text string) (any, error) {
	for line := range strings.Lines(text) {
		parts := strings.Fields(line)
		if len(parts) < 4 || parts[2] != "MemTotal:" {
			continue
		}
		if kib, err := strconv.ParseInt(parts[3], 10, 64); err == nil {
			return kib * 1024, nil
		}
	}
	return nil, errNoMemTotal
}
