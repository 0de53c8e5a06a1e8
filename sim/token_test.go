package sim

import (
	"reflect"
	"strings"
	"testing"
)

func TestTokenize(t *testing.T) {
	f := func(text string, want ...string) {
		t.Helper()
		var got []string
		for _, tok := range tokenize(text) {
			got = append(got, string(tok.appendText(nil)))
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("tokenize(%q) = %q, want %q", text, got, want)
		}
	}
	f("")
	f("a", "a")
	f("the cat", "the", " cat")
	f("hello world", "hell", "o", " wor", "ld")
	f("a, b!", "a", ",", " b", "!")
	f("  x", " ", " x")
	f("日本語", "日", "本", "語")
	f(" 日本", " 日", "本")
	f(" 😀", " ", "😀")
	f("x\xffy", "x", "\xff", "y")
}

func TestWordsAreTokens(t *testing.T) {
	for _, list := range [][]string{words, wideWords} {
		for _, w := range list {
			if n := len(tokenize(w)); n != 1 {
				t.Errorf("%q has %d tokens, want 1", w, n)
			}
		}
	}
	if n := len(tokenize(strings.Join(words, ""))); n != len(words) {
		t.Errorf("%d words in a row have %d tokens", len(words), n)
	}
}

func FuzzTokenize(f *testing.F) {
	for _, text := range []string{"", "hello", " a  b", "日本 😀", "\xff\xfe", "\x00"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		back, err := detokenize(tokenize(text))
		if err != nil || back != text {
			t.Errorf("detokenize(tokenize(%q)) = %q, %v", text, back, err)
		}
	})
}

// A refused request has a reason; an accepted one keeps the server's limits.
func FuzzRequest(f *testing.F) {
	for _, body := range []string{
		chatBody(5), `{}`, `null`, `[]`, `{"messages":null}`, `{"messages":[{}]}`,
		`{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url"}]}]}`,
		`{"prompt":["a","b"],"n":2}`, `{"prompt":[1,2,3]}`, `{"prompt":[[1],[2]]}`, `{"prompt":[]}`, `{"prompt":[[]]}`,
		`{"prompt":[99999999999999]}`, `{"prompt":"x","n":-1}`, `{"prompt":"x","max_tokens":1e99}`, `{"model":"@,@","prompt":""}`,
	} {
		f.Add([]byte(body), true)
		f.Add([]byte(body), false)
	}
	f.Fuzz(func(t *testing.T, body []byte, chat bool) {
		r, bad := parseRequest(body, chat)
		if (r == nil) == (bad == nil) {
			t.Fatalf("request %v and refusal %v, want exactly one", r, bad)
		}
		if bad != nil {
			if bad.status != 400 || bad.message == "" || len(bad.body()) == 0 {
				t.Errorf("refusal %+v, want status 400 and a message", bad)
			}
			return
		}
		if n := r.n * len(r.prompts); n < 1 || n > maxChoices || r.maxTokens < 0 {
			t.Errorf("accepted %d choices and max_tokens %d", n, r.maxTokens)
		}
		for _, prompt := range r.prompts {
			if _, err := detokenize(prompt); err != nil {
				t.Errorf("accepted the prompt %v: %v", prompt, err)
			}
		}
	})
}
