package target

import (
	"strings"
	"testing"
)

// What is said in turns of up to four is repeated; a comma between numbers is not.
func TestStutter(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int32{
		"a b c d e f": 0, "a a a a": 3, "a b a b a b": 4, "a b c d a b c d": 4, "1 , 2 , 3 , 4": 0, "a b c d e a b c d e": 0,
	} {
		var s stutter
		for _, word := range strings.Fields(text) {
			s.add(word)
		}
		if got := s.most(); got != want {
			t.Errorf("%q repeats %d, want %d", text, got, want)
		}
	}
}

// Texts that differ in a word have one gist as a rule, and other texts have others.
func TestGist(t *testing.T) {
	t.Parallel()
	const text = "the answer to every question is one and the same sentence, which nobody had to think about at all"
	same := 0
	words := strings.Fields(text)
	for i := range words {
		changed := append([]string(nil), words...)
		changed[i] += "7"
		if gist(strings.Join(changed, " ")) == gist(text) {
			same++
		}
	}
	if 2*same < len(words) || gist(text) == gist("another answer, which says something else about something else") || gist("short") != 0 {
		t.Errorf("%d of %d texts with one word changed have the gist of the text", same, len(words))
	}
}

// An echo is found behind a few words, and a few words of the prompt are none.
func TestEchoes(t *testing.T) {
	t.Parallel()
	const prompt = "list the nine largest lakes of the world by area and say in which countries they lie"
	for text, want := range map[string]bool{
		prompt: true, "Sure, here you are: " + prompt: true,
		"The nine largest lakes of the world are listed below, with the countries in which they lie.":     false,
		"one two three four five six seven eight nine ten words of its own, and only then " + prompt[:60]: false,
	} {
		a := answer{prompt: prompt}
		a.shown.text.WriteString(text)
		if got := a.echoes(); got != want {
			t.Errorf("%q echoes: %v, want %v", text, got, want)
		}
	}
}

// Of the first answers all are counted, and of the others a share that hangs on the run.
func TestCounted(t *testing.T) {
	t.Parallel()
	one, other, both := 0, 0, 0
	for id := int64(countFirst); id < countFirst+8000; id++ {
		a, b := (&Config{CountSeed: "one"}).counts(id), (&Config{CountSeed: "other"}).counts(id)
		if a {
			one++
		}
		if b {
			other++
		}
		if a && b {
			both++
		}
	}
	if one < 900 || one > 1100 || other < 900 || other > 1100 || both > 200 || !(&Config{}).counts(countFirst-1) {
		t.Errorf("%d and %d of 8000 are counted, %d by both", one, other, both)
	}
}
