package cheats

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// sentCheats send less than they say, or not what they seem to.
var sentCheats = []cheat{
	// The first token.
	{name: "a line break at once, the answer nearly five gaps later", server: slowly(func(_ question, a *answer) {
		a.words[1].wait = 145 * time.Millisecond
		a.words[0] = says(90*time.Millisecond, "\n")
	}), spec: []string{twelveUsers}, check: "first-chunk-filler", says: "nobody sees", twin: "two line breaks first, and a short wait before them"},
	{name: "a word and a comma at once, the answer late", server: lying(func(_ question, a *answer) {
		a.words[0], a.words[1] = says(time.Millisecond, "Sure"), says(time.Millisecond, ",")
		a.words[2].wait = pause
	}), check: "first-chunk-filler", says: "followed by a wait", twin: "one wait in the middle"},
	{name: "a word of its own, then an echo of the prompt", server: lying(func(q question, a *answer) {
		words := strings.Fields(q.prompt)
		for i := 1; i < len(a.words); i++ {
			a.words[i] = says(a.words[i].wait, words[i%len(words)]+" ")
		}
	}), check: "echoed-prompt", twin: "four words of the prompt, then an answer"},

	// The tokens.
	{name: "one answer of five is one word, all tokens counted", server: one(5, func(_ question, a *answer) { a.words = a.words[:1] }), check: "usage-mismatch", says: "hold less than three quarters", twin: "answers that end when they end"},
	{name: "honest for 100 answers, then a third of the tokens in every second", server: lying(func(q question, a *answer) {
		if q.n > 100 && q.n%2 == 1 {
			a.words = a.words[:8]
		}
	}), spec: []string{manyAnswers}, check: "usage-mismatch", says: "hold less than three quarters", twin: "many answers of four words to an event"},
	{name: "60 % of the tokens sent, all of them counted", server: counting(func(n int) int { return 6 * n / 10 }), check: "usage-mismatch", twin: "four words to an event"},
	{name: "60 % of the prose sent, all of it counted", server: speaking(english, 60), check: "usage-mismatch", twin: "prose, three tokens to an event"},
	{name: "60 % of the JSON sent, all of it counted", server: speaking(jsonText, 60), check: "usage-mismatch", twin: "JSON, three tokens to an event"},
	{name: "two words in turns", server: lying(func(q question, a *answer) {
		for i := range a.words {
			a.words[i] = says(a.words[i].wait, word(q.n, i%2))
		}
	}), check: "canned-answers", says: "what was said before", twin: "numbers with commas between"},
	{name: "four words in turns", server: lying(func(q question, a *answer) {
		for i := range a.words {
			a.words[i] = says(a.words[i].wait, word(q.n, i%4))
		}
	}), check: "canned-answers", says: "what was said before", twin: "a word said twice now and then"},
	{name: "one answer for everybody, with a counter in it", server: lying(func(q question, a *answer) {
		for i := range a.words {
			a.words[i] = says(a.words[i].wait, word(7, i))
		}
		a.words[2] = says(a.words[2].wait, fmt.Sprintf(" %s%d", word(q.n, 2), q.n))
	}), check: "canned-answers", says: "or nearly", twin: "answers that begin alike"},
	{name: "one refusal in twenty-five answers, of any length", server: lying(func(q question, a *answer) {
		a.end(3 + int(q.n*7%21))
		if q.n%20 == 1 {
			a.words, a.usage = []part{says(time.Millisecond, "I am sorry, but I can not help with that.")}, 11
		}
	}), spec: []string{manyAnswersEnding}, check: "canned-answers", says: "the same sentence", twin: "one of three sentences, as a classifier answers"},

	// The prompt.
	{name: "a prompt cut to a quarter", server: lying(func(_ question, a *answer) { a.input /= 4 }), check: "truncated-prompts", twin: "a template around the prompt"},
	{name: "one prompt of five cut to a half", server: one(5, func(_ question, a *answer) { a.input /= 2 }), check: "truncated-prompts", twin: "a tokenizer that counts a fifth less"},

	// Caches and connections.
	{name: "a cache that knows every prompt", server: lying(func(_ question, a *answer) {
		a.replace(`"total_tokens"`, `"prompt_tokens_details":{"cached_tokens":60},"total_tokens"`)
	}), check: "prompt-cache", says: "came from the target's cache", twin: "a cache that knows the template"},
	{name: "the first connection alone is fast", server: byConnection(func(connection int) bool { return connection > 2 }, 3), spec: []string{eightUsers}, check: "starved-users", twin: "one slow answer in ten, for eight users"},

	// Who answered.
	{name: "a smaller model that is listed beside the one asked", server: listing([]string{"honest-8b", "honest-1b"}, "honest-1b"), check: "answering-model", says: "honest-1b", twin: "a path of the model"},
}

