package target

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"assay/record"
)

// A sampler is a Dialect that sends what a call asks about the drawing of its answer: what
// ends it, its temperature and seed, and the probabilities of its tokens.
type sampler interface {
	sample(body map[string]any, s *record.Sampling)
}

var _ sampler = openAI{}

var errNoSampling = errors.New("target.api sends neither stop words nor a seed of one call alone: an evaluation wants openai-chat or openai-completions")

// sample implements sampler. The two APIs ask for probabilities in two ways.
func (d openAI) sample(body map[string]any, s *record.Sampling) {
	if s == nil {
		return
	}
	if len(s.Stop) > 0 {
		body["stop"] = s.Stop
	}
	if s.Temperature != nil {
		body["temperature"] = *s.Temperature
	}
	if s.Seed != nil {
		body["seed"] = *s.Seed
	}
	switch {
	case s.Logprobs > 0 && d.chat:
		body["logprobs"], body["top_logprobs"] = true, s.Logprobs
	case s.Logprobs > 0:
		body["logprobs"] = s.Logprobs
	}
	if s.Echo {
		body["echo"] = true
	}
}

// openAILogprobs are the probabilities of one event: lists in the chat API, a column for
// each property in that of completions.
type openAILogprobs struct {
	Content []struct {
		Token   string  `json:"token"`
		Logprob float64 `json:"logprob"`
		Top     []struct {
			Token   string  `json:"token"`
			Logprob float64 `json:"logprob"`
		} `json:"top_logprobs"`
	} `json:"content"`

	Tokens  []string              `json:"tokens"`
	Values  []*float64            `json:"token_logprobs"`
	Offsets []int                 `json:"text_offset"`
	Top     []map[string]*float64 `json:"top_logprobs"`
}

// record is l as it is kept; nil when it holds no token.
func (l *openAILogprobs) record() *record.Logprobs {
	if l == nil || len(l.Content) == 0 && len(l.Tokens) == 0 {
		return nil
	}
	kept := &record.Logprobs{Tokens: l.Tokens, Values: l.Values, Offsets: l.Offsets}
	for _, top := range l.Top {
		kept.Top = append(kept.Top, likeliestFirst(top))
	}
	for _, t := range l.Content {
		kept.Tokens, kept.Values = append(kept.Tokens, t.Token), append(kept.Values, &t.Logprob)
		var top []record.Alternative
		for _, other := range t.Top {
			top = append(top, record.Alternative{Token: other.Token, Logprob: other.Logprob})
		}
		kept.Top = append(kept.Top, top)
	}
	return kept
}

// likeliestFirst puts the alternatives of a mapping in order.
func likeliestFirst(top map[string]*float64) []record.Alternative {
	var list []record.Alternative
	for _, token := range slices.Sorted(maps.Keys(top)) {
		if value := top[token]; value != nil {
			list = append(list, record.Alternative{Token: token, Logprob: *value})
		}
	}
	slices.SortStableFunc(list, func(a, b record.Alternative) int {
		switch {
		case a.Logprob > b.Logprob:
			return -1
		case a.Logprob < b.Logprob:
			return 1
		}
		return strings.Compare(a.Token, b.Token)
	})
	return list
}

// keepLogprobs writes down the probabilities of the answer.
func (a *answer) keepLogprobs() {
	if len(a.logprobs.Tokens) == 0 {
		return
	}
	for i, token := range a.logprobs.Tokens { // bytes of half a character
		if !utf8.ValidString(token) {
			a.logprobs.Tokens[i] = strings.ToValidUTF8(token, "\ufffd")
		}
	}
	data, err := json.Marshal(a.logprobs)
	if err != nil { // infinities are no JSON
		a.flag("logprobs_unreadable")
		return
	}
	a.request.Logprobs = string(data)
}
