package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
)

// A ContractSurface is one generated description of the documents.
type ContractSurface struct {
	Name   string `json:"name"`
	Path   string `json:"path"` // in the source tree
	SHA256 string `json:"sha256"`
	Bytes  int    `json:"bytes"`
}

// A ContractSummary is everything a program needs to make a document.
type ContractSummary struct {
	APIVersions []string          `json:"apiVersions"`
	Kinds       []string          `json:"kinds"`
	Surfaces    []ContractSurface `json:"contracts"`
	Defaults    map[string]string `json:"defaults"`
	Choices     map[string]any    `json:"choices"`
	PreviewYAML string            `json:"previewYAML"`
}

// Contracts lists every generated description of the documents, and what the renderer
// takes.
func Contracts() (ContractSummary, error) {
	s := ContractSummary{
		APIVersions: Vocabularies["apiVersions"],
		Kinds:       []string{KindBenchmarkRun, KindWorkloadSpec, KindGatePolicy, KindPerformanceIntake, KindBenchmarkSchedule},
		Defaults:    map[string]string{}, Choices: map[string]any{},
	}
	files, err := Generated()
	if err != nil {
		return s, err
	}
	for _, f := range files {
		sum := sha256.Sum256(f.Data)
		s.Surfaces = append(s.Surfaces, ContractSurface{path.Base(f.Path), f.Path, hex.EncodeToString(sum[:]), len(f.Data)})
	}
	for _, f := range RenderFields {
		s.Defaults[f.Name] = f.Default
		if f.Choices != nil {
			s.Choices[f.Name] = f.Choices
		}
	}
	rendering, err := Render(nil)
	s.PreviewYAML = rendering.RenderedYAML
	return s, err
}
