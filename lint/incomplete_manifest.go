package lint

import (
	"fmt"
	"strings"

	"assay/finding"
)

// IncompleteManifest fires when a publication does not say what it ran on.
var IncompleteManifest = Check{
	ID: "incomplete-manifest", Code: "H-09", Severity: finding.Void,
	Doc:     "The manifest of a publication lacks factors that decide the result.",
	When:    "publication only: a required fact, clock, seed, input or the topology is not recorded",
	Applies: publication,
	Run:     incompleteManifest,
}

// requiredFacts decide results everywhere, by one of the names that may hold them.
var requiredFacts = [][]string{
	{"host.name"}, {"kernel.release"}, {"os.name"}, {"cpu.model"}, {"cpu.threads"}, {"memory.total_bytes"},
	{"clock.source"}, {"assay.version"}, {"server.engine"}, {"server.version"},
}

// requiredGPUFacts do so where there are accelerators.
var requiredGPUFacts = [][]string{
	{"gpu.driver", "software.nvidia_driver"}, {"gpu.cuda_driver", "software.cuda_toolkit"},
	{"software.nccl_library", "python.nvidia-nccl"},
	{"gpu.0.model"}, {"gpu.0.uuid"}, {"gpu.0.vbios"}, {"gpu.0.power_limit_watts"}, {"gpu.0.memory_total_bytes"}, {"gpu.0.ecc"},
}

func incompleteManifest(f *Facts) Answer {
	required := requiredFacts
	if !f.noGPUs() {
		required = append(required[:len(required):len(required)], requiredGPUFacts...)
	}
	var lacks []string
	for _, names := range required {
		if !f.anyFact(names) {
			lacks = append(lacks, names[0])
		}
	}
	m := f.Manifest
	for _, other := range []struct {
		name  string
		known bool
	}{
		{"topologyDigest", m.TopologyDigest != ""}, {"clocks", len(m.Clocks) > 0}, {"inputs.seeds", len(m.Inputs.Seeds) > 0},
		{"inputs.model", m.Inputs.Model != nil}, {"inputs.tokenizer", m.Inputs.Tokenizer != nil},
	} {
		if !other.known {
			lacks = append(lacks, other.name)
		}
	}
	if len(lacks) == 0 {
		return found()
	}
	total := len(required) + 5
	return found(finding.Finding{
		Severity: finding.Void,
		Message:  fmt.Sprintf("the manifest lacks %d of %d required fields: %s", len(lacks), total, strings.Join(lacks, ", ")),
		Why:      "who cannot see a factor cannot hold it equal, nor repeat the run",
		Fix:      "run where assay can read them (assay doctor says what it cannot), with a target that tells its engine and version",
		Evidence: lacks,
	})
}

func (f *Facts) anyFact(names []string) bool {
	for _, name := range names {
		if _, known := f.fact(name); known {
			return true
		}
	}
	return false
}
