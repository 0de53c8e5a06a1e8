package lexical

import (
	"regexp"
	"strings"
	"testing"

	"assay/tests/texts"
)

// FuzzWestern compares the one pass of partWestern with the four expressions that it
// stands for.
func FuzzWestern(f *testing.F) {
	substitutions := []struct {
		pattern *regexp.Regexp
		with    string
	}{
		{regexp.MustCompile("([\\{-\\~\\[-\\` -\\&\\(-\\+\\:-\\@\\/])"), " $1 "},
		{regexp.MustCompile(`([^0-9])([\.,])`), "$1 $2 "},
		{regexp.MustCompile(`([\.,])([^0-9])`), " $1 $2"},
		{regexp.MustCompile(`([0-9])(-)`), "$1 $2 "},
	}
	g := texts.New(6)
	for range 2000 {
		f.Add(g.Text(1 + g.IntN(12)))
	}
	for _, text := range []string{"", ".", "..", "...5", "5..5", "a.,5-.", ".5.", "5-5-", ",,,a", "1.,2", "中.国,5"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "?")
		for _, padded := range []bool{true, false} {
			want := text
			if padded {
				want = " " + text + " "
			}
			for _, s := range substitutions {
				want = s.pattern.ReplaceAllString(want, s.with)
			}
			got := strings.Join(fields(string(partWestern(nil, []byte(text), padded))), " ")
			if want := strings.Join(fields(want), " "); got != want {
				t.Errorf("partWestern(%q, %v) = %q, want %q", text, padded, got, want)
			}
			if padded {
				checkSplit(t, text, fields(got), 0)
				checkSplit(t, text, fields(got), 64)
			}
		}
	})
}

// checkSplit fails unless splitWestern numbers these words, with so much room behind them.
func checkSplit(t *testing.T, text string, words []string, room int) {
	t.Helper()
	in := newInterner()
	in.reset()
	in.text = append(make([]byte, 0, len(text)+room), text...)
	numbers := in.splitWestern(nil, 0)
	for i, number := range numbers {
		if i >= len(words) || in.spelling(number) != words[i] {
			t.Fatalf("splitWestern(%q): word %d is %q, want those of %q", text, i, in.spelling(number), words)
		}
	}
	if len(numbers) != len(words) {
		t.Errorf("splitWestern(%q) finds %d words, want %q", text, len(numbers), words)
	}
}

func TestTokenizerNames(t *testing.T) {
	if _, err := Tokenize("moses", "a"); err == nil {
		t.Error("an unknown tokenizer is not an error")
	}
	for _, b := range []BLEU{{Tokenize: "moses"}, {Smoothing: "some"}} {
		if b.Check() == nil {
			t.Errorf("%+v is not an error", b)
		}
	}
	for _, kind := range []string{"0", "10", "W"} {
		if (ROUGE{Type: kind}).Check() == nil {
			t.Errorf("ROUGE-%s is not an error", kind)
		}
	}
}
