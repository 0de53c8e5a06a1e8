package cheats

import (
	"net/http"
	"strings"
	"time"
)

// spokenCheats are lies in other APIs than chat/completions.
var spokenCheats = []cheat{
	// Errors that look like answers, each as its API spells them.
	{name: "messages: overloaded in the stream", server: in(anthropicMessages, each(5, breaking(typed("error", object{"error": object{"type": "overloaded_error", "message": "Overloaded"}})))), check: "survivor-bias", says: "stream_error", twin: "messages: a word to an event, and pings"},
	{name: "messages: blocks without text", server: in(anthropicMessages, each(5, func(_ question, a *answer) {
		a.words = []part{{data: typed("content_block_start", object{"index": 0, "content_block": object{"type": "text", "text": ""}})}}
	})), check: "no-output", twin: "messages: a word to an event, and pings"},
	{name: "messages: the end alone", server: in(anthropicMessages, each(5, func(_ question, a *answer) { a.words, a.reason = nil, "end_turn" })), check: "no-output", twin: "messages: a word to an event, and pings"},
	{name: "completions: an error in the stream", server: in(completions, each(5, breaking(event(object{"error": object{"message": "out of memory", "code": 500}}).data))), check: "survivor-bias", says: "stream_error", twin: "completions: a word to an event"},
	{name: "completions: no text", server: in(completions, each(5, func(_ question, a *answer) {
		for i := range a.words {
			a.words[i].text = ""
		}
	})), check: "no-output", twin: "completions: a word to an event"},
	{name: "responses: failed", server: in(openaiResponses, each(5, breaking(typed("response.failed", object{"response": object{"id": "resp_1", "status": "failed", "error": object{"code": "server_error", "message": "out of memory"}}})))), check: "survivor-bias", says: "stream_error", twin: "responses: a word to an event"},
	{name: "responses: an error event", server: in(openaiResponses, each(5, breaking(typed("error", object{"code": "server_error", "message": "out of memory"})))), check: "survivor-bias", says: "stream_error", twin: "responses: a word to an event"},
	{name: "responses: completed without a word", server: in(openaiResponses, each(5, func(_ question, a *answer) { a.words, a.reason = nil, "completed" })), check: "no-output", twin: "responses: a word to an event"},
	{name: "tgi: an error in the stream", server: in(textGeneration, each(5, breaking(event(object{"error": "out of memory", "error_type": "generation"}).data))), check: "survivor-bias", says: "stream_error", twin: "tgi: a word to an event"},
	{name: "tgi: special tokens alone", server: in(textGeneration, each(5, func(_ question, a *answer) {
		for i, p := range a.words {
			a.words[i] = part{wait: p.wait, data: event(object{"token": object{"id": 2, "text": "<pad>", "special": true}}).data}
		}
	})), check: "no-output", twin: "tgi: a word to an event"},
	{name: "triton: an error in the stream", server: in(triton, each(5, breaking(event(object{"error": "out of memory"}).data))), check: "survivor-bias", says: "stream_error", twin: "triton: a word to an event"},
	{name: "triton: empty words", server: in(triton, each(5, func(_ question, a *answer) {
		for i := range a.words {
			a.words[i].text = ""
		}
	})), check: "no-output", twin: "triton: a word to an event"},
	{name: "sglang: given up", server: in(sglang, each(5, breaking(event(object{"text": "", "meta_info": object{"id": "1", "finish_reason": object{"type": "abort", "message": "out of memory"}}}).data))), check: "survivor-bias", says: "stream_error", twin: "sglang: the text so far"},
	{name: "llama.cpp: an error in the stream", server: in(llamaCPP, each(5, breaking(event(object{"error": object{"code": 500, "message": "out of memory"}}).data))), check: "survivor-bias", says: "stream_error", twin: "llama.cpp: a word to an event"},
	{name: "gemini: the prompt is blocked", server: in(gemini, each(5, func(_ question, a *answer) {
		a.words, a.reason = []part{{data: event(object{"promptFeedback": object{"blockReason": "OTHER"}}).data}}, ""
	})), check: "survivor-bias", says: "stream_error", twin: "gemini: a word to an event"},
	{name: "cohere: ends with an error", server: in(cohereChat, each(5, func(_ question, a *answer) { a.words, a.reason = a.words[:3], "ERROR" })), check: "survivor-bias", says: "stream_error", twin: "cohere: a word to an event"},

	// What a person sees.
	{name: "messages: thinking alone", server: in(anthropicMessages, pondering), check: "reasoning-alone", twin: "messages: four words of thinking"},
	{name: "responses: reasoning alone", server: in(openaiResponses, pondering), check: "reasoning-alone", twin: "responses: four words of reasoning"},
	{name: "gemini: thoughts alone", server: in(gemini, pondering), check: "reasoning-alone", twin: "gemini: four words of thought"},
	{name: "messages: a space, then the answer", server: in(anthropicMessages, early(" ")), check: "first-chunk-filler", says: "nobody sees", twin: "messages: a word to an event, and pings"},
	{name: "completions: a line break, then the answer", server: in(completions, early("\n")), check: "first-chunk-filler", says: "nobody sees", twin: "completions: a word to an event"},
	{name: "tgi: a word at once, then the answer", server: in(textGeneration, early("Sure")), check: "first-chunk-filler", says: "followed by a wait", twin: "tgi: a word to an event"},
	{name: "sglang: a character without width, then the answer", server: in(sglang, early("\u200b")), check: "first-chunk-filler", says: "nobody sees", twin: "sglang: the text so far"},
	{name: "completions: an echo of the prompt", server: in(completions, func(q question, a *answer) {
		for i, w := range strings.Fields(q.prompt)[:len(a.words)] {
			a.words[i].text = w + " "
		}
	}), check: "echoed-prompt", twin: "completions: a word to an event"},

	// What was sent.
	{name: "messages: a count that grew", server: in(anthropicMessages, func(_ question, a *answer) { a.usage *= 2 }), check: "usage-mismatch", twin: "messages: a word to an event, and pings"},
	{name: "messages: a quarter of what was counted", server: in(anthropicMessages, quarter), check: "usage-mismatch", twin: "messages: a word to an event, and pings"},
	{name: "completions: a quarter of what was counted", server: in(completions, quarter), check: "usage-mismatch", twin: "completions: a word to an event"},
	{name: "responses: a quarter of what was counted", server: in(openaiResponses, quarter), check: "usage-mismatch", twin: "responses: a word to an event"},
	{name: "tgi: more tokens than were allowed", server: in(textGeneration, func(_ question, a *answer) { a.usage += 8 }), check: "usage-mismatch", twin: "tgi: a word to an event"},
	{name: "sglang: a quarter of what was counted", server: in(sglang, quarter), check: "usage-mismatch", twin: "sglang: the text so far"},
	{name: "llama.cpp: a quarter of what was counted", server: in(llamaCPP, quarter), check: "usage-mismatch", twin: "llama.cpp: a word to an event"},
	{name: "gemini: a quarter of what was counted", server: in(gemini, quarter), check: "usage-mismatch", twin: "gemini: a word to an event"},
	{name: "completions: every word twice", server: in(completions, func(q question, a *answer) {
		for i := range a.words {
			a.words[i].text = word(q.n, i/2)
		}
	}), check: "canned-answers", says: "what was said before", twin: "completions: a word to an event"},
	{name: "messages: one answer for everybody", server: in(anthropicMessages, func(_ question, a *answer) {
		for i := range a.words {
			a.words[i].text = word(7, i)
		}
	}), check: "canned-answers", says: "one and the same text", twin: "messages: a word to an event, and pings"},
	{name: "responses: output behind the end", server: in(openaiResponses, func(_ question, a *answer) {
		a.tail = []part{{data: doneMark}, {wait: 5 * time.Millisecond, data: typed("response.output_text.delta", object{"delta": " and more"})}}
	}), check: "output-after-done", twin: "responses: a word to an event"},

	// Who answered.
	{name: "messages: a smaller model", server: in(anthropicMessages, func(_ question, a *answer) { a.replace("honest-8b", "honest-1b") }), check: "answering-model", says: "honest-1b", twin: "messages: a dated name of the model"},
	{name: "completions: a smaller model", server: in(completions, func(_ question, a *answer) { a.replace("honest-8b", "honest-1b") }), check: "answering-model", says: "honest-1b", twin: "completions: a word to an event"},

	// Why it ended.
	{name: "a limit that was not reached", server: one(5, func(_ question, a *answer) { a.words, a.usage = a.words[:14], 14 }), check: "finish-reasons", says: "length", twin: "one word to an event"},
	{name: "answers that a filter ended", server: one(5, func(_ question, a *answer) {
		a.words, a.usage = a.words[:20], 20
		a.finish = []part{event(chunk(object{}, "content_filter"))}
	}), check: "finish-reasons", says: "content_filter", twin: "one word to an event"},
	{name: "one answer of five ends early", server: one(5, func(_ question, a *answer) {
		a.words, a.usage = a.words[:14], 14
		a.finish = []part{event(chunk(object{}, "stop"))}
	}), spec: []string{ignoringEOS}, check: "output-length", twin: "answers of the length asked for, without regard to their end"},
	{name: "messages: refused", server: in(anthropicMessages, each(5, func(_ question, a *answer) { a.words, a.usage, a.reason = a.words[:16], 16, "refusal" })), check: "finish-reasons", says: "refusal", twin: "messages: a word to an event, and pings"},
	{name: "messages: a limit that was not reached", server: in(anthropicMessages, each(5, func(_ question, a *answer) { a.words, a.usage = a.words[:14], 14 })), check: "finish-reasons", says: "max_tokens", twin: "messages: a word to an event, and pings"},
	{name: "responses: a limit that was not reached", server: in(openaiResponses, each(5, func(_ question, a *answer) { a.words, a.usage = a.words[:14], 14 })), check: "finish-reasons", says: "max_output_tokens", twin: "responses: a word to an event"},
	{name: "gemini: cut for safety", server: in(gemini, each(5, func(_ question, a *answer) { a.words, a.usage, a.reason = a.words[:16], 16, "SAFETY" })), check: "finish-reasons", says: "SAFETY", twin: "gemini: a word to an event"},
	{name: "cohere: cut as toxic", server: in(cohereChat, each(5, func(_ question, a *answer) { a.words, a.usage, a.reason = a.words[:16], 16, "ERROR_TOXIC" })), check: "survivor-bias", says: "stream_error", twin: "cohere: a word to an event"},
}

