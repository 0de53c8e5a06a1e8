package target

import (
	"hash/fnv"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// A stutter counts the events that say again what was said just before, by how many events
// back that was: one word again and again, or two in turns.
type stutter struct {
	said   [longestTurn]string // the last ones, said[0] the latest
	run    [longestTurn]int32  // events in a row that agree with the one so far back
	repeat [longestTurn]int32
}

// longestTurn is the most events that are said in turns.
const longestTurn = 4

// add takes what an event says. A turn counts once the whole of it came again: in a list of
// numbers every second event is a comma, and nothing is repeated.
func (s *stutter) add(said string) {
	for i, before := range s.said {
		turn := int32(i + 1)
		if said != before {
			s.run[i] = 0
			continue
		}
		switch s.run[i]++; {
		case s.run[i] == turn:
			s.repeat[i] += turn
		case s.run[i] > turn:
			s.repeat[i]++
		}
	}
	copy(s.said[1:], s.said[:])
	s.said[0] = said
}

func (s *stutter) most() (n int32) {
	for _, repeated := range s.repeat {
		n = max(n, repeated)
	}
	return n
}

// gistBytes is the length of the windows of a gist: some five words, which no two answers share
// by accident.
const gistBytes = 32

// gist is the least hash of all windows of a text that begin with a word, or a character of a
// script without spaces. Two texts have the same one as often as they have windows in common, so
// that a counter or a name in a text that everybody gets does not hide it. Zero for a shorter text.
func gist(text string) int64 {
	least := uint64(math.MaxUint64)
	for i := range text {
		if i+gistBytes > len(text) || i > 0 && text[i-1] != ' ' && text[i-1] < utf8.RuneSelf {
			continue
		}
		sum := fnv.New64a()
		_, _ = io.WriteString(sum, text[i:i+gistBytes]) // a hash takes everything
		least = min(least, mixed(sum.Sum64()))
	}
	if least == math.MaxUint64 {
		return 0
	}
	return int64(least)
}

const (
	// echoLength is how many bytes of an answer that stand in its prompt are an echo: some
	// eight words, which no answer repeats by accident.
	echoLength = 40
	// echoWithin is how many words of its own an answer may have before the echo.
	echoWithin = 8
)

// echoes reports whether the answer begins with words of its prompt, or with few others before
// them.
func (a *answer) echoes() bool {
	text := strings.TrimSpace(a.shown.text.String())
	for range echoWithin + 1 {
		if len(text) < echoLength || len(a.prompt) < echoLength {
			return false
		}
		if strings.Contains(a.prompt, text[:echoLength]) {
			return true
		}
		_, text, _ = strings.Cut(text, " ")
	}
	return false
}

const (
	// countFirst and countEach are the sample of which the tokens are counted: the first
	// answers, so that short runs have enough, and a share of all.
	countFirst, countEach = 64, 8
)

// counts reports whether the tokens of an answer are counted. Which ones those are hangs on the
// seed: a server that knew them would be honest for these alone.
func (c *Config) counts(id int64) bool {
	return id < countFirst || mixed(uint64(id)^uint64(promptHash(c.CountSeed)))%countEach == 0
}

// mixed spreads the bits of a number (SplitMix64), so that a few of them are a fair sample.
func mixed(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
