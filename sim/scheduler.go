package sim

import "time"

// A scheduler is the simulated engine without a clock: it decides what each
// iteration does and how long it takes. Like vLLM it serves running sequences
// first, then admits waiting ones in order of arrival, fills the token budget
// with pieces of prompts, and takes the youngest sequence's memory away when
// there is none left.
type scheduler struct {
	shape   Engine
	pool    *blockPool
	waiting []*sequence // first to be admitted first
	running []*sequence // oldest first
	batch   []piece     // of the iteration under way
	counts  schedulerCounts
}

// schedulerCounts are totals since the start.
type schedulerCounts struct {
	iterations, preemptions      int64
	prefixQueries, prefixHits    int64 // in tokens
	prefillTokens, decodedTokens int64
}

// A sequence is one choice of a stream as the scheduler sees it.
type sequence struct {
	stream *stream
	choice int

	tokens   []token // prompt, then what was generated
	prompt   int     // how many of tokens are the prompt
	computed int     // how many of tokens are in the KV cache
	limit    int     // tokens to generate
	blocks   []*block
	keys     []uint64 // of the full blocks of tokens
	named    int      // how many blocks the prefix cache was told of
	admitted bool     // was running before: a second time is a recomputation
	metered  bool     // its time in the queue was counted
	say      func(i int) token
}

// A piece is the work of one sequence in one iteration.
type piece struct {
	seq *sequence
	n   int // tokens computed
}

func (q *sequence) generated() int { return len(q.tokens) - q.prompt }
func (q *sequence) finished() bool { return q.generated() >= q.limit }

// updateKeys computes the keys of blocks that have become full.
func (q *sequence) updateKeys() {
	for full := len(q.tokens) / blockTokens; len(q.keys) < full; {
		i := len(q.keys)
		parent := uint64(0)
		if i > 0 {
			parent = q.keys[i-1]
		}
		q.keys = append(q.keys, nextKey(parent, q.tokens[i*blockTokens:(i+1)*blockTokens]))
	}
}

// add queues a sequence.
func (s *scheduler) add(q *sequence) { s.waiting = append(s.waiting, q) }

// remove forgets a sequence whose client left. It must not be called between
// plan and finish.
func (s *scheduler) remove(gone func(*sequence) bool) {
	keep := func(list []*sequence) []*sequence {
		kept := list[:0]
		for _, q := range list {
			if gone(q) {
				s.pool.release(q.blocks)
				continue
			}
			kept = append(kept, q)
		}
		clear(list[len(kept):])
		return kept
	}
	s.running, s.waiting = keep(s.running), keep(s.waiting)
}

// plan fills the next iteration and returns its length. It reports false when
// there is nothing to do.
func (s *scheduler) plan() (time.Duration, bool) {
	s.batch = s.batch[:0]
	budget := s.shape.MaxBatchedTokens
	preempted := s.counts.preemptions
	for i := 0; i < len(s.running) && budget > 0; i++ {
		q := s.running[i]
		n := min(len(q.tokens)-q.computed, budget)
		if !s.reserve(q, n) {
			break // q itself was the youngest and waits again
		}
		s.batch = append(s.batch, piece{q, n})
		budget -= n
	}
	if s.counts.preemptions > preempted {
		budget = 0 // what was just put out must not be let in at once
	}
	for budget > 0 && len(s.waiting) > 0 && len(s.running) < s.shape.MaxSequences {
		q := s.waiting[0]
		n, ok := s.admit(q, budget)
		if !ok {
			break // in order: a small one does not overtake
		}
		s.waiting = s.waiting[1:]
		s.running = append(s.running, q)
		s.batch = append(s.batch, piece{q, n})
		budget -= n
	}
	if len(s.batch) == 0 {
		return 0, false
	}
	return s.cost(), true
}

// reserve makes room for n more tokens of a running sequence. It preempts from
// the young end until there is room, and reports false when that was q itself.
func (s *scheduler) reserve(q *sequence, n int) bool {
	for need := blocksFor(q.computed+n) - len(q.blocks); need > s.pool.free; {
		youngest := s.running[len(s.running)-1]
		s.preempt(youngest)
		if youngest == q {
			return false
		}
	}
	s.grow(q, q.computed+n)
	return true
}

// preempt takes a sequence's memory; it will be computed again from the start.
func (s *scheduler) preempt(q *sequence) {
	s.running = s.running[:len(s.running)-1]
	s.pool.release(q.blocks)
	q.blocks, q.computed, q.named = nil, 0, 0
	s.waiting = append([]*sequence{q}, s.waiting...)
	s.counts.preemptions++
}

// admit lets a waiting sequence in if its first piece has room.
func (s *scheduler) admit(q *sequence, budget int) (n int, ok bool) {
	q.updateKeys()
	// The last token is always computed: its output is the next token.
	usable := min(len(q.keys), (len(q.tokens)-1)/blockTokens)
	hit := s.pool.find(q.keys[:usable])
	cached := len(hit) * blockTokens
	n = min(len(q.tokens)-cached, budget)
	need := blocksFor(cached+n) - len(hit)
	if need+unused(hit) > s.pool.free {
		return 0, false
	}
	s.pool.share(hit)
	q.blocks, q.computed, q.named = hit, cached, len(hit)
	s.grow(q, cached+n)
	if !q.admitted {
		s.counts.prefixQueries += int64(q.prompt)
		s.counts.prefixHits += int64(cached)
		if q.stream.choices[q.choice].lead { // the others find what this one computed
			q.stream.cached += cached
		}
	}
	q.admitted = true
	return n, true
}

func (s *scheduler) grow(q *sequence, tokens int) {
	for len(q.blocks) < blocksFor(tokens) {
		q.blocks = append(q.blocks, s.pool.take())
	}
}

func blocksFor(tokens int) int { return (tokens + blockTokens - 1) / blockTokens }

// cost is the length of the planned iteration. A piece that computes one token
// of a sequence already under way is a decode, everything else is prefill.
func (s *scheduler) cost() time.Duration {
	var prefill, decodes, cached int64
	for _, p := range s.batch {
		if p.decode() {
			decodes++
		} else {
			prefill += int64(p.n)
		}
		cached += int64(p.seq.computed + p.n)
	}
	s.counts.prefillTokens += prefill
	s.counts.decodedTokens += decodes
	c := s.shape.Cost
	return c.Base + time.Duration(prefill)*c.PerPrefillToken +
		time.Duration(decodes)*c.PerDecode + time.Duration(cached)*c.PerKVToken
}

func (p piece) decode() bool {
	return p.n == 1 && p.seq.generated() > 0 && p.seq.computed == len(p.seq.tokens)-1
}

// finish ends the iteration planned last and calls made for every sequence that
// generated a token in it.
func (s *scheduler) finish(made func(*sequence)) {
	s.counts.iterations++
	for _, p := range s.batch {
		q := p.seq
		q.computed += p.n
		q.updateKeys()
		for ; q.named < min(q.computed/blockTokens, len(q.keys)); q.named++ {
			s.pool.name(q.blocks[q.named], q.keys[q.named])
		}
		if q.computed < len(q.tokens) {
			continue // more of the prompt to come
		}
		q.tokens = append(q.tokens, q.say(q.generated()))
		made(q)
		if q.finished() {
			s.retire(q)
		}
	}
}

// retire removes a finished sequence from the batch.
func (s *scheduler) retire(q *sequence) {
	s.pool.release(q.blocks)
	q.blocks = nil
	for i, r := range s.running {
		if r == q {
			s.running = append(s.running[:i], s.running[i+1:]...)
			return
		}
	}
}
