package token

import (
	"errors"
	"math/rand/v2"
	"testing"
)

// TestPrompt asks for every small length and some large ones and counts the
// answer again from its text.
func TestPrompt(t *testing.T) {
	for name, tok := range everyKind(t) {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{1, 2, 3, 4, 5, 7, 10, 31, 100, 101, 512, 1000, 4097} {
				seed := func() *rand.Rand { return rand.New(rand.NewPCG(7, uint64(n))) }
				text, err := Prompt(seed(), tok, n)
				if err != nil {
					t.Fatal(err)
				}
				ids, err := tok.Encode(text)
				if err != nil || len(ids) != n {
					t.Errorf("a prompt of %d tokens has %d, %v: %.80q", n, len(ids), err, text)
				}
				again, err := Prompt(seed(), tok, n)
				if err != nil || again != text {
					t.Errorf("the same seed gave another prompt of %d tokens, %v", n, err)
				}
			}
		})
	}
}

// TestPromptMean is the scenario D(100,·): others average 90.7.
func TestPromptMean(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	seen := map[string]bool{}
	total := 0
	const prompts = 1000
	for range prompts {
		text, err := Prompt(rng, Default(), 100)
		if err != nil {
			t.Fatal(err)
		}
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

func TestPromptWithSpecials(t *testing.T) {
	m, err := Parse([]byte(wordPieceFile), Options{Name: "specials"})
	if err != nil {
		t.Fatal(err)
	}
	tok := m.WithSpecials()
	text, err := Prompt(rand.New(rand.NewPCG(1, 1)), tok, 2)
	if err != nil || text != "" {
		t.Errorf("Prompt of the two special tokens alone = %q, %v, want an empty text", text, err)
	}
	if _, err := Prompt(rand.New(rand.NewPCG(1, 1)), tok, 1); !errors.Is(err, ErrNoPrompt) {
		t.Errorf("Prompt shorter than the special tokens: %v, want %v", err, ErrNoPrompt)
	}
}
