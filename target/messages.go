package target

import (
	"slices"

	"assay/record"
)

// conversations lists the dialects that send what was said before. To the others
// a call is one text.
var conversations = []string{
	"openai-chat", "openai-responses", "azure-openai", "anthropic-messages", "cohere-chat", "aws-bedrock", "gcp-gemini", "gcp-vertex",
}

// Converses reports whether the dialect called name sends the messages of a
// call's payload.
func Converses(name string) bool { return slices.Contains(conversations, name) }

// turns is the conversation of a call as chat APIs take it: what the system says
// apart, and people and assistant in turn. A tool's answer goes out as the
// user's: the tool role needs the id of a call that the model made, and here
// the workload made it. Neighbours of one role become one, since many chat
// templates refuse them.
func turns(call record.Call) (system string, list []record.Message) {
	if call.Payload == nil || len(call.Payload.Messages) == 0 {
		return "", []record.Message{{Role: "user", Content: call.Prompt}}
	}
	for _, m := range call.Payload.Messages {
		if m.Role == "tool" {
			m.Role = "user"
		}
		last := len(list) - 1
		switch {
		case m.Role == "system" && last < 0:
			system = joined(system, m.Content)
		case last >= 0 && list[last].Role == m.Role:
			list[last].Content = joined(list[last].Content, m.Content)
		default:
			list = append(list, m)
		}
	}
	return system, list
}

func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + "\n\n" + b
}

// messages is the conversation of a call as a list of role and content, the
// system's words first.
func messages(call record.Call) []map[string]string {
	system, list := turns(call)
	var out []map[string]string
	if system != "" {
		out = append(out, map[string]string{"role": "system", "content": system})
	}
	for _, m := range list {
		out = append(out, map[string]string{"role": m.Role, "content": m.Content})
	}
	return out
}

// inParts is a conversation whose texts stand in a list named parts, with
// another name for the assistant.
func inParts(list []record.Message, parts, assistant string) []any {
	var out []any
	for _, m := range list {
		if m.Role == "assistant" {
			m.Role = assistant
		}
		out = append(out, map[string]any{"role": m.Role, parts: []any{map[string]string{"text": m.Content}}})
	}
	return out
}
