package secret

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// key has every character that an encoder treats in its own way.
const key = `k3y/With+All=of"them&<more>'wörd'%41\n~9Z`

func eachByte(format string) func(string) string {
	return func(s string) string {
		var out strings.Builder
		for _, c := range []byte(s) {
			fmt.Fprintf(&out, format, c)
		}
		return out.String()
	}
}

func eachRune(format string) func(string) string {
	return func(s string) string {
		var out strings.Builder
		for _, r := range s {
			fmt.Fprintf(&out, format, r)
		}
		return out.String()
	}
}

func asJSON(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always encodes
	}
	return string(text[1 : len(text)-1])
}

func wrapped(s string, width int) string {
	var lines []string
	for chunk := range slices.Chunk([]byte(s), width) {
		lines = append(lines, string(chunk))
	}
	return strings.Join(lines, "\r\n")
}

// spellings are the ways in which a key must be found.
var spellings = map[string]func(string) string{
	"plain":           func(s string) string { return s },
	"upper case":      strings.ToUpper,
	"reversed":        reversed,
	"JSON":            asJSON,
	"JSON of PHP":     func(s string) string { return strings.ReplaceAll(asJSON(s), "/", `\/`) },
	"JSON, all \\u":   eachRune(`\u%04x`),
	"JSON, all \\U":   eachRune(`\u%04X`),
	"JSON in JSON":    func(s string) string { return asJSON(asJSON(s)) },
	"\\x":             eachByte(`\x%02x`),
	"query":           url.QueryEscape,
	"path":            url.PathEscape,
	"all percent":     eachByte("%%%02X"),
	"all %, lower":    eachByte("%%%02x"),
	"percent twice":   func(s string) string { return url.QueryEscape(url.QueryEscape(s)) },
	"JSON in a query": func(s string) string { return url.QueryEscape(asJSON(s)) },
	"HTML":            html.EscapeString,
	"HTML, decimal":   eachRune("&#%d;"),
	"HTML, hex":       eachRune("&#x%x;"),
	"hex":             func(s string) string { return hex.EncodeToString([]byte(s)) },
	"HEX":             func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
	"base64":          func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64 for URLs": func(s string) string { return base64.URLEncoding.EncodeToString([]byte(s)) },
	"base64 shift 1":  func(s string) string { return base64.StdEncoding.EncodeToString([]byte("u" + s + "x")) },
	"base64 shift 2":  func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte("u:" + s + "xy")) },
	"base64 wrapped": func(s string) string {
		return wrapped(base64.StdEncoding.EncodeToString([]byte("a long text: "+s)), 19)
	},
	"base64 escaped": func(s string) string { return url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(s))) },
	"wrapped":        func(s string) string { return wrapped(s, 7) },
}

// A known secret is found in every spelling, and what stands around it stays.
func TestFindSpellings(t *testing.T) {
	f := NewFinder([]string{"another secret", key})
	for name, spell := range spellings {
		text := spell(key)
		got := f.Hide("before " + text + " after")
		if !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " after") || strings.Count(got, Redacted) != 1 {
			t.Errorf("%s: %q became %q", name, text, got)
		}
		// At most the characters that base64 shares with its neighbours are left.
		if left := len(got) - len("before "+Redacted+" after"); left > 26 {
			t.Errorf("%s: %d bytes are left: %q", name, left, got)
		}
	}
}

// However a secret is cut in two, no more than eleven characters of it stay.
func TestFindFragments(t *testing.T) {
	const token = "sk0proj-9aZkQ2mW8xLtR4vB7nYc"
	f := NewFinder([]string{token})
	for cut := range len(token) {
		for _, text := range []string{token[:cut], token[cut:]} {
			if got := f.Hide(text); len(text) >= fragment && got != Redacted || len(text) < fragment && got != text {
				t.Errorf("%q became %q", text, got)
			}
		}
	}
	for _, words := range []string{"machine learning platform", "https://example.org/team/42", "/usr/share/keys/2024-08"} {
		if got, part := NewFinder([]string{words}), words[:15]; got.Hide(part) != part || got.Hide(words) != Redacted {
			t.Errorf("%q: a part became %q, all of it %q", words, got.Hide(part), got.Hide(words))
		}
	}
}

func TestFindShort(t *testing.T) {
	f := NewFinder([]string{"pw1x", "ab", ""})
	for text, want := range map[string]string{"a pw1x b": "a [redacted] b", "a PW1X b": "a PW1X b", "ab": "ab", "6162": "6162", "": "", "pw": "pw", "%70w1x": "[redacted]"} {
		if got := f.Hide(text); got != want {
			t.Errorf("Hide(%q) = %q, want %q", text, got, want)
		}
	}
	if NewFinder(nil) != nil || NewFinder(nil).Hide("x") != "x" || NewFinder(nil).Longest() != 0 {
		t.Error("a Finder of nothing finds something")
	}
}

// Wherever a secret stands in a long text, across blocks too, it is found; the
// rest is untouched.
func TestFindInLongText(t *testing.T) {
	const token = "9aZkQ2mW8xLtR4vB7nYc"
	f := NewFinder([]string{token})
	random := rand.New(rand.NewPCG(1, 2))
	filler := strings.Repeat("some words and a line\n", 3*blockSize/22)
	for range 40 {
		at := blockSize - 300 + random.IntN(600)
		spelled := eachRune("&#%d;")(token)
		want := filler[:at] + Redacted + filler[at:]
		if got := f.Hide(filler[:at] + spelled + filler[at:]); got != want {
			t.Fatalf("at %d: %d bytes became %d", at, len(filler)+len(spelled), len(got))
		}
	}
}

func FuzzHide(f *testing.F) {
	for _, spell := range spellings {
		f.Add(spell(key), 3)
	}
	finder := NewFinder([]string{key, "9aZkQ2mW8xLtR4vB7nYc"})
	f.Fuzz(func(t *testing.T, text string, at int) {
		got := finder.Hide(text)
		if strings.Contains(got, key) {
			t.Errorf("%q became %q", text, got)
		}
		if again := finder.Hide(got); again != got {
			t.Errorf("%q became %q and then %q", text, got, again)
		}
	})
}

// A page without secrets, as most are, and one full of escapes.
func BenchmarkHide(b *testing.B) {
	f := NewFinder([]string{"sk-proj-9aZkQ2mW8xLtR4vB7nYc3fGh5JkLmNpQ", "Bearer sk-proj-9aZkQ2mW8xLtR4vB7nYc3fGh5JkLmNpQ", "hf_qWeRtYuIoPaSdFgHjKlZxCvBnM12345678", "hunter2"})
	plain := strings.Repeat("The quick brown fox jumps over the lazy dog, and so do 17 others. ", 16<<10)
	for name, text := range map[string]string{
		"words":   plain,
		"escapes": strings.Repeat(`{"a":"x\/y\u002bz","b":"100%25 of &lt;p&gt;"}`+"\n", 24<<10),
		"attack":  strings.Repeat("sk-proj-9aZ", 96<<10),
		"base64":  base64.StdEncoding.EncodeToString(bytes.Repeat([]byte(plain[:999]), 800)),
		"id":      "chatcmpl-5f0c2a6e1b8d4c7e9a3f",
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				f.Hide(text)
			}
		})
	}
}
