package cheats

import (
	"net/http"
	"strings"
	"time"
)

// cheats are the set-ups that mislead, class by class.
var cheats = []cheat{
	// What a person sees first.
	{name: "a space, then the answer", server: filler(says(0, " ")), check: "first-chunk-filler", twin: "a line break first, as many models begin", says: "nobody sees"},
	{name: "a line break, then the answer", server: filler(says(0, "\n")), check: "first-chunk-filler", twin: "a line break first, as many models begin", says: "nobody sees"},
	{name: "a character without width, then the answer", server: filler(says(0, "\u200b")), check: "first-chunk-filler", twin: "a line break first, as many models begin", says: "nobody sees"},
	{name: "a byte order mark, then the answer", server: filler(says(0, "\ufeff")), check: "first-chunk-filler", twin: "a line break first, as many models begin", says: "nobody sees"},
	{name: "a word joiner, then the answer", server: filler(says(0, "\u2060")), check: "first-chunk-filler", twin: "a line break first, as many models begin", says: "nobody sees"},
	{name: "a blank of Braille, then the answer", server: filler(says(0, "\u2800")), check: "first-chunk-filler", twin: "a line break first, as many models begin", says: "nobody sees"},
	{name: "a dot of reasoning, then the answer", server: filler(delta(0, object{"reasoning_content": "."})), check: "first-chunk-filler", twin: "four words of thinking", says: "nobody sees"},
	{name: "a space of reasoning, then the answer", server: filler(delta(0, object{"reasoning": " "})), check: "first-chunk-filler", twin: "four words of thinking", says: "nobody sees"},
	{name: "one polite word at once, the answer late", server: filler(says(0, "Sure")), check: "first-chunk-filler", twin: "one wait in the middle", says: "followed by a wait"},
	{name: "the first word at once, the others late", server: lying(func(_ question, a *answer) {
		a.words[0].wait, a.words[1].wait = time.Millisecond, pause
	}), check: "first-chunk-filler", twin: "one slow answer in ten", says: "followed by a wait"},
	{name: "a word of reasoning at once, the answer late", server: filler(delta(0, object{"reasoning_content": "Hm"})), check: "first-chunk-filler", twin: "four words of thinking", says: "followed by a wait"},
	{name: "thinking and no answer", server: lying(func(q question, a *answer) { a.think(q, len(a.words)) }), check: "reasoning-alone", twin: "four words of thinking"},
	{name: "an echo of the prompt", server: lying(func(q question, a *answer) {
		words := strings.Fields(q.prompt)
		for i := range a.words {
			a.words[i] = says(a.words[i].wait, words[i]+" ")
		}
	}), check: "echoed-prompt", twin: "four words of the prompt, then an answer"},

	// What was sent.
	{name: "half of the tokens sent, all of them counted", server: counting(func(n int) int { return n / 2 }), check: "usage-mismatch", twin: "four words to an event"},
	{name: "a quarter of the tokens sent, all of them counted", server: counting(func(n int) int { return n / 4 }), check: "usage-mismatch", twin: "four words to an event"},
	{name: "one word sent, all tokens counted", server: counting(func(int) int { return 1 }), check: "usage-mismatch", twin: "four words to an event"},
	{name: "half of the events show nothing", server: lying(func(_ question, a *answer) {
		for i := range a.words {
			if i%2 == 1 {
				a.words[i] = says(a.words[i].wait, "\u200b")
			}
		}
	}), check: "usage-mismatch", twin: "tokens of one letter"},
	{name: "half of the events are spaces", server: lying(func(_ question, a *answer) {
		for i := range a.words {
			if i%2 == 1 {
				a.words[i] = says(a.words[i].wait, " ")
			}
		}
	}), check: "usage-mismatch", twin: "tokens of one letter"},
	{name: "three words to an event, half of them missing", server: lying(func(_ question, a *answer) {
		a.words = a.words[:12]
		a.pack(3)
	}), check: "usage-mismatch", twin: "four words to an event"},
	{name: "more tokens counted than allowed", server: lying(func(_ question, a *answer) { a.usage *= 2 }), check: "usage-mismatch", twin: "a token that ends the answer is counted"},
	{name: "a few more tokens counted than allowed", server: lying(func(_ question, a *answer) { a.usage += 2 }), check: "usage-mismatch", twin: "a token that ends the answer is counted"},
	{name: "every word twice", server: lying(func(q question, a *answer) {
		for i := range a.words {
			a.words[i] = says(a.words[i].wait, word(q.n, i/2))
		}
	}), check: "canned-answers", twin: "a word said twice now and then", says: "what was said before"},
	{name: "one word again and again", server: lying(func(q question, a *answer) {
		for i := range a.words {
			a.words[i] = says(a.words[i].wait, word(q.n, 0))
		}
	}), check: "canned-answers", twin: "a word said twice now and then", says: "what was said before"},
	{name: "one answer for everybody", server: lying(func(_ question, a *answer) {
		for i := range a.words {
			a.words[i] = says(a.words[i].wait, word(7, i))
		}
	}), check: "canned-answers", twin: "one word to an event", says: "one and the same text"},
	{name: "output behind the end, at once", server: lying(func(_ question, a *answer) {
		n := len(a.words) / 2
		a.tail = append(a.tail, a.words[n:]...)
		a.words = a.words[:n]
		for i := range a.tail {
			a.tail[i].wait = 0
		}
	}), check: "output-after-done", twin: "a comment behind the end"},
	{name: "output behind the end, word by word", server: lying(func(_ question, a *answer) {
		n := len(a.words) / 2
		a.tail = append(a.tail, a.words[n:]...)
		a.words = a.words[:n]
	}), check: "output-after-done", twin: "comments that keep the stream alive"},
	{name: "output behind the end of one answer in five", server: one(5, func(_ question, a *answer) {
		n := len(a.words) / 2
		a.tail = append(a.tail, a.words[n:]...)
		a.words = a.words[:n]
	}), check: "output-after-done", twin: "a comment behind the end"},
	{name: "one answer of five is a refusal", server: one(5, func(_ question, a *answer) {
		a.words, a.usage = a.words[:3], 3
		a.finish = []part{event(chunk(object{}, "stop"))}
	}), check: "short-answers", twin: "answers that end when they end"},
	{name: "all answers are cut to a half", server: lying(func(_ question, a *answer) {
		a.words, a.usage = a.words[:12], 12
		a.finish = []part{event(chunk(object{}, "stop"))}
	}), spec: []string{ignoringEOS}, check: "output-length", twin: "answers of the length asked for, without regard to their end"},
	{name: "all answers are a single token", server: lying(func(_ question, a *answer) {
		a.words, a.usage = a.words[:1], 1
	}), check: "output-length", twin: "one word to an event"},
	{name: "a count below zero", server: lying(func(_ question, a *answer) { a.usage = -5 }), check: "output-length", twin: "no count at all"},

	// Errors that look like answers.
	{name: "sheds one request in five", server: one(5, func(_ question, a *answer) {
		a.status, a.head = http.StatusTooManyRequests, http.Header{"Content-Type": {"text/plain"}}
	}), check: "survivor-bias", twin: "one word to an event", says: "http_error"},
	{name: "an object error in the stream", server: one(5, instead(`data: {"object":"error","message":"out of memory","code":500}`)), check: "survivor-bias", twin: "events with names", says: "stream_error"},
	{name: "a field error in the stream", server: one(5, instead(`data: {"error":{"message":"out of memory"}}`)), check: "survivor-bias", twin: "events with names", says: "stream_error"},
	{name: "an event error with a message", server: one(5, instead("event: error\ndata: {\"message\":\"out of memory\"}")), check: "survivor-bias", twin: "events with names", says: "stream_error"},
	{name: "an event error of plain words", server: one(5, instead("event: error\ndata: out of memory")), check: "survivor-bias", twin: "events with names", says: "stream_error"},
	{name: "an event error with its name last", server: one(5, instead("data: {\"detail\":\"out of memory\"}\nevent: error")), check: "survivor-bias", twin: "events with names", says: "stream_error"},
	{name: "the end alone", server: one(5, func(_ question, a *answer) { a.words, a.finish, a.usage = nil, nil, 0 }), check: "no-output", twin: "empty words before the first"},
	{name: "the end alone, with a count", server: one(5, func(_ question, a *answer) { a.words, a.finish = nil, nil }), check: "no-output", twin: "empty words before the first"},
	{name: "a finish reason alone", server: one(5, func(_ question, a *answer) { a.words, a.usage = nil, 0 }), check: "no-output", twin: "empty words before the first"},
	{name: "a finish reason alone, with a count", server: one(5, func(_ question, a *answer) { a.words = nil }), check: "no-output", twin: "empty words before the first"},
	{name: "empty words", server: one(5, func(_ question, a *answer) {
		for i := range a.words {
			a.words[i] = says(a.words[i].wait, "")
		}
	}), check: "no-output", twin: "empty words before the first"},
	{name: "streams that break off", server: one(5, func(_ question, a *answer) { a.words, a.finish, a.tail = a.words[:4], nil, nil }), check: "survivor-bias", twin: "one slow answer in ten", says: "truncated"},
	{name: "a page in place of a stream", server: one(5, func(_ question, a *answer) {
		a.head = http.Header{"Content-Type": {"text/html"}}
	}), check: "survivor-bias", twin: "one word to an event", says: "not_a_stream"},
	{name: "events that are no JSON", server: one(5, instead(`data: {out of memory`)), check: "survivor-bias", twin: "events with names", says: "protocol"},
	{name: "an empty body", server: one(5, func(_ question, a *answer) { a.silent = true }), check: "survivor-bias", twin: "events with names", says: "empty"},
	{name: "redirects", server: one(5, func(_ question, a *answer) {
		a.status, a.head = http.StatusTemporaryRedirect, http.Header{"Location": {"/busy"}}
	}), check: "survivor-bias", twin: "one word to an event", says: "redirected"},

	// Who answered.
	{name: "a smaller model", server: lying(func(_ question, a *answer) { a.replace("honest-8b", "honest-1b") }), check: "answering-model", twin: "a path of the model", says: "honest-1b"},
	{name: "a smaller model for one in five", server: one(5, func(_ question, a *answer) { a.replace("honest-8b", "honest-8b-distilled") }), check: "answering-model", twin: "a dated name of the model", says: "honest-8b-distilled"},
	{name: "two systems behind one address", server: lying(func(q question, a *answer) {
		a.replace(`"model"`, `"system_fingerprint":"fp_`+string(rune('a'+q.n%2))+`","model"`)
	}), check: "answering-model", twin: "one fingerprint", says: "2 systems"},
}

