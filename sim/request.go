package sim

import (
	"bytes"
	"encoding/json"
	"strings"
)

// A request is what a client asked for, checked and with the prompt in tokens.
type request struct {
	chat         bool
	model        string   // as asked, without the faults behind it
	faults       []string // named behind the model
	prompts      [][]token
	n            int // choices for each prompt
	maxTokens    int // 0 when the client set no limit
	stream       bool
	includeUsage bool
	ignoreEOS    bool
	seed         int64
}

// maxChoices bounds n times the number of prompts: what a request can make the
// server do must have an end.
const maxChoices = 128

// parseRequest reads the body of a chat or text completion. Fields it does not
// know are ignored, as real servers do.
func parseRequest(body []byte, chat bool) (*request, *refusal) {
	var in struct {
		Model               *string         `json:"model"`
		Messages            json.RawMessage `json:"messages"`
		Prompt              json.RawMessage `json:"prompt"`
		MaxTokens           *int            `json:"max_tokens"`
		MaxCompletionTokens *int            `json:"max_completion_tokens"`
		N                   *int            `json:"n"`
		Stream              bool            `json:"stream"`
		StreamOptions       *struct {
			IncludeUsage bool `json:"include_usage"`
		} `json:"stream_options"`
		IgnoreEOS bool   `json:"ignore_eos"`
		Seed      *int64 `json:"seed"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, badRequest("", "the body is not a valid request: %v", err)
	}
	r := &request{chat: chat, n: 1, stream: in.Stream, ignoreEOS: in.IgnoreEOS}
	if in.StreamOptions != nil {
		if !in.Stream {
			return nil, badRequest("stream_options", "stream_options: want stream to be true when it is given")
		}
		r.includeUsage = in.StreamOptions.IncludeUsage
	}
	if in.Model != nil {
		r.model, r.faults = splitModel(*in.Model)
	}
	if in.Seed != nil {
		r.seed = *in.Seed
	}
	if bad := r.limits(in.N, in.MaxTokens, in.MaxCompletionTokens); bad != nil {
		return nil, bad
	}
	var bad *refusal
	if chat {
		r.prompts, bad = chatPrompt(in.Messages)
	} else {
		r.prompts, bad = textPrompts(in.Prompt)
	}
	if bad != nil {
		return nil, bad
	}
	if choices := r.n * len(r.prompts); choices > maxChoices {
		return nil, badRequest("n", "n: got %d choices in all, want at most %d", choices, maxChoices)
	}
	return r, nil
}

func (r *request) limits(n, maxTokens, maxCompletion *int) *refusal {
	if n != nil {
		if *n < 1 || *n > maxChoices {
			return badRequest("n", "n: got %d, want 1 to %d", *n, maxChoices)
		}
		r.n = *n
	}
	name := "max_completion_tokens"
	limit := maxCompletion
	if limit == nil {
		name, limit = "max_tokens", maxTokens
	}
	if limit == nil {
		return nil
	}
	if *limit < 1 {
		return badRequest(name, "%s: got %d, want at least 1", name, *limit)
	}
	r.maxTokens = *limit
	return nil
}

// splitModel takes "NAME@FAULT,FAULT" apart.
func splitModel(name string) (string, []string) {
	model, faults, found := strings.Cut(name, "@")
	if !found {
		return model, nil
	}
	return model, splitNames(faults)
}

func splitNames(list string) []string {
	var names []string
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// chatPrompt renders messages with the chat template "ROLE:CONTENT\n", ended by
// "assistant:". Since every generated word begins with a space, the answer sent
// back as history gives the very tokens that were generated, and a prefix cache
// holds over the turns of a conversation.
func chatPrompt(raw json.RawMessage) ([][]token, *refusal) {
	var messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(orNull(raw), &messages); err != nil {
		return nil, badRequest("messages", "messages: %v", err)
	}
	if len(messages) == 0 {
		return nil, badRequest("messages", "messages: got none, want at least one")
	}
	var text strings.Builder
	for i, m := range messages {
		content, err := messageText(m.Content)
		if err != nil {
			return nil, badRequest("messages", "messages[%d].content: %v", i, err)
		}
		text.WriteString(m.Role + ":" + content + "\n")
	}
	text.WriteString("assistant:")
	return [][]token{tokenize(text.String())}, nil
}

// messageText accepts a string, null, or a list of parts; only text is read.
func messageText(raw json.RawMessage) (string, error) {
	raw = orNull(raw)
	if raw[0] != '[' {
		var text string
		err := json.Unmarshal(raw, &text)
		return text, err
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return "", err
	}
	var text strings.Builder
	for _, p := range parts {
		text.WriteString(p.Text)
	}
	return text.String(), nil
}

// textPrompts accepts a string, a list of strings, a list of tokens or a list of
// lists of tokens.
func textPrompts(raw json.RawMessage) ([][]token, *refusal) {
	const want = "want a string, a list of strings, a list of tokens or a list of lists of tokens"
	raw = orNull(raw)
	var one string
	var several []string
	var ids []token
	var lists [][]token
	switch {
	case raw[0] == '"' && json.Unmarshal(raw, &one) == nil:
		return [][]token{tokenize(one)}, nil
	case raw[0] != '[':
		return nil, badRequest("prompt", "prompt: got %.40s, %s", raw, want)
	case json.Unmarshal(raw, &several) == nil && len(several) > 0:
		for _, text := range several {
			lists = append(lists, tokenize(text))
		}
	case json.Unmarshal(raw, &ids) == nil && len(ids) > 0:
		lists = [][]token{ids}
	case json.Unmarshal(raw, &lists) != nil || len(lists) == 0:
		return nil, badRequest("prompt", "prompt: %s", want)
	}
	for _, tokens := range lists {
		if _, err := detokenize(tokens); err != nil {
			return nil, badRequest("prompt", "prompt: %v", err)
		}
	}
	return lists, nil
}

func orNull(raw json.RawMessage) json.RawMessage {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 {
		return json.RawMessage("null")
	}
	return raw
}
