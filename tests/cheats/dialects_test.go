package cheats

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// A dialect is an API that a server speaks, as far as the cheats need it: how it says a word,
// and how it begins and ends.
type dialect struct {
	api, path string
	limit     string // the reason of an answer that reached its limit
	begin     []string
	say       func(text, before string) string // before is all that was said
	think     func(text string) string         // nil where nothing is told apart
	end       func(a *answer, said string) []string
}

// Each request names its limit of tokens and its prompt once, whatever the API calls them.
var (
	limitField  = regexp.MustCompile(`"(?:max_tokens|max_output_tokens|max_new_tokens|maxOutputTokens|n_predict)":(\d+)`)
	promptField = regexp.MustCompile(`"(?:content|prompt|text|input|inputs|text_input)":("(?:[^"\\]|\\.)*")`)
)

// asked is what the body of a request asks for.
func asked(body []byte) (tokens int, prompt string) {
	if m := limitField.FindSubmatch(body); m != nil {
		tokens, _ = strconv.Atoi(string(m[1]))
	}
	for _, m := range promptField.FindAllSubmatch(body, -1) {
		var text string
		if json.Unmarshal(m[1], &text) == nil {
			prompt += text
		}
	}
	return tokens, prompt
}

// spoken are the parts of an answer in the words of its API.
func (a *answer) spoken() []part {
	var all []part
	for _, data := range a.speaks.begin {
		all = append(all, part{data: data})
	}
	all = append(all, a.role...)
	said := ""
	for _, p := range a.words {
		switch {
		case p.data != "":
		case p.thought:
			p.data = a.speaks.think(p.text)
		default:
			p.data = a.speaks.say(p.text, said)
			said += p.text
		}
		all = append(all, p)
	}
	if a.reason == "" {
		return append(all, a.tail...)
	}
	for _, data := range a.speaks.end(a, said) {
		all = append(all, part{data: data})
	}
	return append(all, a.tail...)
}

// named is an event with a name.
func named(name string, o object) string { return "event: " + name + "\n" + event(o).data }

// typed is an event whose name its data repeats.
func typed(name string, o object) string {
	o["type"] = name
	return named(name, o)
}

var anthropicMessages = &dialect{
	api: "anthropic-messages", path: "/messages", limit: "max_tokens",
	begin: []string{typed("message_start", object{"message": object{"id": "msg_1", "model": "honest-8b", "usage": object{"input_tokens": 64, "output_tokens": 1}}})},
	say: func(text, _ string) string {
		return typed("content_block_delta", object{"index": 0, "delta": object{"type": "text_delta", "text": text}})
	},
	think: func(text string) string {
		return typed("content_block_delta", object{"index": 0, "delta": object{"type": "thinking_delta", "thinking": text}})
	},
	end: func(a *answer, _ string) []string {
		return []string{
			typed("message_delta", object{"delta": object{"stop_reason": a.reason}, "usage": object{"output_tokens": a.usage}}),
			typed("message_stop", object{}),
		}
	},
}

// completion is an event of completions.
func completion(text string, reason any) string {
	return event(object{"id": "cmpl-1", "object": "text_completion", "model": "honest-8b", "choices": []object{{"index": 0, "text": text, "finish_reason": reason}}}).data
}

var completions = &dialect{
	api: "openai-completions", path: "/completions", limit: "length",
	say: func(text, _ string) string { return completion(text, nil) },
	end: func(a *answer, _ string) []string {
		return []string{completion("", a.reason), event(counted(a.input, a.usage)).data, doneMark}
	},
}

var openaiResponses = &dialect{
	api: "openai-responses", path: "/responses", limit: "max_output_tokens",
	begin: []string{typed("response.created", object{"response": object{"id": "resp_1", "model": "honest-8b", "status": "in_progress"}})},
	say:   func(text, _ string) string { return typed("response.output_text.delta", object{"delta": text}) },
	think: func(text string) string { return typed("response.reasoning_text.delta", object{"delta": text}) },
	end: func(a *answer, _ string) []string {
		whole := object{"id": "resp_1", "status": "completed", "usage": object{"input_tokens": a.input, "output_tokens": a.usage}}
		kind := "response.completed"
		if a.reason != "completed" {
			kind, whole["status"], whole["incomplete_details"] = "response.incomplete", "incomplete", object{"reason": a.reason}
		}
		return []string{typed(kind, object{"response": whole})}
	},
}

var textGeneration = &dialect{
	api: "tgi", path: "/generate_stream", limit: "length",
	say: func(text, _ string) string {
		return event(object{"token": object{"id": 5, "text": text, "special": false}}).data
	},
	end: func(a *answer, said string) []string {
		return []string{event(object{
			"token":          object{"id": 2, "text": "</s>", "special": true},
			"generated_text": said, "details": object{"finish_reason": a.reason, "generated_tokens": a.usage, "input_length": a.input},
		}).data}
	},
}

var triton = &dialect{
	api: "triton", path: "/generate_stream", limit: "end of the body",
	say: func(text, _ string) string { return event(object{"model_name": "honest-8b", "text_output": text}).data },
	end: func(*answer, string) []string { return nil },
}

var sglang = &dialect{
	api: "sglang", path: "/generate", limit: "length",
	say: func(text, before string) string {
		return event(object{"text": before + text, "meta_info": object{"id": "1", "prompt_tokens": 64, "completion_tokens": len(strings.Fields(before + text))}}).data
	},
	end: func(a *answer, said string) []string {
		return []string{event(object{"text": said, "meta_info": object{"id": "1", "finish_reason": object{"type": a.reason}, "prompt_tokens": a.input, "completion_tokens": a.usage}}).data, doneMark}
	},
}

var llamaCPP = &dialect{
	api: "llamacpp", path: "/completion", limit: "limit",
	say: func(text, _ string) string { return event(object{"index": 0, "content": text, "stop": false}).data },
	end: func(a *answer, _ string) []string {
		return []string{event(object{"index": 0, "content": "", "stop": true, "stop_type": a.reason, "tokens_predicted": a.usage, "tokens_evaluated": a.input}).data}
	},
}

var gemini = &dialect{
	api: "gcp-gemini", path: ":streamGenerateContent", limit: "MAX_TOKENS",
	say:   func(text, _ string) string { return candidate(object{"text": text}) },
	think: func(text string) string { return candidate(object{"text": text, "thought": true}) },
	end: func(a *answer, _ string) []string {
		return []string{event(object{
			"candidates":    []object{{"index": 0, "finishReason": a.reason}},
			"usageMetadata": object{"promptTokenCount": a.input, "candidatesTokenCount": a.usage},
		}).data}
	},
}

func candidate(p object) string {
	return event(object{"candidates": []object{{"index": 0, "content": object{"role": "model", "parts": []object{p}}}}}).data
}

var cohereChat = &dialect{
	api: "cohere-chat", path: "/chat", limit: "MAX_TOKENS",
	begin: []string{typed("message-start", object{"id": "1", "delta": object{"message": object{"role": "assistant", "content": []string{}}}})},
	say: func(text, _ string) string {
		return typed("content-delta", object{"index": 0, "delta": object{"message": object{"content": object{"text": text}}}})
	},
	think: func(text string) string {
		return typed("content-delta", object{"index": 0, "delta": object{"message": object{"content": object{"thinking": text}}}})
	},
	end: func(a *answer, _ string) []string {
		return []string{typed("message-end", object{"delta": object{"finish_reason": a.reason, "usage": object{"tokens": object{"input_tokens": a.input, "output_tokens": a.usage}}}})}
	},
}
