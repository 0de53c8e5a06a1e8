package spec

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// A System is what stands behind the address of a target, as far as a client cannot
// see it. What is declared here is frozen with the plan and compared: two runs are not
// taken for runs on the same hardware because nobody said otherwise.
type System struct {
	// The engine, such as vllm. By default what the server says of itself.
	Engine string `json:"engine,omitzero" example:"vllm"`

	// The engine's version. By default what the server says of itself.
	Version string `json:"version,omitzero"`

	// The GPU, by any name that is the same for the same card, such as H100.
	GPUType string `json:"gpuType,omitzero" example:"H100"`

	// How many GPUs serve the model.
	GPUCount int `json:"gpuCount,omitzero" min:"1" max:"1000000"`

	// How the engine is deployed.
	DeploymentModel string `json:"deploymentModel,omitzero" enum:"deploymentModels"`

	// What answers at the address, such as the engine's own server, a gateway or a
	// router.
	ProtocolSurface string `json:"protocolSurface,omitzero"`
}

// SystemOf is what a document declares about the system behind t. Where target.system
// leaves a field out, the label counts that documents had in its place: server_engine,
// server_version, server_gpu_type and server_gpu_count.
func (r Run) SystemOf(t *Target) System {
	var s System
	if t != nil {
		s = t.System
	}
	label := r.Metadata.Labels
	s.Engine, s.Version = cmp.Or(s.Engine, label["server_engine"]), cmp.Or(s.Version, label["server_version"])
	s.GPUType = cmp.Or(s.GPUType, label["server_gpu_type"])
	if n, err := strconv.Atoi(label["server_gpu_count"]); err == nil && s.GPUCount == 0 {
		s.GPUCount = n
	}
	return s
}

// Hardware names the accelerators, such as 8 × H100; empty where nobody declared them.
func (s System) Hardware() string {
	switch {
	case s.GPUType == "" && s.GPUCount == 0:
		return ""
	case s.GPUType == "":
		return fmt.Sprintf("%d GPUs", s.GPUCount)
	case s.GPUCount == 0:
		return s.GPUType
	}
	return fmt.Sprintf("%d × %s", s.GPUCount, s.GPUType)
}

// String is everything that is declared; empty for nothing.
func (s System) String() string {
	var parts []string
	for _, text := range []string{strings.TrimSpace(s.Engine + " " + s.Version), s.Hardware(), s.DeploymentModel, s.ProtocolSurface} {
		if text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, ", ")
}
