package sim

import (
	"math"
	"math/rand/v2"
)

// A choice is one of the answers of a stream.
type choice struct {
	prompt []token
	limit  int    // tokens to make
	stops  bool   // ends by itself, not by the limit
	salt   uint64 // decides the words
	lead   bool   // first of the choices with its prompt
	made   int
	sent   int   // made and put into an event
	latest int64 // when the token before was due

	script []string // what is said, token by token and escaped for JSON; nil draws words
	finish string   // of a script, where it says why it ends
}

// border is the number of tokens of the first half, at least one.
func (ch *choice) border() int { return max(1, ch.limit/2) }

// newChoice draws length and words from the seeds and the prompt, never from the
// order of arrival: the same question has the same answer.
func (s *Server) newChoice(st *stream, prompt []token) (choice, *refusal) {
	salt := mix(nextKey(s.cfg.Seed, prompt) + mix(uint64(st.req.seed)) + uint64(len(st.choices)))
	ch := choice{prompt: prompt, salt: salt}
	if row := s.scripted(prompt); row != nil {
		row.speak(&ch, st.req.maxTokens)
	} else {
		ch.limit, ch.stops = s.outputLength(st.req, salt, len(prompt))
	}
	if st.style.length != nil {
		ch.limit = st.style.length(ch.limit)
	}
	if bad := s.fits(st.req, len(prompt), ch.limit); bad != nil {
		return choice{}, bad
	}
	return ch, nil
}

// outputLength is how many tokens will be said, and whether the answer ends
// there by itself.
func (s *Server) outputLength(r *request, salt uint64, prompt int) (n int, stops bool) {
	natural := 0
	if s.cfg.Fixed != nil {
		natural = s.cfg.Fixed.Tokens
	} else {
		u := rand.New(rand.NewPCG(salt, 0x0e05)).ExpFloat64()
		natural = 1 + int(math.Min(u*float64(s.cfg.MeanOutput-1), 1e9))
	}
	room := s.cfg.MaxModelLen - prompt
	if s.engine != nil {
		room = min(room, s.cfg.Engine.KVBlocks*blockTokens-prompt)
	}
	switch {
	case r.maxTokens > 0 && (r.ignoreEOS || natural > r.maxTokens):
		return r.maxTokens, false
	case natural > room:
		return room, false
	}
	return natural, true
}

// fits checks a choice against the context limit and the KV cache. The scheduler
// relies on it: a sequence that could never run alone would wait for ever.
func (s *Server) fits(r *request, prompt, limit int) *refusal {
	asked := prompt + max(limit, r.maxTokens, 1)
	if asked > s.cfg.MaxModelLen {
		return badRequest("max_tokens", "got %d prompt tokens and %d output tokens, want at most %d together",
			prompt, asked-prompt, s.cfg.MaxModelLen)
	}
	if room := s.cfg.Engine.KVBlocks * blockTokens; s.engine != nil && prompt+limit > room {
		return badRequest("max_tokens", "got %d prompt and output tokens, want at most %d: the KV cache has no more", prompt+limit, room)
	}
	return nil
}
