package token

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"assay/spec"
	"assay/workload"
)

// TestPrompts asks the builder of prompts for every small length and some large
// ones, with every kind of tokenizer, and counts the answer again from its text.
func TestPrompts(t *testing.T) {
	for name, tok := range everyKind(t) {
		t.Run(name, func(t *testing.T) {
			counter := NewCounter(tok)
			b := workload.NewBuilder(counter)
			for n := 1; n <= 4097; n += 1 + n/8 {
				seed := func() *rand.Rand { return rand.New(rand.NewPCG(7, uint64(n))) }
				text, said := b.Text(seed(), n)
				ids, err := tok.Encode(text)
				if err != nil || len(ids) != n || said != n {
					t.Errorf("a prompt of %d tokens has %d and says %d, %v: %.80q", n, len(ids), said, err, text)
				}
				if again, _ := b.Text(seed(), n); again != text {
					t.Errorf("the same seed gave another prompt of %d tokens", n)
				}
			}
			if err := counter.Err(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestPromptMean is the scenario D(100,·): others average 90.7.
func TestPromptMean(t *testing.T) {
	b := workload.NewBuilder(NewCounter(Default()))
	rng := rand.New(rand.NewPCG(1, 2))
	seen := map[string]bool{}
	total := 0
	const prompts = 1000
	for range prompts {
		text, _ := b.Text(rng, 100)
		n, err := Default().Count(text)
		if err != nil {
			t.Fatal(err)
		}
		total += n
		seen[text] = true
	}
	if total != 100*prompts {
		t.Errorf("prompts of 100 tokens average %v, want 100 exactly", float64(total)/prompts)
	}
	if len(seen) != prompts {
		t.Errorf("%d of %d prompts differ, want all", len(seen), prompts)
	}
}

func TestPromptsWithSpecials(t *testing.T) {
	m, err := Parse([]byte(wordPieceFile), Options{Name: "specials"})
	if err != nil {
		t.Fatal(err)
	}
	b := workload.NewBuilder(NewCounter(m.WithSpecials()))
	rng := rand.New(rand.NewPCG(1, 1))
	if text, n := b.Text(rng, 2); n != 2 || text != "" {
		t.Errorf("a prompt of the two special tokens alone = %q of %d, want an empty text", text, n)
	}
	if _, n := b.Text(rng, 1); n != 2 {
		t.Errorf("a prompt shorter than the special tokens says %d, want the truth: 2", n)
	}
}

type broken struct{ *Model }

func (broken) Count(string) (int, error) { return 0, errors.New("gone") }

// A count that failed is told, not taken for a short text.
func TestCounterTells(t *testing.T) {
	c := NewCounter(broken{Default()})
	if n := c.Count("text"); n != 0 || c.Err() == nil || c.Err().Error() != "gone" {
		t.Errorf("Count = %d, %v; want 0 and the error", n, c.Err())
	}
}

// Names go into bundles: a password must not.
func TestServerNameIsRedacted(t *testing.T) {
	s := &Server{URL: "http://me:secret@127.0.0.1:1/"}
	_, err := s.Count("text")
	if got := s.Name(); got != "http://me:xxxxx@127.0.0.1:1/tokenize" || err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("name %s, error %v", got, err)
	}
}

// A spec can name every pattern, and no other.
func TestSpecNamesPatterns(t *testing.T) {
	if got, want := spec.Vocabularies["tokenPatterns"], slices.Sorted(maps.Keys(Patterns)); !slices.Equal(got, want) {
		t.Errorf("the spec names %v, want %v", got, want)
	}
}
