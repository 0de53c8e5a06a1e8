package workload

import (
	"math"
	"slices"
	"strings"
	"testing"

	"assay/workload/scenario"
)

// openings returns how many different beginnings of n words the first calls
// have.
func openings(t *testing.T, opts Options, n int) int {
	t.Helper()
	s, err := New(5, opts)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for id := range int64(500) {
		fields := strings.Fields(s.Call(0, id).Prompt)
		seen[strings.Join(fields[:n], " ")] = true
	}
	return len(seen)
}

func TestPrefix(t *testing.T) {
	length := []Length{{120, 10, 1}}
	f := func(p Prefix, words, want int) {
		t.Helper()
		if got := openings(t, Options{Lengths: length, Prefix: p}, words); got != want {
			t.Errorf("%+v: %d different beginnings of %d words, want %d", p, got, words, want)
		}
	}
	f(Prefix{}, 60, 500)
	f(Prefix{Tokens: 60}, 60, 1)
	f(Prefix{Tokens: 60}, 63, 500)
	f(Prefix{Tokens: 60, Pool: 8}, 60, 8)
	f(Prefix{Ratio: 0.5, Pool: 4}, 60, 4)
	f(Prefix{Tokens: 90, Pool: 2, Levels: 3, Branch: 3}, 30, 2)
	f(Prefix{Tokens: 90, Pool: 2, Levels: 3, Branch: 3}, 60, 6)
	f(Prefix{Tokens: 90, Pool: 2, Levels: 3, Branch: 3}, 90, 18)
	f(Prefix{Tokens: 119}, 119, 1)
	f(Prefix{Tokens: 500}, 119, 1) // all but the last word
}

// Prompts of unequal length share what the shorter one has of the prefix.
func TestPrefixOfUnequalLengths(t *testing.T) {
	s, err := New(5, Options{Lengths: []Length{{400, 1, 0.5}, {100, 1, 0.5}}, Prefix: Prefix{Ratio: 0.5}})
	if err != nil {
		t.Fatal(err)
	}
	beginnings := map[string]int{}
	for id := range int64(100) {
		c := s.Call(0, id)
		fields := strings.Fields(c.Prompt)
		if len(fields) != int(c.InputTokens) {
			t.Fatalf("%d words for %d tokens", len(fields), c.InputTokens)
		}
		beginnings[strings.Join(fields[:50], " ")]++
	}
	if len(beginnings) != 1 {
		t.Errorf("%d different beginnings, want 1", len(beginnings))
	}
}

func TestPrefixRefusals(t *testing.T) {
	for _, bad := range []Prefix{{Tokens: -1}, {Tokens: 1, Ratio: 0.5}, {Ratio: 1}, {Ratio: -0.1}, {Ratio: math.NaN()}, {Tokens: 1, Pool: -1}, {Tokens: 1, Levels: -1}} {
		if _, err := New(1, Options{Lengths: mix, Prefix: bad}); err == nil {
			t.Errorf("%+v was accepted", bad)
		}
	}
}

func TestScenarioCalls(t *testing.T) {
	parse := func(text string) scenario.Scenario {
		s, err := scenario.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s, err := New(5, Options{Scenario: parse("U(50,60)/(7,9)")})
	if err != nil {
		t.Fatal(err)
	}
	var lengths []int32
	for id := range int64(300) {
		c := s.Call(0, id)
		if len(strings.Fields(c.Prompt)) != int(c.InputTokens) || c.OutputTokens < 7 || c.OutputTokens > 8 {
			t.Fatalf("call %+v", c)
		}
		lengths = append(lengths, c.InputTokens)
	}
	slices.Sort(lengths)
	if got := slices.Compact(lengths); len(got) != 10 || got[0] != 50 || got[9] != 59 {
		t.Errorf("lengths %v, want 50 to 59", got)
	}
	for _, bad := range []string{"E(5)", "I(5,5)", "dataset"} {
		if _, err := New(1, Options{Scenario: parse(bad)}); err == nil {
			t.Errorf("%s was accepted for text to text", bad)
		}
	}
}