// spokenTwins are honest servers of other APIs.
var spokenTwins = []cheat{
	{name: "messages: a word to an event, and pings", server: in(anthropicMessages, func(_ question, a *answer) {
		ping := typed("ping", object{})
		a.role = []part{{data: ping}, {data: typed("content_block_start", object{"index": 0, "content_block": object{"type": "text", "text": ""}})}, {wait: 2 * time.Millisecond, data: ping}}
	})},
	{name: "messages: four words of thinking", server: in(anthropicMessages, thinking(4))},
	{name: "messages: a dated name of the model", server: in(anthropicMessages, func(_ question, a *answer) { a.replace("honest-8b", "honest-8b-20260501") })},
	{name: "completions: a word to an event", server: in(completions, nil)},
	{name: "responses: a word to an event", server: in(openaiResponses, nil)},
	{name: "responses: four words of reasoning", server: in(openaiResponses, thinking(4))},
	{name: "tgi: a word to an event", server: in(textGeneration, nil)},
	{name: "triton: a word to an event", server: in(triton, nil)},
	{name: "sglang: the text so far", server: in(sglang, nil)},
	{name: "llama.cpp: a word to an event", server: in(llamaCPP, nil)},
	{name: "gemini: a word to an event", server: in(gemini, nil)},
	{name: "gemini: four words of thought", server: in(gemini, thinking(4))},
	{name: "cohere: a word to an event", server: in(cohereChat, nil)},
}

