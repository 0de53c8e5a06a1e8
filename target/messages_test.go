package target

import (
	"encoding/json"
	"reflect"
	"testing"

	"assay/record"
)

// Every dialect that says it sends conversations does, each in its own shape,
// and people and assistant take turns in it.
func TestConversations(t *testing.T) {
	call := record.Call{Prompt: "c", OutputTokens: 5, Payload: &record.Payload{Messages: []record.Message{
		{Role: "system", Content: "s"}, {Role: "user", Content: "a"}, {Role: "assistant", Content: "b"},
		{Role: "tool", Content: "t"}, {Role: "user", Content: "c"},
	}}}
	plain := `[{"role":"system","content":"s"},{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"t\n\nc"}]`
	parts := func(name, assistant string) string {
		return `[{"role":"user","` + name + `":[{"text":"a"}]},{"role":"` + assistant + `","` + name + `":[{"text":"b"}]},{"role":"user","` + name + `":[{"text":"t\n\nc"}]}]`
	}
	want := map[string]string{
		"openai-chat":        `{"messages":` + plain + `}`,
		"azure-openai":       `{"messages":` + plain + `}`,
		"cohere-chat":        `{"messages":` + plain + `}`,
		"openai-responses":   `{"input":` + plain + `}`,
		"anthropic-messages": `{"system":"s","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"t\n\nc"}]}`,
		"aws-bedrock":        `{"system":[{"text":"s"}],"messages":` + parts("content", "assistant") + `}`,
		"gcp-gemini":         `{"systemInstruction":{"parts":[{"text":"s"}]},"contents":` + parts("parts", "model") + `}`,
		"gcp-vertex":         `{"systemInstruction":{"parts":[{"text":"s"}]},"contents":` + parts("parts", "model") + `}`,
	}
	for _, named := range All {
		if Converses(named.Name) != (want[named.Name] != "") {
			t.Errorf("%s: Converses is %v and the test expects %q", named.Name, Converses(named.Name), want[named.Name])
			continue
		}
		if !Converses(named.Name) {
			continue
		}
		body, err := named.Dialect.Encode(call, Ask{Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		var got, expected map[string]any
		if err := json.Unmarshal(body, &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(want[named.Name]), &expected); err != nil {
			t.Fatal(err)
		}
		for key, value := range expected {
			if !reflect.DeepEqual(got[key], value) {
				t.Errorf("%s sends %s %v, want %v", named.Name, key, got[key], value)
			}
		}
		if call.Payload.Messages[3].Role != "tool" {
			t.Fatal("encoding changes the call")
		}
	}
}
