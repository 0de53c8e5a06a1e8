package bench

import (
	"slices"
	"strings"

	"assay/spec"
)

// A Backend is what genai-bench calls a kind of server, in assay's words.
type Backend struct {
	Name string
	APIs []TaskAPI

	// Auth is the kind of target.auth; Keys are variables that may hold the key of
	// a bearer, beside those that the caller names.
	Auth string
	Keys []string

	// NoEOS says that ignore_eos is not sent: the service refuses what it does not
	// know.
	NoEOS bool

	// Missing says why nothing can be asked of the backend; empty where it can.
	Missing string
}

// A TaskAPI is the target.api by which a backend is asked for a task.
type TaskAPI struct{ Task, API string }

// openAITasks are what servers with OpenAI's API are asked for.
var openAITasks = []TaskAPI{
	{spec.TextToText, "openai-chat"}, {spec.ImageTextToText, "openai-chat"},
	{spec.TextToEmbeddings, "openai-embeddings"}, {spec.ImageToEmbeddings, "openai-embeddings"},
	{spec.TextToImage, "openai-images"}, {spec.TextToSpeech, "openai-speech"},
	{spec.TextToRerank, "rerank"}, {spec.SpeechToText, "openai-transcription"},
}

// Backends lists the backends of genai-bench.
var Backends = []Backend{
	{Name: "openai", APIs: openAITasks, Auth: spec.AuthBearer, Keys: []string{"OPENAI_API_KEY"}, NoEOS: true},
	{Name: "vllm", APIs: openAITasks, Auth: spec.AuthBearer},
	{Name: "sglang", APIs: openAITasks, Auth: spec.AuthBearer},
	{Name: "together", APIs: openAITasks[:3], Auth: spec.AuthBearer, Keys: []string{"TOGETHER_API_KEY"}},
	{Name: "azure-openai", APIs: []TaskAPI{{spec.TextToText, "azure-openai"}, {spec.ImageTextToText, "azure-openai"}}, Auth: spec.AuthAzure, NoEOS: true},
	{Name: "aws-bedrock", APIs: []TaskAPI{{spec.TextToText, "aws-bedrock"}}, Auth: spec.AuthAWS},
	{Name: "gcp-vertex", APIs: []TaskAPI{{spec.TextToText, "gcp-vertex"}}, Auth: spec.AuthGoogle},
	{Name: "cohere", APIs: []TaskAPI{{spec.TextToText, "cohere-chat"}, {spec.TextToEmbeddings, "cohere-embed"}, {spec.ImageToEmbeddings, "cohere-embed"}, {spec.TextToRerank, "cohere-rerank"}}, Auth: spec.AuthBearer},
	{Name: "oci-cohere", APIs: []TaskAPI{{spec.TextToText, "oci-cohere"}}, Auth: spec.AuthOCI},
	{Name: "oci-genai", APIs: []TaskAPI{{spec.TextToText, "oci-genai"}}, Auth: spec.AuthOCI},
	{Name: "oci-cohere-v2", Missing: "assay does not speak the format COHEREV2: ask with oci-cohere or oci-genai"},
	{Name: "oci-openai", Missing: "assay does not sign OpenAI's requests for OCI: ask the service directly, or through a gateway with a key"},
}

// api is how the backend is asked for a task.
func (b Backend) api(task string) (string, bool) {
	i := slices.IndexFunc(b.APIs, func(t TaskAPI) bool { return t.Task == task })
	if i < 0 {
		return "", false
	}
	return b.APIs[i].API, true
}

// tasks lists what the backend can be asked for.
func (b Backend) tasks() string {
	var names []string
	for _, t := range b.APIs {
		names = append(names, t.Task)
	}
	return strings.Join(names, ", ")
}

func backendNames() string {
	var names []string
	for _, b := range Backends {
		names = append(names, b.Name)
	}
	return strings.Join(names, ", ")
}

// chooseBackend finds the API by the backend and the task. The name of one of
// assay's own APIs stands for itself, unless it is a backend's too: sglang means
// what genai-bench means by it.
func (m *maker) chooseBackend() {
	task, t := m.run.Spec.Workload.Prompt.Task, m.run.Spec.Target
	name := strings.ToLower(m.v.text("api-backend"))
	i := slices.IndexFunc(Backends, func(b Backend) bool { return b.Name == name })
	if i < 0 {
		m.backend = Backend{Name: name, Auth: spec.AuthBearer}
		switch name {
		case "gcp-gemini":
			m.backend.Auth = spec.AuthGoogle
		case "anthropic-messages":
			m.backend.Auth, m.backend.Keys = spec.AuthHeader, []string{"ANTHROPIC_API_KEY"}
		}
		if name != "" && !slices.Contains(spec.Vocabularies["apis"], name) || name == spec.APICommand {
			m.fail("--api-backend: got %q, want one of %s, or an API of assay over HTTP", name, backendNames())
		}
		t.API = name // the task's usual one where there is none
		return
	}
	m.backend = Backends[i]
	api, ok := m.backend.api(task)
	switch {
	case m.backend.Missing != "":
		m.fail("--api-backend %s: %s", name, m.backend.Missing)
	case !ok:
		m.fail("--task: got %s, which assay cannot ask of %s: want %s", task, name, m.backend.tasks())
	}
	t.API = api
}
