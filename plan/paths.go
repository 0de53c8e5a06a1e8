package plan

import (
	"fmt"
	"slices"

	"assay/spec"
)

// A Path is how one suite of an enabled layer is carried out: by this plan, or by a
// command of its own. One that is neither is carried out by nobody.
type Path struct {
	Field   string // of the suite in the document
	Layer   string
	Suite   string
	Here    bool   // the points of the plan are this suite
	Command string // what carries it out; empty where nothing does, or the plan does
}

func (p Path) String() string {
	switch {
	case p.Here:
		return "measured by this run"
	case p.Command != "":
		return "not part of this run: " + p.Command
	default:
		return "nothing carries it out"
	}
}

// measured are the suites that assay itself has: what a plan must hold to be one, and
// otherwise the command that measures it.
var measured = map[string]struct {
	has     func(Plan) bool
	command string
}{
	"serving-load":              {kinds(KindServing), "add spec.target and spec.load"},
	"vllm-concurrency-sweep":    {kinds(KindServing), "add spec.target and spec.load"},
	"customer-serving-workflow": {kinds(KindServing), "add spec.target and spec.load"},
	"train-step":                {kinds(KindSteps), "assay train"},
	"time-to-train":             {kinds(KindSteps), "assay train"},
	"collectives":               {kinds(KindCollective, KindPairs), "assay comm"},
	"nccl-allreduce":            {kinds(KindCollective), "assay comm --backend nccl --ops all_reduce"},
	"probes":                    {kinds(KindProbe), "assay probe"},
	"fio-storage":               {probes("disk"), "assay probe disk"},
	"gemm":                      {probes("matmul"), "assay probe matmul"},
	"model-server-kernels":      {probes("matmul"), "assay probe matmul"},
	"dataloader":                {probes("dataloader"), "assay probe dataloader"},
	"job-startup":               {probes("startup"), "assay probe startup"},
}

// presets are the lists of measurements that assay suite has, by the execution path
// that each stands for: a fast signal of health, a common and a full evaluation,
// readiness of several hosts.
var presets = []string{
	"micro", "component", "end-to-end", "all", "tier1", "common-answer-fast", "core-system", "modern-llm", "fabric-systems", "multinode-readiness",
}

func kinds(list ...Kind) func(Plan) bool { return func(p Plan) bool { return p.Has(list...) } }

func probes(name string) func(Plan) bool {
	return func(p Plan) bool {
		asked := p.Run.Spec.Probe
		return asked != nil && slices.Contains(asked.Probes, name)
	}
}

// Paths lists the suites of the enabled layers with what carries each out.
func (p Plan) Paths() []Path {
	var list []Path
	for i, layer := range p.Run.Spec.Layers {
		for j, s := range layer.Suites {
			if layer.Enabled {
				list = append(list, p.path(Path{Field: fmt.Sprintf("spec.layers[%d].suites[%d]", i, j), Layer: layer.Name, Suite: s.Name}, s))
			}
		}
	}
	return list
}

func (p Plan) path(to Path, s spec.Suite) Path {
	own, known := measured[s.Name]
	switch {
	case known && own.has(p):
		to.Here = true
	case s.RepoCommand != "":
		to.Command = s.RepoCommand
	case known:
		to.Command = own.command
	case slices.Contains(presets, s.Name):
		to.Command = "assay suite " + s.Name
	}
	return to
}