// in has a server speak an API.
func in(d *dialect, lie func(question, *answer)) func(*liar) {
	return func(l *liar) { l.speaks, l.lie = d, lie }
}

// each lies in one answer of n.
func each(n int64, lie func(question, *answer)) func(question, *answer) {
	return func(q question, a *answer) {
		if q.n%n == 1 {
			lie(q, a)
		}
	}
}

// breaking ends an answer after some words with an event of its own.
func breaking(data string) func(question, *answer) {
	return func(_ question, a *answer) {
		a.status, a.reason = http.StatusOK, ""
		a.words = append(a.words[:3], part{data: data})
	}
}

// early sends a text at once, and the answer well after it.
func early(text string) func(question, *answer) {
	return func(_ question, a *answer) {
		a.words[0] = part{wait: time.Millisecond, text: text}
		a.words[1].wait = pause
	}
}

// thinking has an answer begin with so many words that it says to itself.
func thinking(words int) func(question, *answer) {
	return func(_ question, a *answer) {
		for i := range words {
			a.words[i].thought = true
		}
	}
}

func pondering(q question, a *answer) { thinking(len(a.words))(q, a) }

// quarter sends a quarter of the words that are counted.
func quarter(_ question, a *answer) { a.words = a.words[:len(a.words)/4] }
