package workload

import (
	"fmt"
	"math/rand/v2"
)

// probes are the lengths at which Learn makes sure of its rule, in tokens.
var probes = []int{1, 2, 3, 5, 17, 64, 200, 1000}

// Learn asks counter what words cost and returns a builder that does not ask it
// again. It is for a counter that costs a request to the system under test,
// which must not be asked while it is measured.
//
// It keeps the words that are one token at the beginning of a text and inside
// it, and checks on texts of many lengths that n of them have n tokens. A
// vocabulary for which that does not hold is refused.
func Learn(counter Counter) (*Builder, error) {
	b := &Builder{perWord: 1}
	pair := counter.Count("the the")
	for _, word := range words {
		if counter.Count(word) == 1 && counter.Count("the "+word+" the")-pair == 1 {
			b.words = append(b.words, word)
		}
	}
	if len(b.words) < len(words)/8 {
		return nil, fmt.Errorf("%d of %d common words are one token: want at least %d to build prompts by words", len(b.words), len(words), len(words)/8)
	}
	rng := rand.New(rand.NewPCG(1, 1)) // fixed: the same vocabulary gives the same verdict
	for _, n := range probes {
		text, _ := b.Text(rng, n)
		if got := counter.Count(text); got != n {
			return nil, fmt.Errorf("%d words that are one token each have %d tokens together: want %d", n, got, n)
		}
	}
	return b, nil
}
