package warehouse

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"assay/analysis/diff"
	"assay/judge"
	"assay/record"
	"assay/spec"
)

// A dimension is something that many runs share, named by the digest of its content:
// two runs with the same digest are the same in it.
type dimension struct{ digest, kind, content string }

// dimensions of a run: what it asked, where, with what and on what.
type dimensions struct {
	workload, environment, topology, software, cluster dimension
}

func (d dimensions) all() []dimension {
	return []dimension{d.workload, d.environment, d.topology, d.software, d.cluster}
}

func dimensionsOf(j *judge.Judgement) (d dimensions, err error) {
	env := j.Bundle.Manifest.Environment
	s := j.Plan.Decided()
	for _, one := range []struct {
		to      *dimension
		kind    string
		content any
	}{
		{&d.workload, "workload", workloadOf(j)},
		{&d.environment, "environment", diff.Lasting(env)},
		{&d.topology, "topology", pick(env, map[string]string{
			"gpu_model": "gpu.0.model", "gpu_count": "gpu.count", "pcie_layout": "pci.gpus", "nvlink_topology": "topology.gpu_gpu",
			"gpu_nic_affinity": "topology.gpu_nic", "numa_layout": "numa.nodes", "nic": "pci.nics", "storage": "block.devices", "cpu_model": "cpu.model",
			"cpu_cores": "cpu.cores", "memory_bytes": "memory.total_bytes",
		})},
		{&d.software, "software", pick(env, map[string]string{
			"image_digest": "container.image_digest", "driver_version": "gpu.driver", "cuda_version": "gpu.cuda_driver", "nccl_version": "software.nccl_library",
			"framework_version": "python.torch", "runtime_version": "python.version", "server_engine": "server.engine", "server_version": "server.version",
			"kernel": "kernel.release", "assay": "assay.version",
		})},
		{&d.cluster, "cluster", with(pick(env, map[string]string{
			"cluster": "env.CLUSTER", "region": "env.REGION", "availability_zone": "env.ZONE", "node_pool": "env.NODE_POOL",
			"queue": "scheduler.partition", "scheduler": "scheduler.kind",
		}), "scheduler_path", s.Intent.SchedulerPath)},
	} {
		if *one.to, err = dimensionOf(one.kind, one.content); err != nil {
			return d, err
		}
	}
	// The digests that the bundle itself has are those that people know.
	d.workload.digest = cmp.Or(j.Bundle.Manifest.WorkloadDigest, j.Plan.WorkloadDigest, d.workload.digest)
	d.topology.digest = cmp.Or(j.Bundle.Manifest.TopologyDigest, d.topology.digest)
	return d, nil
}

func dimensionOf(kind string, content any) (dimension, error) {
	text, err := json.Marshal(content)
	if err != nil {
		return dimension{}, err
	}
	digest, err := spec.Digest(content)
	return dimension{digest, kind, string(text)}, err
}

// pick takes facts of an environment under other names. What could not be read is left
// out.
func pick(env record.Environment, names map[string]string) map[string]any {
	out := map[string]any{}
	for name, path := range names {
		switch value := env[path].Value.(type) {
		case nil:
		case string, bool, float64, int, int64:
			out[name] = value
		default:
			out[name] = fmt.Sprint(value)
		}
	}
	return out
}

func with(m map[string]any, name string, value any) map[string]any {
	m[name] = value
	return m
}

// workloadOf is the workload in the words of the contract.
func workloadOf(j *judge.Judgement) map[string]any {
	s := j.Plan.Decided()
	var points []string
	for _, p := range j.Plan.Points {
		points = append(points, p.Name)
	}
	out := map[string]any{
		"model": modelOf(j), "precision": s.Workload.Precision, "batching_policy": s.Workload.BatchingPolicy,
		"concurrency_points": strings.Join(points, ", "),
	}
	if t := j.Plan.Target(); t != nil {
		out["protocol"], out["deployment_model"] = t.API, j.Plan.Run.SystemOf(t).DeploymentModel
	}
	var in, completion []string
	for _, mix := range s.Workload.SequenceLengthMix {
		in = append(in, fmt.Sprintf("%d × %g", mix.InputTokens, mix.Weight))
		completion = append(completion, fmt.Sprintf("%d × %g", mix.OutputTokens, mix.Weight))
	}
	out["prompt_distribution"], out["completion_distribution"] = strings.Join(in, ", "), strings.Join(completion, ", ")
	return out
}

func modelOf(j *judge.Judgement) string {
	s := j.Plan.Decided()
	if s.Target != nil && s.Target.Model != "" {
		return s.Target.Model
	}
	return s.Workload.Model
}

// systemOf names what was measured so that the name stays while its version changes: the
// engine that answered, or the kind of work of ranks.
func systemOf(j *judge.Judgement) string {
	t := j.Plan.Target()
	if t == nil {
		var kinds []string
		for _, p := range j.Plan.Points {
			kinds = append(kinds, string(p.Kind()))
		}
		slices.Sort(kinds)
		return strings.Join(slices.Compact(kinds), "+")
	}
	engine, _ := j.Bundle.Manifest.Environment["server.engine"].Value.(string)
	return cmp.Or(engine, j.Plan.Run.SystemOf(t).Engine, t.API)
}

// testbedOf names the machine that measured, by its name and shape: noise is a property of
// it, and two of them are never one series.
func testbedOf(j *judge.Judgement) string {
	env := j.Bundle.Manifest.Environment
	name := textOf(env, "join.node_name")
	if name == "" {
		name = cmp.Or(textOf(env, "host.name"), "unknown")
	}
	return name + "/" + short(j.Bundle.Manifest.TopologyDigest)
}

func textOf(env record.Environment, name string) string {
	value, _ := env[name].Value.(string)
	return value
}

// short is the beginning of a digest, as people write it.
func short(digest string) string {
	digest = strings.TrimPrefix(digest, "sha256:")
	return digest[:min(12, len(digest))]
}
