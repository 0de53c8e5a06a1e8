package foreign

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"assay/bundle"
	"assay/spec"
)

// exportedMetadata is the metadata of an export: genai-bench's own, and where it
// comes from, which genai-bench passes over.
type exportedMetadata struct {
	genaiMetadata
	From exportedFrom `json:"assay"`
}

// exportedFrom says which records a folder was made of.
type exportedFrom struct {
	RunID    string `json:"runID"`
	Digest   string `json:"digest"` // of the bundle
	Launch   int    `json:"launch"`
	Launches int    `json:"launches"` // of the bundle, completed ones
	Note     string `json:"note"`
}

const (
	exportNote = "one launch; measured requests alone, without warm-up, cut and cancelled ones; latency from the send; rates over the measured window"

	repeatNote = "one launch; all rows that genai-bench kept, those that it cut as warm-up and cool-down too: statistics and rates rest on the same rows"
)

// metadata describes the export. A bundle that repeats genai-bench kept the
// original, without its secrets.
func (e genaiExport) metadata(runs []genaiRunOf, folder string) (exportedMetadata, error) {
	completed := 0
	for _, l := range e.from.Launches() {
		if l.Outcome == bundle.LaunchCompleted {
			completed++
		}
	}
	out := exportedMetadata{From: exportedFrom{
		RunID: e.from.Manifest.RunID, Digest: e.from.Manifest.Digest, Launch: e.launch, Launches: completed, Note: exportNote,
	}}
	kept, err := e.keptMetadata()
	if err != nil {
		return out, err
	}
	if kept != nil {
		out.genaiMetadata, out.From.Note = *kept, repeatNote
		out.Command = withoutRatios(out.Command)
	} else {
		out.genaiMetadata = e.ownMetadata(folder)
	}
	m := &out.genaiMetadata
	m.Concurrency, m.BatchSize, m.TimeUnit, m.Iteration = nil, nil, inSeconds, runs[0].Aggregate.Iteration
	var scenarios []string
	for _, r := range runs {
		addOnce(&m.Concurrency, *r.Aggregate.Concurrency)
		addOnce(&m.BatchSize, *r.Aggregate.BatchSize)
		addOnce(&scenarios, r.Aggregate.Scenario)
		if kept == nil {
			m.MostRequests = max(m.MostRequests, len(r.Rows))
			m.MostSeconds = max(m.MostSeconds, int(r.Aggregate.Seconds+.5))
		}
	}
	m.Scenarios = scenarios
	slices.Sort(m.Concurrency)
	slices.Sort(m.BatchSize)
	return out, nil
}

func addOnce[T comparable](list *[]T, v T) {
	if !slices.Contains(*list, v) {
		*list = append(*list, v)
	}
}

// keptMetadata is that of the folder that the launch was imported from; nil when
// there is none.
func (e genaiExport) keptMetadata() (*genaiMetadata, error) {
	if !e.repeats() {
		return nil, nil
	}
	for _, name := range []string{genaiMetadataFile, fmt.Sprintf("%d-%s", e.launch, genaiMetadataFile)} {
		data, err := e.from.ReadFile("raw/launch-00/" + SourcePrefix + name)
		if err != nil {
			continue
		}
		var m genaiMetadata
		if err := json.Unmarshal(data, &m); err != nil {
			return nil, fmt.Errorf("%s%s: %w", SourcePrefix, name, err)
		}
		return &m, nil
	}
	return nil, nil
}

// ownMetadata describes a run of assay's in genai-bench's words.
func (e genaiExport) ownMetadata(folder string) genaiMetadata {
	s := e.plan.Decided()
	m := genaiMetadata{
		Command: "assay export genai-bench " + e.from.Manifest.RunID, Version: "assay " + e.from.Manifest.Tool.Version,
		Auth: map[string]any{}, APIModel: s.Workload.Model, Model: lastPart(s.Workload.Model), Task: e.task(),
		ExtraParameters: map[string]any{}, Folder: folder, Dataset: "None",
		Engine: e.fact("server.engine"), EngineVersion: e.fact("server.version"),
		GPUType: e.fact("gpu.0.model", "declared.gpu.model"), GPUCount: e.fact("gpu.count", "declared.gpu.count"),
		Backend: "openai",
	}
	if path := s.Workload.Tokenizer.Path; path != "" {
		m.Tokenizer = path
	}
	if s.Workload.Prompt.Dataset != nil {
		m.Dataset = s.Workload.DatasetRef
	}
	if t := s.Target; t != nil {
		m.Backend = genaiBackend(t.API)
		if t.Model != "" {
			m.APIModel = t.Model
		}
		for name, value := range t.ExtraBody {
			m.ExtraParameters[name] = value
		}
	}
	return m
}

// genaiBackend is genai-bench's name for an API: the same for the clouds, openai
// for whatever speaks like it.
func genaiBackend(api string) string {
	if slices.Contains([]string{"azure-openai", "aws-bedrock", "gcp-vertex", "oci-genai", "oci-cohere", spec.APICommand, "sglang"}, api) {
		return api
	}
	if strings.HasPrefix(api, "cohere") {
		return "cohere"
	}
	return "openai"
}

// fact is the first of the named facts that is known, as genai-bench has labels;
// nil when none is.
func (e genaiExport) fact(names ...string) any {
	for _, name := range names {
		if f, ok := e.from.Manifest.Environment[name]; ok && f.Value != nil {
			return fmt.Sprint(f.Value)
		}
	}
	return nil
}
