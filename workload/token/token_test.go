package token

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
)

var samples = []string{
	"", " ", "Hello, world!", "  two  blanks ", "I'm sure they'LL", "x := []int{1, 23, 4567}\n\n\treturn x\r\n",
	"日本語と漢字", "Привет ёлка", "नमस्ते", "👩‍👩‍👧‍👦 🏳️‍🌈", "e\u0301\u00e9", "\x00\x7f\u0085\u2028", strings.Repeat("ab", 300),
	"CamelCaseHTTPServer ÀÉî ǅ ʰ", "\u0301A \u0301a", "'ſ 'S", "//\n/ ...\n\n ", "\n  ", "3²½Ⅷ١٢٣",
}

// TestRoundTrip decodes what byte-level vocabularies encode.
func TestRoundTrip(t *testing.T) {
	kinds := everyKind(t)
	for _, name := range []string{"default", "tiktoken", "server"} {
		for _, text := range samples {
			roundTrip(t, kinds[name], text)
		}
	}
}

func roundTrip(t *testing.T, tok Tokenizer, text string) {
	t.Helper()
	ids, err := tok.Encode(text)
	if err != nil {
		t.Fatal(err)
	}
	got, err := tok.Decode(ids)
	if err != nil || got != text {
		t.Errorf("%s: Decode(Encode(%q)) = %q, %v", tok.Name(), text, got, err)
	}
	n, err := tok.Count(text)
	if err != nil || n != len(ids) {
		t.Errorf("%s: Count(%q) = %d, %v, want %d", tok.Name(), text, n, err, len(ids))
	}
}

// TestScanners compares the hand-written patterns with the regular expressions
// they stand for, which the backtracking engine reads as they are.
func TestScanners(t *testing.T) {
	for regex, scan := range regexes {
		if strings.Contains(regex, "++") || strings.Contains(regex, "?+") {
			continue // possessive, which the engine has not; TestOracles has these
		}
		re := regexp2.MustCompile(regex, regexp2.None)
		for _, text := range samples {
			var want []string
			for m, _ := re.FindStringMatch(text); m != nil; m, _ = re.FindNextMatch(m) {
				want = append(want, m.String())
			}
			var got []string
			for rest := text; rest != ""; {
				n := scan(rest)
				got = append(got, rest[:n])
				rest = rest[n:]
			}
			if !slices.Equal(got, want) {
				t.Errorf("%.30s… cuts %q\n got %q\nwant %q", regex, text, got, want)
			}
		}
	}
}

// TestDefault looks at the embedded file; tests/tokenizer makes it again.
func TestDefault(t *testing.T) {
	if n := Default().Size(); n != 4096 {
		t.Errorf("the default vocabulary has %d tokens, want 4096", n)
	}
	if d := Default().Digest(); !strings.HasPrefix(d, "sha256:") || len(d) != 71 {
		t.Errorf("Digest() = %q, want sha256: and 64 digits", d)
	}
}

func TestRefusals(t *testing.T) {
	const model = `"model":{"type":"BPE","vocab":{"a":0},"merges":[]}`
	f := func(file, want string) {
		t.Helper()
		_, err := Parse([]byte(file), Options{Name: "x"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%.60q) error = %v, want one with %q", file, err, want)
		}
	}
	f("", "unknown format")
	f("hello", "unknown format")
	f("{", "unexpected end")
	f(`{"normalizer":{"type":"Nmt"},`+model+`}`, "normalizer Nmt is not known")
	f(`{"pre_tokenizer":{"type":"UnicodeScripts"},`+model+`}`, "pre-tokenizer UnicodeScripts is not known")
	f(`{"decoder":{"type":"CTC"},`+model+`}`, "decoder CTC is not known")
	f(`{"post_processor":{"type":"New"},`+model+`}`, "post-processor New is not known")
	f(`{"model":{"type":"WordLevel","vocab":{}}}`, `model "WordLevel" is not known`)
	f(`{"normalizer":{"type":"Strip","strip_left":true,"strip_middle":true},`+model+`}`, "strip_middle")
	f(`{"model":{"type":"BPE","dropout":0.1,"vocab":{},"merges":[]}}`, "dropout 0.1 makes counts random")
	f(`{"model":{"type":"BPE","vocab":{"a":0},"merges":["a b"]}}`, `"b" is not in the vocabulary`)
	f(`{"model":{"type":"BPE","vocab":{"a":-1},"merges":[]}}`, "id -1")
	f(`{"model":{"type":"BPE","vocab":{"a":2000000000},"merges":[]}}`, "id 2000000000")
	f(`{"model":{"type":"Unigram","vocab":[["a",-1]]}}`, "unk_id")
	f(`{"model":{"type":"WordPiece","unk_token":"?","vocab":{"a":0}}}`, "unk_token is not in the vocabulary")
	f(`{"pre_tokenizer":{"type":"Split","pattern":{"Regex":"(a"},"behavior":"Isolated","invert":false},`+model+`}`, "pattern")
	f(`{"pre_tokenizer":{"type":"Split","pattern":{"String":"a"},"behavior":"Shuffled","invert":false},`+model+`}`, "Shuffled")
	f("YQ== 0\n", "want one of cl100k, gpt2, llama3, o200k, p50k, qwen2")
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("tokenizer.json", wordPieceFile)
	write("cl100k_base.tiktoken", tiktokenFile())
	for path, want := range map[string]string{"": "tokenizer.json", "cl100k_base.tiktoken": "cl100k_base.tiktoken"} {
		m, err := Load(filepath.Join(dir, path), Options{})
		if err != nil || m.Name() != want {
			t.Errorf("Load(%q) = %v, %v, want %s", path, m, err, want)
		}
	}
	write("one.tiktoken", "YQ== 0\n")
	if _, err := Load(filepath.Join(dir, "one.tiktoken"), Options{Pattern: "gpt2"}); err == nil || !strings.Contains(err.Error(), "byte 0x00 has no token") {
		t.Errorf("Load of a vocabulary with one byte: %v, want byte 0x00 has no token", err)
	}
}

