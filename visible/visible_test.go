package visible

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestLine(t *testing.T) {
	for text, want := range map[string]string{
		"plain, 22.9 ms – µ 日本":             "plain, 22.9 ms – µ 日本",
		"\x1b]0;PWNED\a\x1b[31m":            `\x1b]0;PWNED\a\x1b[31m`,
		"a\r\nb\tc\x7f\u009b":               `a\r\nb\tc\x7f\u009b`,
		"invoice\u202efdp.exe\u2066\u200b":  `invoice\u202efdp.exe\u2066\u200b`,
		"\ufeff\u00ad\u2028\U000e0041":      `\ufeff\u00ad\u2028\U000e0041`,
		"\xff\xc3(":                         `\xff\xc3(`,
		"\ufffd stays, it is what it shows": "\ufffd stays, it is what it shows",
	} {
		if got := Line(text); got != want {
			t.Errorf("Line(%q) = %q, want %q", text, got, want)
		}
	}
	if got := Text("a\tb\n\x1bc"); got != "a\tb\n\\x1bc" {
		t.Errorf("Text = %q", got)
	}
}

// What is written does not depend on how it was cut.
func TestWriter(t *testing.T) {
	const text = "a\x1b日\n\xff–b"
	for cut := range len(text) {
		var out bytes.Buffer
		w := &Writer{To: &out}
		for _, part := range []string{text[:cut], text[cut:]} {
			if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatalf("wrote %d, %v", n, err)
			}
		}
		if want := "a\\x1b日\n\\xff–b"; out.String() != want {
			t.Errorf("cut at %d: %q, want %q", cut, out.String(), want)
		}
	}
}

func TestMarkdown(t *testing.T) {
	for text, want := range map[string]string{
		"TTFT p50 22.9 ms [22.9, 23.9]":       "TTFT p50 22.9 ms [22.9, 23.9]",
		"error_rate of gpt_4 is _not_ *good*": `error_rate of gpt_4 is \_not\_ \*good\*`,
		"# INJECTED":                          `\# INJECTED`,
		"a\n# INJECTED":                       `a\\n# INJECTED`,
		"<script>alert(1)</script>":           "&lt;script>alert(1)&lt;/script>",
		"[a](javascript:x) ![p](http://h)":    `[a\](javascript:x) ![p\](http://h)`,
		"<0.01":                               "<0.01",
		"-0.002":                              "-0.002",
		"[a]: http://evil":                    `[a\]: http://evil`,
		"```sh":                               "\\`\\`\\`sh",
		"| a | b |":                           `\| a \| b \|`,
		"- item":                              `\- item`,
		"> quote":                             `\> quote`,
		"1. one":                              `1\. one`,
		"1.5 s":                               "1.5 s",
		"2) two":                              `2\) two`,
		"=== h":                               `\=== h`,
		"~~~":                                 `\~\~\~`,
		"    code":                            "code",
		"&lt;b&#62;":                          "&amp;lt;b&amp;`#`62;",
		"ping @everyone, see #12, mail a@b.c": "ping `@`everyone, see `#`12, mail a@b.c",
		"$x$":                                 `\$x\$`,
		"$5 of 2026__run__chat, __init__":     `$5 of 2026__run__chat, \_\_init\_\_`,
		"":                                    "",
	} {
		if got := Markdown(text); got != want {
			t.Errorf("Markdown(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestCell(t *testing.T) {
	for text, want := range map[string]string{
		"=1+1": "'=1+1", "@x": "'@x", "+1": "+1", "-5": "-5", "-5e-3": "-5e-3", "-cmd|x": "'-cmd|x", "a=b": "a=b", "": "", "\r=x": `\r=x`,
	} {
		if got := Cell(text); got != want {
			t.Errorf("Cell(%q) = %q, want %q", text, got, want)
		}
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("a\x1b[31m\u202e\xff\n\U000e0041")
	f.Fuzz(func(t *testing.T, text string) {
		for _, got := range []string{Line(text), Markdown(text)} {
			if !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return !plain(r) }) {
				t.Errorf("%q became %q", text, got)
			}
		}
		data, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var want, got string
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(JSON(data), &got); err != nil || got != want {
			t.Errorf("JSON(%s) = %s, %v", data, JSON(data), err)
		}
	})
}
