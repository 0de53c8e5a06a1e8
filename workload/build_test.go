package workload

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
)

type counterFunc func(string) int

func (f counterFunc) Count(text string) int { return f(text) }

// counters behave like families of tokenizers: each stands for one that a
// builder must hit exactly.
var counters = map[string]Counter{
	"words":                   nil,
	"bytes":                   counterFunc(func(s string) int { return len(s) }),
	"begin mark":              counterFunc(func(s string) int { return 1 + len(strings.Fields(s)) }),
	"pieces of three letters": counterFunc(func(s string) int { return pieces(s, 3) }),
	"pieces of five letters":  counterFunc(func(s string) int { return pieces(s, 5) }),
	"pairs across words":      counterFunc(func(s string) int { return (len(strings.Fields(s))*2 + strings.Count(s, "e")) / 2 }),
}

// pieces counts runs of letters in chunks of n, and every other mark but space.
func pieces(s string, n int) int {
	count, run := 0, 0
	for _, r := range s + " " {
		if unicode.IsLetter(r) {
			run++
			continue
		}
		count += (run + n - 1) / n
		run = 0
		if r != ' ' {
			count++
		}
	}
	return count
}

func TestBuilderExact(t *testing.T) {
	for name, counter := range counters {
		t.Run(name, func(t *testing.T) {
			b := NewBuilder(counter)
			rng := rand.New(rand.NewPCG(1, 1))
			head, _ := b.Text(rng, 20)
			for _, n := range []int{2, 3, 7, 16, 100, 480, 1000} {
				text, count := b.Text(rng, n)
				if count != n || b.Count(text) != n {
					t.Errorf("Text(%d) has %d tokens and says %d", n, b.Count(text), count)
				}
				whole, count := b.Extend(head, rng, n)
				want := max(n, 20)
				if count != want || b.Count(whole) != want || !strings.HasPrefix(whole, head) {
					t.Errorf("Extend to %d has %d tokens and says %d", n, b.Count(whole), count)
				}
			}
		})
	}
}

// A counter that cannot be brought to n is answered with the true count.
func TestBuilderTellsTheTruth(t *testing.T) {
	odd := counterFunc(func(s string) int { return 2*len(strings.Fields(s)) + 1 })
	b := NewBuilder(odd)
	text, count := b.Text(rand.New(rand.NewPCG(1, 1)), 10)
	if count != odd.Count(text) || count != 9 {
		t.Errorf("says %d, has %d; want 9", count, odd.Count(text))
	}
}

func TestSyntheticExact(t *testing.T) {
	for name, counter := range counters {
		s, err := New(3, Options{Lengths: []Length{{100, 10, 1}}, Counter: counter, Prefix: Prefix{Tokens: 40, Pool: 3}})
		if err != nil {
			t.Fatal(err)
		}
		for id := range int64(20) {
			c := s.Call(0, id)
			if c.InputTokens != 100 || s.builder.Count(c.Prompt) != 100 {
				t.Errorf("%s: call %d has %d tokens and says %d, want 100", name, id, s.builder.Count(c.Prompt), c.InputTokens)
			}
		}
	}
}
