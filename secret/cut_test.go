package secret

import (
	"strings"
	"testing"
)

// Wherever the cut falls, a word is there whole or not at all.
func TestCut(t *testing.T) {
	const text = `status: "bad", key sk-0123456789abcdef was refused`
	for most := range len(text) + 2 {
		head, tail := Head(text, most), Tail(text, most)
		if len(head) > most+len("…") || len(tail) > most+len("…") {
			t.Errorf("at %d: %q, %q", most, head, tail)
		}
		for _, got := range []string{head, tail} {
			if rest := strings.ReplaceAll(got, "sk-0123456789abcdef", ""); strings.ContainsAny(rest, "0123456789") {
				t.Errorf("at %d: %q holds half of the key", most, got)
			}
		}
	}
	if got := Head(text, 16); got != `status: "bad…` {
		t.Errorf("Head = %q", got)
	}
	if got := Tail(text, 12); got != "…was refused" {
		t.Errorf("Tail = %q", got)
	}
	if Head("unbroken", 4) != "…" || Tail("unbroken", 4) != "…" || Head(text, 99) != text || Tail(text, 99) != text {
		t.Error("what needs no cut is cut, or an unbroken word in two")
	}
}