// TestConcurrent has many goroutines share a tokenizer and its cache; the race
// detector watches.
func TestConcurrent(t *testing.T) {
	want := make([][]int32, len(samples))
	for i, text := range samples {
		want[i], _ = Default().Encode(text)
	}
	m, err := Parse(defaultFile, Options{Name: "fresh"})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				for i, text := range samples {
					if got, err := m.Encode(text); err != nil || !slices.Equal(got, want[i]) {
						t.Errorf("Encode(%q) = %v, %v, want %v", text, got, err, want[i])
					}
				}
			}
		})
	}
	wg.Wait()
}

func TestInvalidText(t *testing.T) {
	for name, tok := range everyKind(t) {
		broken, err := tok.Encode("a\xff\xfeb\xe2\x82")
		whole, _ := tok.Encode("a\uFFFDb\uFFFD")
		if err != nil || name != "server" && !slices.Equal(broken, whole) {
			t.Errorf("%s: bytes that are not UTF-8 gave %v, %v, want %v", name, broken, err, whole)
		}
	}
	if _, err := Default().Decode([]int32{0, 4096}); err == nil {
		t.Error("Decode took an id past the vocabulary")
	}
}

// TestServerFaults shows that a server's answer is not taken on trust.
func TestServerFaults(t *testing.T) {
	f := func(status int, body, want string) {
		t.Helper()
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			io.WriteString(w, body)
		}))
		defer server.Close()
		s := &Server{HTTP: server.Client(), URL: server.URL}
		if _, err := s.Count("a"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d %s: error = %v, want one with %q", status, body, err, want)
		}
	}
	f(404, "nothing here", "404")
	f(200, "<html>", "invalid character")
	f(200, `{"count":3,"tokens":[1]}`, "does not agree")
	f(200, `{}`, "does not agree")
	f(200, `{"count":1,"tokens":[1],"x":"`+strings.Repeat("x", 2<<20)+`"}`, "has more than")
}

func FuzzEncode(f *testing.F) {
	for _, text := range samples {
		f.Add(text)
	}
	kinds := everyKind(f)
	delete(kinds, "server")
	f.Fuzz(func(t *testing.T, text string) {
		for name, tok := range kinds {
			ids, err := tok.Encode(text)
			if err != nil {
				t.Fatal(err)
			}
			back, err := tok.Decode(ids)
			if err != nil {
				t.Fatal(err)
			}
			exact := name == "default" || name == "tiktoken"
			if exact && utf8.ValidString(text) && back != text {
				t.Errorf("%s: Decode(Encode(%q)) = %q", name, text, back)
			}
		}
	})
}

// FuzzParse has files of every format broken in every way: an error is an
// answer, and what is read must encode.
func FuzzParse(f *testing.F) {
	f.Add([]byte(wordPieceFile))
	f.Add([]byte(unigramFile))
	f.Add([]byte(sentencePieceFile(1)))
	f.Add([]byte(sentencePieceFile(2)))
	f.Add([]byte("YQ== 0\nYg== 1\n"))
	f.Add([]byte(`{"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":true},"model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2},"merges":["a b"]},"added_tokens":[{"id":3,"content":"x","lstrip":true}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Parse(data, Options{Name: "fuzz", Pattern: "cl100k"})
		if err != nil {
			return
		}
		ids, err := m.Encode("the abc x é漢\n 12")
		if err != nil {
			return
		}
		m.Decode(ids)
	})
}
