package lint

import (
	"fmt"
	"strings"

	"assay/finding"
)

// ModelOverrides fires when the engine computes less than the model that it
// names.
var ModelOverrides = Check{
	ID: "model-overrides", Code: "L-23", Severity: finding.Void,
	Doc: "A model with fewer layers, experts or real weights is another model.",
	When: "flags that replace parts of the model or fill it with random weights; a pair with one model " +
		"name and two digests",
	Applies: serves,
	Run:     modelOverrides,
}

// overrides are the flags of engines that change what is computed.
var overrides = []struct {
	flag  string
	value string // empty means any
	why   string
}{
	{"hf-overrides", "", "replaces parts of the model's configuration (vLLM)"},
	{"hf_overrides", "", "replaces parts of the model's configuration (vLLM)"},
	{"json-model-override-args", "", "replaces parts of the model's configuration (SGLang)"},
	{"override-kv", "", "replaces the model's metadata (llama.cpp)"},
	{"load-format", "dummy", "fills the model with random weights (vLLM, SGLang)"},
	{"load_format", "dummy", "fills the model with random weights (TensorRT-LLM)"},
}

func modelOverrides(f *Facts) Answer {
	var answer Answer
	for _, side := range f.sides() {
		server := f.target(side).Server
		if server == nil {
			answer.Missing = "the engine's command line, which target.server would record"
			continue
		}
		for _, found := range overriding(server.Command) {
			answer.Findings = append(answer.Findings, finding.Finding{
				Severity: finding.Void,
				Message:  fmt.Sprintf("%s is started with %s, which %s", targetOf(side), found.text, found.why),
				Why:      "it may compute less than the model that it is named after",
				Fix:      "start it without the flag, or name what is left of the model in every figure",
			})
		}
	}
	if f.Against == nil {
		return answer
	}
	a, b := f.Against.Manifest.Inputs.Model, f.Manifest.Inputs.Model
	if a != nil && b != nil && a.Name == b.Name && a.Digest != "" && b.Digest != "" && a.Digest != b.Digest {
		answer.Findings = append(answer.Findings, finding.Finding{
			Severity: finding.Void,
			Message:  fmt.Sprintf("both runs name the model %s, and its content differs: %s and %s", a.Name, a.Digest, b.Digest),
			Why:      "weights or configuration were changed under the same name",
			Fix:      "compare runs of the same content",
		})
	}
	return answer
}

type overrideFlag struct{ text, why string }

// overriding finds the flags of a command line that change the model.
func overriding(command []string) []overrideFlag {
	var list []overrideFlag
	for i, word := range command {
		name, dashed := strings.CutPrefix(word, "--")
		if !dashed {
			continue
		}
		name, value, joined := strings.Cut(name, "=")
		if !joined && i+1 < len(command) {
			value = command[i+1]
		}
		name, _, _ = strings.Cut(name, ".") // --hf-overrides.num_hidden_layers
		for _, o := range overrides {
			if name == o.flag && (o.value == "" || o.value == value) {
				list = append(list, overrideFlag{strings.TrimSpace("--" + name + " " + value), o.why})
			}
		}
	}
	return list
}