// honestTwins are servers that look odd and are honest.
var honestTwins = []cheat{
	{name: "one word to an event", server: func(*liar) {}},
	{name: "four words to an event", server: lying(func(_ question, a *answer) { a.pack(4) })},
	{name: "four words of thinking", server: lying(func(q question, a *answer) { a.think(q, 4) })},
	{name: "first tokens that vary", server: func(l *liar) { l.noise = true }},
	{name: "comments that keep the stream alive", server: lying(func(_ question, a *answer) {
		a.role = append(a.role, part{wait: 2 * time.Millisecond, data: ": alive\n\n"}, part{wait: 2 * time.Millisecond, data: ": alive\n\n"})
	})},
	{name: "a comment behind the end", server: lying(func(_ question, a *answer) { a.tail = append(a.tail, part{data: ": bye\n\n"}) })},
	{name: "a dated name of the model", server: lying(func(_ question, a *answer) { a.replace("honest-8b", "honest-8b-2026-05-01") })},
	{name: "a path of the model", server: lying(func(_ question, a *answer) { a.replace("honest-8b", "/models/honest-8b.gguf") })},
	{name: "one fingerprint", server: lying(func(_ question, a *answer) { a.replace(`"model"`, `"system_fingerprint":"fp_a","model"`) })},
	{name: "events with names", server: lying(func(_ question, a *answer) { a.replace("data: {", "event: chunk\ndata: {") })},
	{name: "one slow answer in ten", server: one(10, func(_ question, a *answer) { a.words[0].wait += pause })},
	{name: "a token that ends the answer is counted", server: lying(func(_ question, a *answer) { a.usage++ })},
	{name: "tokens of one letter", server: lying(func(q question, a *answer) {
		for i := range a.words {
			a.words[i] = says(a.words[i].wait, word(q.n, i)[1:2])
		}
	})},
	{name: "answers that end when they end", server: lying(func(q question, a *answer) {
		n := 3 + int(q.n*7%21)
		a.words, a.usage = a.words[:n], n
		a.finish = []part{event(chunk(object{}, "stop"))}
	}), spec: []string{keepingEOS}},
	{name: "a line break first, as many models begin", server: lying(func(_ question, a *answer) { a.words[0] = says(a.words[0].wait, "\n") })},
	{name: "one wait in the middle", server: lying(func(_ question, a *answer) { a.words[12].wait += pause })},
	{name: "four words of the prompt, then an answer", server: lying(func(q question, a *answer) {
		for i, w := range strings.Fields(q.prompt)[:4] {
			a.words[i] = says(a.words[i].wait, w[:min(len(w), 8)]+" ")
		}
	})},
	{name: "a word said twice now and then", server: lying(func(_ question, a *answer) {
		for i := 6; i < len(a.words); i += 12 {
			a.words[i] = a.words[i-1]
		}
	})},
	{name: "empty words before the first", server: lying(func(_ question, a *answer) { a.role = append(a.role, says(0, ""), says(0, "")) })},
	{name: "answers of the length asked for, without regard to their end", server: func(*liar) {}, spec: []string{ignoringEOS}},
	{name: "no count at all", server: lying(func(_ question, a *answer) { a.uncounted = true })},
}