// sentTwins are honest servers like those.
var sentTwins = []cheat{
	{name: "two line breaks first, and a short wait before them", server: slowly(func(_ question, a *answer) {
		a.words[0], a.words[1] = says(90*time.Millisecond, "\n"), says(a.words[1].wait, "\n")
	}), spec: []string{twelveUsers}},
	{name: "many answers of four words to an event", server: lying(func(_ question, a *answer) { a.pack(4) }), spec: []string{manyAnswers}},
	{name: "prose, three tokens to an event", server: speaking(english, 100)},
	{name: "JSON, three tokens to an event", server: speaking(jsonText, 100)},
	{name: "code, three tokens to an event", server: speaking(goCode, 100)},
	{name: "Chinese, three tokens to an event", server: speaking(chinese, 100)},
	{name: "Hindi, three tokens to an event", server: speaking(hindi, 100)},
	{name: "numbers with commas between", server: lying(func(q question, a *answer) {
		for i := range a.words {
			text := ","
			if i%2 == 0 {
				text = fmt.Sprint(10 + (q.n*31+int64(i)*17)%89)
			}
			a.words[i] = says(a.words[i].wait, text)
		}
	})},
	{name: "answers that begin alike", server: lying(func(_ question, a *answer) {
		for i := range 6 {
			a.words[i] = says(a.words[i].wait, word(7, i))
		}
	})},
	{name: "one of three sentences, as a classifier answers", server: lying(func(q question, a *answer) {
		sentence := []string{"The review is positive, I would say.", "The review is negative, I would say.", "The review is neutral, I would say."}[q.n%3]
		a.end(9)
		for i, w := range strings.SplitAfter(sentence, " ") {
			a.words[i] = says(a.words[i].wait, w)
		}
		a.words = a.words[:7]
	}), spec: []string{keepingEOS}},
	{name: "a template around the prompt", server: lying(func(_ question, a *answer) { a.input += 30 })},
	{name: "a tokenizer that counts a fifth less", server: lying(func(_ question, a *answer) { a.input = a.input * 4 / 5 })},
	{name: "a cache that knows the template", server: lying(func(_ question, a *answer) {
		a.replace(`"total_tokens"`, `"prompt_tokens_details":{"cached_tokens":4},"total_tokens"`)
	})},
	{name: "a model by the name that the plan gives it", server: listing([]string{"honest-8b"}, "honest-1b"), spec: []string{"  workload: {model: honest-1b, sequenceLengthMix: [{inputTokens: 64, outputTokens: 24, weight: 1}]}"}},
}

const (
	manyAnswers       = "  load: {concurrency: [8], duration: 4s, warmup: {duration: 100ms}, calibrate: false}"
	twelveUsers       = "  load: {concurrency: [12], duration: 2500ms, warmup: {duration: 100ms}, calibrate: false}"
	manyAnswersEnding = "  load: {concurrency: [12], duration: 1s, warmup: {duration: 100ms}, calibrate: false, ignoreEOS: false}"
)

// slowly has 30 ms between two words.
func slowly(lie func(question, *answer)) func(*liar) {
	return func(l *liar) { l.first, l.gap, l.lie = 90*time.Millisecond, 30*time.Millisecond, lie }
}

// end has an answer end by itself after so many words.
func (a *answer) end(words int) {
	a.words, a.usage = a.words[:words], words
	a.finish = []part{event(chunk(object{}, "stop"))}
}

// speaking answers with a text as Llama 3 cuts it into tokens, three to an event, and sends a part
// of them in per cent. It counts all.
func speaking(tokens []string, percent int) func(*liar) {
	const toAnEvent = 3
	return lying(func(q question, a *answer) {
		var packed []part
		sent := len(a.words) * percent / 100
		for i := 0; i < sent; i += toAnEvent {
			text, wait := "", time.Duration(0)
			for k := i; k < min(i+toAnEvent, sent); k++ {
				text, wait = text+tokens[(int(q.n)*5+k)%len(tokens)], wait+a.words[k].wait
			}
			packed = append(packed, says(wait, text))
		}
		a.words = packed
	})
}

// listing has a server list models, and one of them answer.
func listing(models []string, answers string) func(*liar) {
	return func(l *liar) {
		l.lie = func(_ question, a *answer) { a.replace("honest-8b", answers) }
		l.serve = func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/v1/models" {
				http.NotFound(w, r)
				return
			}
			var list []object
			for _, id := range models {
				list = append(list, object{"id": id, "object": "model"})
			}
			_ = json.NewEncoder(w).Encode(object{"object": "list", "data": list}) // whoever has gone needs no word
		}
	}
}
