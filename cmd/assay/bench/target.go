package bench

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/spec"
)

// target says where the server is and which model it is asked for.
func (m *maker) target() {
	t, w := m.run.Spec.Target, &m.run.Spec.Workload
	t.URL = m.address()
	if t.URL == "" {
		m.fail("missing argument: the address of the server, as in assay bench http://127.0.0.1:8000")
	}
	label, name := m.v.text("model"), m.v.text("api-model-name")
	if m.backend.Auth == spec.AuthAzure {
		if deployment := m.v.text("azure-deployment"); deployment != "" {
			t.Model = deployment
		}
		if m.v.text("azure-api-version") != "" {
			const variable = "AZURE_OPENAI_API_VERSION"
			t.Query = map[string]spec.Secret{"api-version": {Env: variable}}
			m.keep(variable, m.v.flag("azure-api-version"))
		}
	}
	if label == "" {
		label = name
	}
	if name == "" {
		name = label
	}
	w.Model = label // none yet: the server is asked later
	if t.Model == "" && name != label {
		t.Model = name // by default it is the workload's
	}
}

// address is the base URL, or the one that a cloud's options name.
func (m *maker) address() string {
	base, short := m.v.text("api-base"), m.v.text("url")
	if base != "" && short != "" && base != short {
		m.fail("--url: got %s beside --api-base %s, want one of them", short, base)
	}
	if base == "" {
		base = short
	}
	switch m.backend.Auth {
	case spec.AuthAzure:
		if endpoint := m.v.text("azure-endpoint"); endpoint != "" {
			return endpoint
		}
	case spec.AuthAWS:
		if base == "" {
			return fmt.Sprintf("https://bedrock-runtime.%s.amazonaws.com", or(m.v.text("aws-region"), "us-east-1"))
		}
	case spec.AuthGoogle:
		return m.vertex(base)
	}
	return base
}

// vertex is the address of a project; one that names a project already stays.
func (m *maker) vertex(base string) string {
	project, place := m.v.text("gcp-project-id"), or(m.v.text("gcp-location"), "us-central1")
	if m.backend.Name != "gcp-vertex" || strings.Contains(base, "/projects/") {
		return base
	}
	if project == "" {
		m.fail("--gcp-project-id: got nothing, want the project that pays, or an --api-base that ends in /v1/projects/PROJECT/locations/PLACE")
	}
	base = strings.TrimSuffix(strings.TrimRight(or(base, "https://"+place+"-aiplatform.googleapis.com"), "/"), "/v1")
	return fmt.Sprintf("%s/v1/projects/%s/locations/%s", base, project, place)
}

func or(value, other string) string {
	if value == "" {
		return other
	}
	return value
}

// body takes the fields that are added to every request. Those that a spec has a
// field for go there, so that what is recorded is what is sent.
func (m *maker) body() {
	t, l := m.run.Spec.Target, m.run.Spec.Load
	if m.backend.NoEOS {
		no := false
		l.IgnoreEOS, t.OmitBody = &no, []string{"ignore_eos"}
	}
	raw := m.v.text("additional-request-params")
	if raw == "" {
		m.noteEOS()
		return
	}
	var fields map[string]any
	if err := json.Unmarshal([]byte(raw), &fields); err != nil {
		m.fail("--additional-request-params: got %s, want a JSON object: %v", raw, err)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		m.field(name, fields[name])
		if named[name] {
			delete(fields, name)
		}
	}
	if m.backend.Auth == spec.AuthOCI {
		serving(fields)
	}
	if len(fields) > 0 {
		t.ExtraBody = fields
	}
	m.noteEOS()
}

// named are fields of a body that do not stay in it.
var named = map[string]bool{"temperature": true, "ignore_eos": true, "messages": true, "system_message": true}

// field takes one field of the body.
func (m *maker) field(name string, value any) {
	t, l := m.run.Spec.Target, m.run.Spec.Load
	switch name {
	case "temperature":
		number, ok := value.(float64)
		if !ok {
			m.fail("--additional-request-params: temperature: got %v, want a number", value)
		}
		l.Temperature = number
	case "ignore_eos":
		flag, ok := value.(bool)
		if !ok {
			m.fail("--additional-request-params: ignore_eos: got %v, want true or false", value)
		}
		l.IgnoreEOS = &flag
		if !m.backend.NoEOS || flag {
			t.OmitBody = nil
		}
	case "messages", "system_message":
		m.fail("--additional-request-params: %s: the workload decides what is said; a data set with a column system says more", name)
	case "n":
		if m.run.Spec.Workload.Prompt.Task == spec.TextToImage {
			m.fail("--additional-request-params: n: the scenario says how many images, as I(512,512,2)")
		}
	}
}

// noteEOS says when answers may be shorter than asked.
func (m *maker) noteEOS() {
	t, l := m.run.Spec.Target, m.run.Spec.Load
	if slices.Contains(t.OmitBody, "ignore_eos") && spec.AnswersText(m.run.Spec.Workload.Prompt.Task) {
		m.note("backend %s: ignore_eos is not sent, as in genai-bench, so that answers may be shorter than asked; backends vllm and sglang send it", m.backend.Name)
	} else if l.IgnoreEOS != nil && !*l.IgnoreEOS {
		m.note("ignore_eos false is sent as asked; genai-bench overwrites it where there is a scenario")
	}
}

// serving puts the fields of a dedicated endpoint where OCI wants them.
func serving(fields map[string]any) {
	mode := map[string]any{}
	for _, name := range []string{"servingType", "endpointId"} {
		if value, ok := fields[name]; ok {
			mode[name] = value
			delete(fields, name)
		}
	}
	if len(mode) > 0 {
		fields["servingMode"] = mode
	}
}