// ignoringEOS asks for answers of the full length.
const ignoringEOS = "  load: {concurrency: [4], duration: 800ms, warmup: {duration: 100ms}, calibrate: false, ignoreEOS: true}"

// keepingEOS lets answers end by themselves.
const keepingEOS = "  load: {concurrency: [4], duration: 800ms, warmup: {duration: 100ms}, calibrate: false, ignoreEOS: false}"

func lying(lie func(question, *answer)) func(*liar) { return func(l *liar) { l.lie = lie } }

// one has the server lie in one answer of n.
func one(n int64, lie func(question, *answer)) func(*liar) {
	return lying(func(q question, a *answer) {
		if q.n%n == 1 {
			lie(q, a)
		}
	})
}

// filler sends something at once, and the answer well after it.
func filler(first part) func(*liar) {
	return lying(func(_ question, a *answer) {
		first.wait = time.Millisecond
		a.words[0].wait = pause
		a.words = append([]part{first}, a.words...)
		a.usage++
		if a.usage > 24 {
			a.usage, a.words = 24, a.words[:24]
		}
	})
}

// counting sends a part of the words and counts all.
func counting(sent func(n int) int) func(*liar) {
	return lying(func(_ question, a *answer) { a.words = a.words[:sent(len(a.words))] })
}

// instead breaks an answer off after some words with an event of its own.
func instead(data string) func(question, *answer) {
	return func(_ question, a *answer) {
		a.words = append(a.words[:3], part{data: data + "\n\n"})
	}
}

// content is what the words of a part say.
func (p part) content() string {
	_, after, _ := strings.Cut(p.data, `"content":"`)
	text, _, _ := strings.Cut(after, `"`)
	return text
}

// pack puts so many words into one event, as busy engines do.
func (a *answer) pack(words int) {
	var packed []part
	for i, p := range a.words {
		if i%words == 0 {
			packed = append(packed, p)
			continue
		}
		last := &packed[len(packed)-1]
		*last = says(last.wait+p.wait, last.content()+p.content())
	}
	a.words = packed
}

// think has the answer begin with reasoning of so many words.
func (a *answer) think(q question, words int) {
	for i := range min(words, len(a.words)) {
		a.words[i] = delta(a.words[i].wait, object{"reasoning_content": word(q.n, i)})
	}
}

// replace changes what all events say.
func (a *answer) replace(old, with string) {
	a.edits = append(a.edits, old, with)
}

// pause is a wait well beyond any gap of an honest answer.
const pause = 150 * time.Millisecond
